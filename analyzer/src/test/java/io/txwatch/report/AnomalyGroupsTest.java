package io.txwatch.report;

import static io.txwatch.report.Told.told;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnomalyGroupsTest {

  private static Told skew(int row) {
    return told(Phenomenon.WRITE_SKEW)
        .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:2")
        .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
        .edge("1.1 rw 2.2 x " + row)
        .edge("2.1 rw 1.2 x " + (row + 1));
  }

  @Test
  void otherRowsAreTheSameGroup() {
    AnomalyGroups groups = new AnomalyGroups();
    Anomaly first = skew(1).anomaly();
    assertThat(groups.add(first).count()).isEqualTo(1);
    assertThat(groups.add(skew(3).anomaly())).isEqualTo(new AnomalyGroups.Group(first, 2));
    assertThat(groups.groups()).containsExactly(new AnomalyGroups.Group(first, 2));
  }

  @Test
  void theSameCycleToldFromItsOtherEndIsTheSameGroup() {
    AnomalyGroups groups = new AnomalyGroups();
    groups.add(skew(1).anomaly());
    Anomaly turned =
        told(Phenomenon.WRITE_SKEW)
            .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
            .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:2")
            .edge("1.1 rw 2.2 x 8")
            .edge("2.1 rw 1.2 x 7")
            .anomaly();
    assertThat(groups.add(turned).count()).isEqualTo(2);
  }

  @Test
  void anotherLineAnotherVerdictOrAnotherPhenomenonIsAnotherGroup() {
    AnomalyGroups groups = new AnomalyGroups();
    groups.add(skew(1).anomaly());
    groups.add(
        skew(1)
            .violation(new Database("PostgreSQL", "18.6", Map.of()), IsolationLevel.READ_COMMITTED)
            .anomaly());
    groups.add(
        told(Phenomenon.WRITE_SKEW)
            .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:3")
            .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
            .edge("1.1 rw 2.2 x 1")
            .edge("2.1 rw 1.2 x 2")
            .anomaly());
    groups.add(
        told(Phenomenon.G2_ITEM)
            .t("1 SELECT x @ A.java:1", "2 UPDATE x @ A.java:2")
            .t("1 SELECT x @ B.java:1", "2 UPDATE x @ B.java:2")
            .edge("1.1 rw 2.2 x 1")
            .edge("2.1 rw 1.2 x 2")
            .anomaly());
    assertThat(groups.groups()).hasSize(4).allMatch(group -> group.count() == 1);
  }

  @Test
  void withoutRoomNothingIsKeptAndItIsCounted() {
    AnomalyGroups groups = new AnomalyGroups();
    for (int i = 0; i < AnomalyGroups.MAX_GROUPS + 5; i++) {
      groups.add(
          told(Phenomenon.ABORTED_READ)
              .t("1 UPDATE x @ A.java:" + i)
              .t("1 SELECT x @ B.java:1")
              .edge("1.1 wr 2.1 x 1")
              .anomaly());
    }
    assertThat(groups.groups()).hasSize(AnomalyGroups.MAX_GROUPS);
    assertThat(groups.notKept()).isEqualTo(5);
  }
}
