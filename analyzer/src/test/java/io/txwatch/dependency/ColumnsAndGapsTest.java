package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A transaction of which something was not observed, such as a sum over a large table, wrote the
 * columns of the statements that were observed, whoever identifies its versions.
 */
class ColumnsAndGapsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          r1(x0)[name] w2(x0)[balance] g2 w2(y0)[day] c2 r1(y2)[day] c1    | 0
          r1(x0)[balance] w2(x0)[balance] g2 w2(y0)[day] c2 r1(y2)[day] c1 | 1
          r1(x0)[name] w2(x0)[balance] g2 w2(y0)[day] c2 r1(y2)[name] c1   | 0
          """)
  void knownColumnsSuffice(String history, int anomalies) {
    List<Event> events = Notation.events(history);
    assertThat(found(events)).isEqualTo(anomalies);
    assertThat(found(IdsByDbms.of(events))).isEqualTo(anomalies);
  }

  private static int found(List<Event> events) {
    List<String> found = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> found.add(anomaly.phenomenon().name()))) {
      events.forEach(analyzer::accept);
    }
    return found.size();
  }
}
