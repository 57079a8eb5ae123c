package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every phenomenon in its smallest history, and histories that look like one and are none. */
class PhenomenaTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "w1(x0) w2(x1) w2(y0) w1(y2) c1 c2                 | DIRTY_WRITE 1-ww(x)>2-ww(y)>1",
        "w1(x0) w2(y0) r1(y2) r2(x1) c1 c2      | CIRCULAR_INFORMATION_FLOW 1-wr(x)>2-wr(y)>1",
        "w1(x0) w2(x1) w2(y0) r1(y2) c1 c2      | CIRCULAR_INFORMATION_FLOW 1-ww(x)>2-wr(y)>1",
        "w1(x0) r2(x1) c2 a1                               | ABORTED_READ 1-wr(x)>2",
        "w1(x0) r2(x1) s1(1-1) c2 c1                       | ABORTED_READ 1-wr(x)>2",
        "w1(x0) r2(x1) w1(x1) c1 c2                        | INTERMEDIATE_READ 1-wr(x)>2",
        "w1(y0) c1 r2(x1.2!) c2                             | GARBAGE_READ 1-wr(x)>2",
        "w1(x0) r1(x0) c1                                  | INTERNAL 1-wr(x)>1",
        "w1(x0) w1(x1) r1(x1.1) c1                         | INTERNAL 1-wr(x)>1",
        "d1(x0) r1(x0) c1                                  | INTERNAL 1-wr(x)>1",
        "r1(x0) r2(x0) w2(x0) c2 w1(x2) c1                 | LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "r1(x0) w2(x0) c2 w3(x2) c3 w1(x3) c1      | LOST_UPDATE 1-rw(x)>2-ww(x)>3-ww(x)>1",
        "i3(x) c3 w1(x3) w2(x3) c1 c2                      | LOST_UPDATE 1-rw(x)>2-rw(x)>1",
        "r1(x0) w2(x0,y0) c2 w1(y2) c1                     | READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1",
        "r1(x0) w2(x0,y0) c2 r1(y2) c1                     | READ_SKEW 1-rw(x)>2-wr(y)>1",
        "w2(x0,y0) c2 r1(y2) r1(x0) c1                     | FRACTURED_READ 1-rw(x)>2-wr(y)>1",
        "w2(x0,y0) c2 r1(y2,x0) c1                         | FRACTURED_READ 1-rw(x)>2-wr(y)>1",
        "r1(x0) w2(x0) c2 r1(x2) c1                        | NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1",
        "r1(x0) d2(x0) c2 l1(y0) c1                        | ",
        "r1(x0) r2(y0) w1(y0) w2(x0) c1 c2                 | WRITE_SKEW 1-rw(x)>2-rw(y)>1",
        "w1(x0) c1 w2(y0) c2 r3(x1,y0) c3 r4(x0,y2) c4 |"
            + " LONG_FORK 3-rw(y)>2-wr(y)>4-rw(x)>1-wr(x)>3",
        "r1(x0) w2(x0) w2(y0) c2 r3(y2) w3(z0) c3 r1(z3) c1 | G_SINGLE 1-rw(x)>2-wr(y)>3-wr(z)>1",
        "r1(x0) r2(y0) r3(z0) w1(z0) w2(x0) w3(y0) c1 c2 c3 | G2_ITEM 1-rw(x)>2-rw(y)>3-rw(z)>1",
      })
  void phenomenonFollowsFromRowsAndStatements(String history, String finding) {
    assertThat(findings(history)).isEqualTo(finding == null ? List.of() : List.of(finding));
  }

  /** The events of transaction 3 arrive last and close three cycles; that of 1 is the longest. */
  @Test
  void lostUpdateIsReportedDespiteShorterCyclesBetweenOtherTransactions() {
    assertThat(findings("r1(x0) r3(x0) r4(x0) w2(x0) c2 w3(x2) w4(x3) c4 w1(x4) c1 c3"))
        .containsExactlyInAnyOrder(
            "LOST_UPDATE 3-rw(x)>2-ww(x)>3",
            "LOST_UPDATE 4-rw(x)>2-ww(x)>3-ww(x)>4",
            "LOST_UPDATE 1-rw(x)>2-ww(x)>3-ww(x)>4-ww(x)>1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "r1(x0) w1(x0) c1 r2(x1) w2(x1) c2",
        // A writer with a gap, without a known outcome, or unobserved: it may have written the
        // version.
        "g1 w1(y0) c1 r2(x1.2!) c2",
        "w1(y0) u1 r2(x1.2!) c2",
        "w1(y0) r2(x1.2!) c2",
        "r2(x7.2!) c2",
        "r1(x0) w2(x0) c2 c1",
        // The outcome decides: not ended, not known, aborted.
        "r1(x0) r2(x0) w2(x0) c2 w1(x2)",
        "r1(x0) r2(x0) w2(x0) c2 w1(x2) u1",
        "r1(x0) r2(x0) w2(x0) c2 w1(x2) a1",
        "w1(x0) r2(x1) c2 u1",
        "w1(x0) r2(x1) c1 a2",
        // Own versions are no dependencies.
        "w1(x0) w1(x1) r1(x1) c1",
        "r1(x0) w1(x0) r1(x1) c1",
        // What was undone was not written.
        "r2(x0) r1(y0) w1(x0) s1(2-2) w2(y0) c1 c2",
        "w1(x0) s1(1-1) r1(x0) c1",
        "w1(x0) w1(x1.1) s1(2-2) r1(x1.1) c1",
        // Nor was what a failed statement had written, which another transaction saw before.
        "1@RU 2@RU w2(y0) f2(x0) r1(x2) c1 c2 r3(y2,x0) c3",
        "1@RU 2@RU w2(y0) f2(x0) c2 r3(y2,x0) c3 r1(x2) c1",
        // The driver rejected the result of a statement that had written.
        "f2(x0) c2 r1(x2) c1 w3(x2) c3 r4(x3) c4",
        // A transaction with a gap may have undone its write unseen.
        "w1(x0) g1 r1(x0) c1",
        // The version before all writes has no name: a recreated table may have the same row ids.
        "w1(x0) w2(x0) c1 c2",
        // Locked, then written: nothing is lost. Read again under a lock: nothing is lost either.
        "l1(x0) w1(x0) c1 l2(x1) w2(x1) c2",
        "r1(x0) w2(x0) c2 l1(x2) w1(x2) c1",
      })
  void historyHasNoAnomaly(String history) {
    assertThat(findings(history)).isEmpty();
  }

  @Test
  void rereadBeforeAWriteIsANonRepeatableRead() {
    assertThat(findings("r1(x0) w2(x0) c2 r1(x2) w1(x2) c1"))
        .containsExactly("NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1");
  }

  @Test
  void currentReadsAreExceptedOnlyBelowSerializable() {
    String history = "r1(x0) w2(x0) c2 l1(x2) c1";
    assertThat(findings("1@RR 2@RR " + history)).isEmpty();
    assertThat(findings("1@SER 2@SER " + history))
        .containsExactly("NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1");
  }

  @Test
  void blindWritesAreOrderedByLaterReads() {
    assertThat(findings("r1(x0) r2(x0) b2(x0) c2 b1(x2) c1")).isEmpty();
    assertThat(findings("r1(x0) r2(x0) b2(x0) c2 b1(x2) c1 r3(x1) c3"))
        .containsExactly("LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void unwatchedWritesAreInNoAnomaly() {
    // Transaction 2 is only a token in the list of x1.
    var events = Notation.events("r1(x0) w2(x0) c2 w1(x2) c1");
    events.removeIf(event -> event.session() == 2);
    assertThat(Notation.analyzed(events)).isEmpty();
  }
}
