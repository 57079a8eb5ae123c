package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.Product;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rows that a DELETE matches in its snapshot and leaves alone: it chose from later versions. */
class SkippedByDeleteTest {

  private static final Database MYSQL = new Database(new Product("MySQL", "9.7.0"), Map.of());

  private static List<String> found(String line) {
    return findings("1@RR 2@RR 3@RR " + line, MYSQL);
  }

  @Test
  void deleteSeesAWriteThatAnEarlierReadMissed() {
    assertThat(found("r1(x0) w2(x0) w2(y0) c2 p1(y0) c1"))
        .containsExactly("READ_SKEW 1-rw(x)>2-pwr(y)>1");
  }

  @Test
  void readMissesAWriteThatAnEarlierDeleteSaw() {
    assertThat(found("w2(y0) c2 p1(y0) r1(y0) c1")).containsExactly("G_SINGLE 1-rw(y)>2-pwr(y)>1");
  }

  @Test
  void skippedRowIsFoundInAnyArrivalOrder() {
    assertThat(found("r1(x0) w2(x0) w2(y0) p1(y0) c1 c2"))
        .containsExactly("READ_SKEW 1-rw(x)>2-pwr(y)>1");
    assertThat(found("r1(x0) w2(x0) b2(y0) c2 p1(y0) c1 r3(y2) c3"))
        .containsExactly("READ_SKEW 1-rw(x)>2-pwr(y)>1");
  }

  @Test
  void cycleThroughOtherWriters() {
    assertThat(found("r1(x0) w2(x0) w2(y0) c2 w3(y2) c3 p1(y0) c1"))
        .containsExactly("READ_SKEW 1-rw(x)>2-pwr(y)>1");
  }

  @Test
  void rowDeletedByAnotherTransactionIsSkipped() {
    assertThat(found("r1(x0) w2(x0) d2(y0) c2 p1(y0) c1"))
        .containsExactly("READ_SKEW 1-rw(x)>2-pwr(y)>1");
  }

  @Test
  void skippingTheRowThatWasReadIsExcepted() {
    // IsoRel, section 3.4: what was read plainly may be found changed by the write that follows.
    assertThat(found("r1(y0) w2(y0) c2 p1(y0) c1")).isEmpty();
  }

  @Test
  void laterWriteIsNotSeenByTheDelete() {
    assertThat(found("r1(x0) w2(x0) p1(y0) w2(y0) c1 c2")).isEmpty();
  }

  @Test
  void rolledBackWriteIsNotSeen() {
    assertThat(found("r1(x0) w2(x0) w2(y0) a2 p1(y0) c1")).isEmpty();
    assertThat(found("r1(x0) w2(x0) w2(y0) c2 p1(y0) a1")).isEmpty();
  }

  @Test
  void skippedRowAloneIsNoAnomaly() {
    assertThat(found("w2(y0) c2 r1(x0) p1(y0) c1")).isEmpty();
  }
}
