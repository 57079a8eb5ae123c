package io.txwatch.report;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.slice.RowVersions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Schedules are written as in the papers: r12 is a read by T1, its second statement. */
class PossibleOrderTest {

  private static String order(Anomaly anomaly) {
    return PossibleOrder.of(anomaly).stream()
        .map(
            step ->
                (step.statement().sql().startsWith("UPDATE") ? "w" : "r")
                    + (step.column() + 1)
                    + step.statement().number())
        .collect(Collectors.joining(" "));
  }

  @Test
  void readPrecedesTheWriteThatItMissed() {
    assertThat(
            order(
                anomaly(Phenomenon.READ_SKEW)
                    .t("1 SELECT x", "2 SELECT y")
                    .t("1 UPDATE x", "2 UPDATE y")
                    .edge("1.1 rw 2.1 x 1")
                    .edge("2.2 wr 1.2 y 2")
                    .anomaly()))
        .isEqualTo("r11 w21 w22 r12");
  }

  @Test
  void readAfterTheWriteThatItMissedIsOfAnOldVersion() {
    Anomaly fractured =
        anomaly(Phenomenon.FRACTURED_READ)
            .t("1 SELECT y", "2 SELECT x")
            .t("1 UPDATE x", "2 UPDATE y")
            .edge("1.2 rw 2.1 x 1")
            .edge("2.2 wr 1.1 y 2")
            .anomaly();
    assertThat(order(fractured)).isEqualTo("w21 w22 r11 r12");
    assertThat(PossibleOrder.of(fractured))
        .last()
        .satisfies(
            step -> assertThat(step.effects()).containsExactly("reads an old version of x row 1"));
  }

  @Test
  void oneOfTwoReadsThatCannotBothBeFirstIsOfAnOldVersion() {
    assertThat(
            order(
                anomaly(Phenomenon.WRITE_SKEW)
                    .t("1 UPDATE x", "2 SELECT y")
                    .t("1 UPDATE y", "2 SELECT x")
                    .edge("1.2 rw 2.1 y 2")
                    .edge("2.2 rw 1.1 x 1")
                    .anomaly()))
        .isEqualTo("w11 r12 w21 r22");
  }

  @Test
  void longForkThroughFourTransactions() {
    assertThat(
            order(
                anomaly(Phenomenon.LONG_FORK)
                    .t("1 SELECT y", "2 SELECT x")
                    .t("1 UPDATE x")
                    .t("1 SELECT x", "2 SELECT y")
                    .t("1 UPDATE y")
                    .edge("1.2 rw 2.1 x 1")
                    .edge("2.1 wr 3.1 x 1")
                    .edge("3.2 rw 4.1 y 2")
                    .edge("4.1 wr 1.1 y 2")
                    .anomaly()))
        // T3 read y after T4 wrote it, and saw the old version.
        .isEqualTo("w41 r11 r12 w21 r31 r32");
  }

  @Test
  void overwritesAreInVersionOrder() {
    assertThat(
            order(
                anomaly(Phenomenon.DIRTY_WRITE)
                    .t("1 UPDATE x", "2 UPDATE y")
                    .t("1 UPDATE x", "2 UPDATE y")
                    .edge("1.1 ww 2.1 x 1")
                    .edge("2.2 ww 1.2 y 2")
                    .anomaly()))
        .isEqualTo("w11 w21 w22 w12");
  }

  @Test
  void readForContextFollowsTheWriteThatItSaw() {
    AnomalyBuilder chain =
        anomaly(Phenomenon.LOST_UPDATE)
            .t("1 SELECT x", "3 UPDATE x")
            .t("2 UPDATE x")
            .context("1 SELECT x", 2, "x 1")
            .t("2 UPDATE x")
            .context("1 SELECT x", 2, "x 1")
            .edge("1.1 rw 3.2 x 1")
            .edge("3.2 ww 2.2 x 1")
            .edge("2.2 ww 1.3 x 1");
    assertThat(order(chain.anomaly())).isEqualTo("r11 r31 w32 r21 w22 w13");
    assertThat(PossibleOrder.of(chain.anomaly()))
        .filteredOn(PossibleOrder.Step::isContext)
        .hasSize(2)
        .allMatch(step -> step.effects().equals(List.of("reads x row 1 (context)")));
    assertThat(PossibleOrder.ofDependencies(chain.anomaly())).hasSize(4);
    assertThat(RowVersions.of(chain.anomaly()).get("x row 1"))
        .extracting(step -> "T" + (step.column() + 1) + " v" + step.before())
        .containsExactly("T3 v0", "T1 v0", "T3 v0", "T2 v1", "T2 v1", "T1 v2");
  }

  @Test
  void contradictoryDependenciesLoseNoStatement() {
    assertThat(
            order(
                anomaly(Phenomenon.DIRTY_WRITE)
                    .t("1 UPDATE x")
                    .t("1 UPDATE x")
                    .edge("1.1 ww 2.1 x 1")
                    .edge("2.1 ww 1.1 x 1")
                    .anomaly()))
        .isEqualTo("w11 w21");
  }

  @Test
  void unobservedStatementsAreNotShown() {
    assertThat(
            order(
                anomaly(Phenomenon.LOST_UPDATE)
                    .t("1 SELECT x", "9 UPDATE x")
                    .t()
                    .edge("1.1 rw 2.0 x 1")
                    .edge("2.0 ww 1.9 x 1")
                    .anomaly()))
        .isEqualTo("r11 w19");
  }
}
