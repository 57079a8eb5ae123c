package io.txwatch.report;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.CallSite;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnomalyGroupsTest {

  private static AnomalyBuilder skew(int row) {
    return anomaly(Phenomenon.WRITE_SKEW)
        .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:2")
        .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
        .edge("1.1 rw 2.2 x " + row)
        .edge("2.1 rw 1.2 x " + (row + 1));
  }

  @Test
  void groupDoesNotDependOnRows() {
    AnomalyGroups groups = new AnomalyGroups();
    Anomaly first = skew(1).anomaly();
    assertThat(groups.add(first).count()).isEqualTo(1);
    assertThat(groups.add(skew(3).anomaly())).isEqualTo(new AnomalyGroups.Group(first, 2, 0, 0));
    assertThat(groups.groups()).containsExactly(new AnomalyGroups.Group(first, 2, 0, 0));
  }

  @Test
  void tenThousandAnomaliesOfOneLineAreOneGroupWithCountAndTimeRange() throws IOException {
    AnomalyGroups groups = new AnomalyGroups();
    for (int i = 0; i < 10_001; i++) {
      groups.add(skew(i).endedAt(1_700_000_000_000_000L + i * 10_000L).anomaly());
    }
    AnomalyGroups.Group group = groups.groups().get(0);
    assertThat(groups.groups()).hasSize(1);
    assertThat(TextReport.of(group).replaceAll("\\s+", " "))
        .contains("10,001 times, 100 a second, 2023-11-14 22:13:20 to 2023-11-14 22:15:00 UTC");
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      JsonReport.write(json, group);
    }
    assertThat(out.toString())
        .contains(
            "\"count\":10001,\"firstSeen\":\"2023-11-14T22:13:20Z\","
                + "\"lastSeen\":\"2023-11-14T22:15:00Z\",\"perSecond\":100.0");
  }

  @Test
  void oneMomentHasNoRateAndUnknownTimesAreOmitted() {
    AnomalyGroups groups = new AnomalyGroups();
    groups.add(skew(1).endedAt(1_700_000_000_000_000L).anomaly());
    assertThat(groups.add(skew(3).endedAt(1_700_000_000_900_000L).anomaly()).perSecond()).isEmpty();
    groups.add(skew(5).anomaly());
    assertThat(groups.groups().get(0).firstMicros()).isEqualTo(1_700_000_000_000_000L);
  }

  @Test
  void rotatedCycleIsTheSameGroup() {
    AnomalyGroups groups = new AnomalyGroups();
    groups.add(skew(1).anomaly());
    Anomaly turned =
        anomaly(Phenomenon.WRITE_SKEW)
            .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
            .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:2")
            .edge("1.1 rw 2.2 x 8")
            .edge("2.1 rw 1.2 x 7")
            .anomaly();
    assertThat(groups.add(turned).count()).isEqualTo(2);
  }

  @Test
  void groupDependsOnLineVerdictAndPhenomenon() {
    AnomalyGroups groups = new AnomalyGroups();
    groups.add(skew(1).anomaly());
    groups.add(
        skew(1)
            .violation(
                new Database(new Product("PostgreSQL", "18.6"), Map.of()),
                IsolationLevel.READ_COMMITTED)
            .anomaly());
    groups.add(
        anomaly(Phenomenon.WRITE_SKEW)
            .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:3")
            .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
            .edge("1.1 rw 2.2 x 1")
            .edge("2.1 rw 1.2 x 2")
            .anomaly());
    groups.add(
        anomaly(Phenomenon.G2_ITEM)
            .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:2")
            .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
            .edge("1.1 rw 2.2 x 1")
            .edge("2.1 rw 1.2 x 2")
            .anomaly());
    assertThat(groups.groups()).hasSize(4).allMatch(group -> group.count() == 1);
  }

  /** A helper executes all statements of an application. */
  @Test
  void helpersStatementsAndCallersAreGroupsOfTheirOwn() {
    AnomalyGroups groups = new AnomalyGroups();
    for (int i = 0; i < 200; i++) {
      for (String caller : List.of("shop.Bank.pay (Bank.java:4)", "shop.Shop.buy (Shop.java:7)")) {
        String at = " @ " + CallSite.calledFrom("shop.Dao.run (Dao.java:12)", caller);
        for (int value = 0; value < 3; value++) {
          groups.add(
              anomaly(Phenomenon.ABORTED_READ)
                  .t("1 UPDATE t" + i + " SET x = " + value + at)
                  .t("1 SELECT t" + i + at + (value == 2 ? " (usually)" : ""))
                  .edge("1.1 wr 2.1 x 1")
                  .anomaly());
        }
      }
    }
    assertThat(groups.groups()).hasSize(400).allMatch(group -> group.count() == 3);
    assertThat(TextReport.of(groups.groups().get(1)).replaceAll("\\s+", " "))
        .contains("at Dao.run (Dao.java:12), called from Shop.buy (Shop.java:7)");
  }

  @Test
  void anomaliesBeyondTheLimitAreOnlyCounted() {
    AnomalyGroups groups = new AnomalyGroups();
    for (int i = 0; i < AnomalyGroups.MAX_GROUPS + 5; i++) {
      groups.add(
          anomaly(Phenomenon.ABORTED_READ)
              .t("1 UPDATE x @ A.java:" + i)
              .t("1 SELECT x @ B.java:1")
              .edge("1.1 wr 2.1 x 1")
              .anomaly());
    }
    assertThat(groups.groups()).hasSize(AnomalyGroups.MAX_GROUPS);
    assertThat(groups.ungrouped()).isEqualTo(5);
  }
}
