package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.AnomalyId;
import io.txwatch.slice.HistorySlice;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories with the finding and what it shows for context, as transaction.statement(row). */
class ContextReadTest {

  private static String context(Anomaly anomaly) {
    return anomaly.transactions().stream()
        .flatMap(
            transaction ->
                transaction.context().stream()
                    .map(
                        read ->
                            transaction.id()
                                + "."
                                + read.statement().number()
                                + "("
                                + (char) read.row()
                                + ")"))
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "r1(x0) r2(x0) w2(x0) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 | 2.1(x)",
        "l1(x0) l2(x0) w2(x0) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 | 2.1(x)",
        "r1(x0) w2(x0) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 |",
        // The last of its reads, also if it read another row since.
        "r1(x0) r2(x0) r2(x0) r2(y0) w2(x0) c2 w1(x2) c1 |"
            + " LOST_UPDATE 1-rw(x)>2-ww(x)>1 | 2.2(x)",
        // A read after the write is of the transaction's own version.
        "r1(x0) w2(x0) r2(x2) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 |",
        "r1(x0) r2(x0) w2(x0) w2(x2) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 | 2.1(x)",
        // What T2 read is older than what it replaced; what T3 wrote was rolled back.
        "r2(x0) w3(x0) c3 r1(x3) w2(x3) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 |",
        "r2(x0) w3(x0) a3 r1(x0) w2(x0) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 | 2.1(x)",
        // Another column was read, or changed.
        "r1(x0)[a] r2(x0)[b] w2(x0)[a] c2 w1(x2)[a] c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 |",
        "r2(x0)[a] w3(x0)[b] c3 r1(x3)[a] w2(x3)[a] c2 w1(x2)[a] c1 |"
            + " LOST_UPDATE 1-rw(x)>2-ww(x)>1 | 2.1(x)",
        // A side read may have returned another version.
        "r1(x0) r2(x0?) w2(x0) c2 w1(x2) c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 |",
        "r1(x0) r1(y0) r2(x0) r2(y0) w1(x0) w2(y0) c1 c2 |"
            + " WRITE_SKEW 1-rw(y)>2-rw(x)>1 | 1.1(x) 2.2(y)",
        // A statement of a dependency is no context, and a writer is not affected by a read skew.
        "r1(x0,y0) r2(x0,y0) w1(x0) w2(y0) c1 c2 | WRITE_SKEW 1-rw(y)>2-rw(x)>1 |",
        "r1(x0) r2(x0) r2(y0) w2(x0) w2(y0) c2 r1(y2) c1 | READ_SKEW 1-rw(x)>2-wr(y)>1 |",
      })
  void readsBeforeWrites(String history, String finding, String context) {
    List<Anomaly> found =
        Notation.analyzed(Notation.events(history)).stream()
            .filter(anomaly -> Notation.text(anomaly).equals(finding))
            .toList();
    assertThat(found)
        .singleElement()
        .extracting(ContextReadTest::context)
        .isEqualTo(Objects.requireNonNullElse(context, ""));
  }

  /** What would prevent the anomaly hangs on it. */
  @Test
  void contextIsPartOfTheSlice() {
    Anomaly anomaly =
        Notation.analyzed(Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2) c1")).get(0);
    Anomaly again = Notation.analyzed(HistorySlice.events(anomaly)).get(0);
    assertThat(context(again)).isNotEmpty().isEqualTo(context(anomaly));
    assertThat(AnomalyId.of(again)).isEqualTo(AnomalyId.of(anomaly));
  }
}
