package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Anomalies by session order or real-time order, which are reported if the order is enabled. */
class InversionTest {

  static List<String> found(List<Event> events, Set<CommitOrder> orders) {
    List<String> found = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(
            Judge.ADYA,
            anomaly ->
                found.add(
                    anomaly.phenomenon() == Phenomenon.TRANSACTION_INVERSION
                        ? anomaly.cycleTerm().orElse("")
                            + " "
                            + anomaly.verdict()
                            + Notation.text(anomaly).substring(anomaly.phenomenon().name().length())
                        : Notation.text(anomaly)),
            1 << 28,
            orders)) {
      events.forEach(analyzer::accept);
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2~1 w3(y0) w1(y3) c1 w2(x0) c2 w3(x2) c3 | G0 1-so>2-ww(x)>3-ww(y)>1",
        "2~1 w3(y0) r1(y3) c1 w2(x0) c2 w3(x2) c3 | G1c 1-so>2-ww(x)>3-wr(y)>1",
        "2~1 w1(x0) c1 r2(x0) c2                  | G-single 2-rw(x)>1-so>2",
        "2~1 r4(z0) r3(q0) w1(z0) c1 r2(x0) c2 w3(x0) c3 r4(x3) c4"
            + " | G-nonadjacent 2-rw(x)>3-wr(x)>4-rw(z)>1-so>2",
        "2~1 r3(z0) w1(z0) c1 r2(x0) c2 w3(x0) c3 | G2-item 2-rw(x)>3-rw(z)>1-so>2",
      })
  void inversionOfEachCycleClassThroughSessionOrder(String history, String expected) {
    String[] parts = expected.split(" ", 2);
    String levels = "1@SER 2@SER 3@SER 4@SER ";
    assertThat(found(Notation.events(levels + history), EnumSet.of(CommitOrder.SESSION)))
        .containsExactly(parts[0] + "-process VIOLATION " + parts[1]);
    // The same by real-time order, in separate sessions.
    String apart = history.replace("2~1 ", "");
    assertThat(found(Notation.events(levels + apart), EnumSet.of(CommitOrder.REAL_TIME)))
        .containsExactly(parts[0] + "-realtime VIOLATION " + parts[1].replace("-so>", "-rt>"));
    assertThat(found(Notation.events(levels + apart), EnumSet.of(CommitOrder.SESSION))).isEmpty();
    assertThat(found(Notation.events(levels + history), Set.of())).isEmpty();
  }

  /** The shortest cycle leads through the real-time order of all of them. */
  @Test
  void staleReadIsReportedAcrossThousandsOfTransactions() {
    StringBuilder history = new StringBuilder("1@SER 8000@SER w1(x0) c1 ");
    for (int t = 2; t < 8000; t++) {
      history.append("r").append(t).append("(y0) c").append(t).append(' ');
    }
    history.append("r8000(x0) c8000");
    assertThat(
            found(Notation.events(history.toString()), EnumSet.of(CommitOrder.REAL_TIME)).stream()
                .map(text -> text.substring(0, text.indexOf(' ')))
                .toList())
        .containsExactly("G-single-realtime");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "r2(y0) w1(x0) c1 r2(x0) c2     | side by side",
        "w1(x0) a1 r2(x0) c2            | rolled back",
        "2~1 w1(x0) c1 r2(x1) w2(x1) c2 | in order",
        "2~1 w1(x0) c1 r2(x0) a2        | not read",
      })
  void noInversion(String history, String why) {
    assertThat(found(Notation.events(history), EnumSet.allOf(CommitOrder.class))).as(why).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2~1 w1(x0) c1 r5(y0) c5 r2(x0) c2 | 2-rw(x)>1-so>2",
        "2~1 3~1 w1(x0) c1 r2(y0) c2 r3(x0) c3 | 3-rw(x)>1-so>2-so>3",
      })
  void readCommittedPermitsInversions(String history, String expected) {
    assertThat(found(Notation.events(history), EnumSet.of(CommitOrder.SESSION)))
        .containsExactly("G-single-process HAZARD " + expected);
  }
}
