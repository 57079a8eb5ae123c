package io.txwatch.report;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Schedules are written as in the papers: r12 is a read by T1, its second statement. */
class InterleavingTest {

  private static String order(Anomaly anomaly) {
    return Interleaving.of(anomaly).stream()
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
    assertThat(Interleaving.of(fractured))
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
