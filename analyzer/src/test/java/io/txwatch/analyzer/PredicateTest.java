package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.analyzed;
import static io.txwatch.analyzer.Notation.events;
import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Verdict;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.report.JsonReport;
import io.txwatch.report.TextReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proven and possible predicate dependencies, in minimal histories. */
class PredicateTest {

  private static final Database MARIADB = new Database(new Product("MariaDB", "10.11.5"), Map.of());

  /** Hermitage's predicate cases, as they run at READ COMMITTED. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // h06, PMP: T1 finds no v = 30, T2 inserts one, T1 finds it by another predicate.
        "r1(;P?:x0,y0) i2(z) c2 r1(z2;Q?:x0,y0,z2) c1 | PHANTOM 1-prw?(z)>2-wr(z)>1",
        // h07, PMP for writes: T2 sees y, T1 updates both, T2 deletes x instead.
        "w1(x0,y0;_?:x0,y0) r2(y0;P?:x0,y0) c1 d2(x1;Q?:x1,y1) r2(;P?:y1) c2 |"
            + " READ_WRITE_SKEW 2-rw(y)>1-ww(x)>2",
        // h10, G-single: T1 reads both, T2 changes one of them, T1 sees that.
        "r1(x0,y0;P?:x0,y0) w2(x0;Q?:x0,y0) c2 r1(x2;R?:x2,y0) c1 |"
            + " NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1",
        // h11, G-single: T1 reads x, T2 changes x and y, T1 deletes where y was, and finds nothing.
        "r1(x0;P?:x0,y0) r2(x0,y0;_?:x0,y0) w2(x0;P?:x0,y0) w2(y0;Q?:x2,y0) c2 d1(;R?:x2,y2) c1 |"
            + " G_SINGLE 1-rw(x)>2-pwr?(y)>1",
        // h13, G2: each counts, and inserts what the other would have counted.
        "r1(;P?:x0,y0) r2(;P?:x0,y0) i1(z) i2(w) c1 c2 | G2 1-prw?(w)>2-prw?(z)>1",
      })
  void hermitage(String history, String finding) {
    assertThat(findings(history)).containsExactly(finding);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Inserted: a later evaluation of the same predicate returns the row.
        "r1(;P:x0) i2(z) c2 r1(z2;P:x0,z2) c1             | PHANTOM 1-prw(z)>2-wr(z)>1",
        "r1(;P?:x0) i2(z) c2 r1(z2;P?:x0,z2) c1           | PHANTOM 1-prw(z)>2-wr(z)>1",
        // Changed so that it matches, and so that it no longer matches.
        "r1(;P:x0) w2(x0) c2 r1(x2;P:x2) c1               | PHANTOM 1-prw(x)>2-wr(x)>1",
        "r1(x0;P:x0) w2(x0) c2 r1(;P:x2) c1               | PHANTOM 1-rw(x)>2-pwr(x)>1",
        "r1(x0;P:x0,y0) d2(x0) c2 r1(;P:y0) c1            | PHANTOM 1-rw(x)>2-pwr(x)>1",
        // The read of another transaction is proof if it came after T1's later write.
        "r1(;P:x0) r2(;P:x0) i1(z) i2(w) c1 c2 r3(z1,w2;P:x0,z1,w2) c3 |"
            + " G2 1-prw(w)>2-prw(z)>1",
        // Overwritten by T1 later: its predicate missed it.
        "r1(;P:x0) i2(z) c2 w1(z2) c1 r3(z1;P:x0,z1) c3   | G_SINGLE 1-prw?(z)>2-ww(z)>1",
      })
  void proven(String history, String finding) {
    assertThat(findings(history)).endsWith(finding);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Nothing came between.
        "r1(x0;P:x0) r1(x0;P:x0) c1",
        "r1(;P:x0) i1(z) r1(z1;P:x0,z1) c1",
        "r1(x0;P:x0) w1(x0) r1(;P:x1) c1",
        "r1(x0;P:x0) d1(x0) r1(;P:) c1",
        // One after the other.
        "r1(;P:x0) i1(z) c1 r2(z1;P:x0,z1) i2(w) c2",
        "i1(z) c1 d2(z1) c2 r3(;P:x0) r3(;P:x0) c3",
        // Missed, but nothing leads back; seen, but nothing leads there.
        "r1(;P:x0) i2(z) c2 c1",
        "i2(z) c2 r1(z2;P:x0,z2) c1",
        // The commit was visible before its event arrived.
        "i2(z) w2(z2) r1(z2;P:x0,z2) c2 r1(z2;P:x0,z2) c1",
        // Nor was it when T1 had replaced what T2 inserted.
        "i2(z) w1(z2) w1(x0;_?:x0,z1) c2 c1",
        "i2(z) d1(z2) r1(x0;P?:x0) c2 c1",
        "i2(z) d1(z2) r1(;P?:) w1(x0;Q?:x0) c2 c1",
        "i2(z) w1(z2;P?:x0) c2 c1",
        "i2(z) c2 w1(z2;P?:x0) c1",
        // An aborted insert is no phantom. A write that was undone is none.
        "r1(;P:x0) i2(z) a2 r1(;P:x0) c1",
        "r1(;P:x0) r2(;P:x0) i1(z) s1(2-2) i2(w) c1 c2",
      })
  void historyHasNoAnomaly(String history) {
    assertThat(findings(history)).isEmpty();
  }

  /**
   * At MariaDB's REPEATABLE READ, T2 deletes x, and T1 writes a row that may have its key: that row
   * hides x in T1's snapshot.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "r1(x0;P:x0) d2(x0) c2 i1(z) r1(z1;P:z1) c1",
        "r1(x0;P:x0) d2(x0) c2 i1(z) r1(;P:z1) c1",
        "r1(x0;P:x0) d2(x0) c2 i1() r1(;P:) c1",
        "r1(x0;P:x0) d2(x0) c2 i1(z) d1(z1) r1(;P:) c1",
        "r1(x0;P:x0) d2(x0) c2 i1(z) r1(z1;P:z1) s1(2-2) r1(x0;P:x0) c1",
        "r1(x0;P:x0) d2(x0) i2(z) c2 b1(z2) r1(z1;P:z1) c1",
        "r1(x0;P:x0) d2(x0){7} c2 i1(z){7} r1(z1;P:z1) c1",
        "i3(x){7} c3 r1(x3;P:x3) d2(x3) c2 i1(z){7} r1(z1;P:z1) c1",
      })
  void ownWriteMayHideADeletedRow(String history) {
    assertThat(findings("1@RR " + history, MARIADB))
        .filteredOn(finding -> finding.contains("pwr"))
        .isEmpty();
  }

  /** Nothing hides x: T1 sees that it was deleted. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1@RR r1(x0;P:x0) d2(x0) c2 r1(;P:) c1",
        "1@RR r1(x0;P:x0) d2(x0){7} c2 i1(z){8} r1(z1;P:z1) c1",
        "1@RR i3(x){7} c3 r1(x3;P:x3) d2(x3) c2 i1(z){8} r1(z1;P:z1) c1",
        "1@RR r1(x0;P:x0) d2(x0){7} c2 w1(z0)[v]{8} r1(z1;P:z1) c1",
        "1@RR r1(x0;P:x0) d2(x0){7} c2 b1(z0)[v]{8} r1(;P:) c1",
        "1@RC r1(x0;P:x0) d2(x0) c2 i1(z) r1(z1;P:z1) c1",
      })
  void deletionIsSeen(String history) {
    assertThat(findings(history, MARIADB)).contains("PHANTOM 1-rw(x)>2-pwr(x)>1");
  }

  /** PostgreSQL's snapshot shows the old row beside the own one. */
  @Test
  void noOwnWriteHidesARowOfPostgresql() {
    assertThat(findings("1@RR r1(x0;P:x0) d2(x0) c2 i1(z) r1(z1;P:z1) c1"))
        .containsExactly("PHANTOM 1-rw(x)>2-pwr(x)>1");
  }

  @Test
  void possibleAnomalyThatTheLevelForbidsIsOnlyCounted() {
    String history = "1@SER 2@SER r1(;P?:x0,y0) r2(;P?:x0,y0) i1(z) i2(w) c1 c2";
    assertThat(findings(history)).isEmpty();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, anomaly -> {})) {
      events(history).forEach(analyzer::accept);
      assertThat(analyzer.coverage().forbidden()).isEqualTo(1);
      assertThat(analyzer.coverage().uncertain()).isEqualTo(2);
    }
    assertThat(findings(history.replace("SER", "RR"))).hasSize(1);
  }

  @Test
  void provenAnomalyThatTheLevelForbidsIsAViolation() {
    var found = analyzed(events("1@RR 2@RR r1(;P:x0) i2(z) c2 r1(z2;P:x0,z2) c1"));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).verdict()).isEqualTo(Verdict.VIOLATION);
    assertThat(found.get(0).confidence()).isEqualTo(Confidence.CONFIRMED);
  }

  @Test
  void possibleAnomalyIsMarkedAsPossible() {
    var found = analyzed(events("r1(;P?:x0,y0) r2(;P?:x0,y0) i1(z) i2(w) c1 c2"));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).verdict()).isEqualTo(Verdict.HAZARD);
    assertThat(found.get(0).confidence()).isEqualTo(Confidence.CONFIRMED);
    assertThat(JsonReport.anomaly(found.get(0)))
        .contains("\"possible\":true", "\"predicate\":true");
    assertThat(TextReport.of(found.get(0)))
        .contains("G2  HAZARD (possible)")
        .containsIgnoringWhitespaces("(possible: the predicate may not have looked at this row)");
  }

  /** A side read at READ COMMITTED may use another snapshot than its statement. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "r1(x0?) w2(x0) c2 r1(x2?) c1      | NON_REPEATABLE_READ 1-rw?(x)>2-wr?(x)>1",
        "r1(x0?) r2(x0) w2(x0) c2 w1(x2) c1 | LOST_UPDATE 1-rw?(x)>2-ww(x)>1",
        "r1(x0) w2(x0,y0) c2 r1(y2?) c1    | READ_SKEW 1-rw(x)>2-wr?(y)>1",
        "w1(x0) r2(x1?) c2 a1              | ",
        "w1(x0) r2(x1?) w1(x1) c1 c2       | INTERMEDIATE",
        "w1(x0) r1(x0?) c1                 | ",
        "w1(x0) d1(x1?) c1 r2(x1) c2       | ",
      })
  void uncertainAccesses(String history, String finding) {
    List<String> expected =
        finding == null || finding.equals("INTERMEDIATE") ? List.of() : List.of(finding);
    assertThat(findings(history)).isEqualTo(expected);
  }

  @Test
  void uncertainDeletionDoesNotCount() {
    assertThat(findings("r2(x0) d1(x0?) c1 w2(x0) c2")).isEmpty();
  }
}
