package io.txwatch.report;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExplanationTest {

  /** Only a cycle contradicts every order; the others have a sentence of their own. */
  @ParameterizedTest
  @EnumSource
  void everyPhenomenonIsExplained(Phenomenon phenomenon) {
    Anomaly one =
        anomaly(phenomenon).t("1 SELECT x").t("1 UPDATE x").edge("1.1 rw 2.1 x 7").anomaly();

    assertThat(String.join(" ", Explanation.of(one)))
        .matches(text -> text.endsWith(": a contradiction.") == phenomenon.isCycle())
        .matches(text -> text.startsWith("T1 < T2 because") == phenomenon.isCycle());
  }
}
