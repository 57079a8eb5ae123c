package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Product;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories with the columns of their statements; beside each what is found by row and column. */
class ColumnsTest {

  private static final Database MARIADB = new Database(new Product("MariaDB", "10.11.5"), Map.of());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // TPC-C: NewOrder reads a tax, Payment adds to a sum of the same row.
        "r1(x0)[tax] w2(x0,y0)[ytd<ytd] c2 w1(y2)[next<next] c1 |"
            + " READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1 | ",
        "r1(x0)[tax] w2(x0,y0)[tax<tax] c2 w1(y2)[tax<tax] c1 |"
            + " READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1 | READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1",
        // A lost update needs one column that both wrote; who computes with a column reads it anew.
        "r1(x0)[a] w2(x0)[a] c2 w1(x2)[a] c1 |"
            + " LOST_UPDATE 1-rw(x)>2-ww(x)>1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "r1(x0)[a] w2(x0)[a] c2 w1(x2)[b] c1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1 | ",
        "r1(x0)[a] w2(x0)[a] c2 w1(x2)[b<a] c1 |" + " LOST_UPDATE 1-rw(x)>2-ww(x)>1 | ",
        // The result of the read may not depend on the column.
        "r1(x0)[a?] w2(x0)[a] c2 w1(x2)[a] c1 |"
            + " LOST_UPDATE 1-rw(x)>2-ww(x)>1 | LOST_UPDATE 1-rw?(x)>2-ww(x)>1",
        "r1(x0)[a?,b] w2(x0)[a,b] c2 w1(x2)[a] c1 |"
            + " LOST_UPDATE 1-rw(x)>2-ww(x)>1 | READ_WRITE_SKEW 1-rw(x)>2-ww(x)>1",
        "r1(x0)[a?,b] w2(x0)[b] w2(y0)[a] c2 w1(y2)[a] c1 |"
            + " READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1 | READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1",
        // The column was overwritten later, and another one before.
        "r1(x0)[a] w3(x0)[b] c3 w2(x3)[a] c2 w1(x2)[a] c1 |"
            + " LOST_UPDATE 1-rw(x)>3-ww(x)>2-ww(x)>1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "r1(x0)[b] r2(y0)[b] w2(x0)[a] w1(y0)[a] c1 c2 | WRITE_SKEW 1-rw(x)>2-rw(y)>1 | ",
        "r1(x0)[a] r2(y0)[b] w2(x0)[a] w1(y0)[b] c1 c2 |"
            + " WRITE_SKEW 1-rw(x)>2-rw(y)>1 | WRITE_SKEW 1-rw(x)>2-rw(y)>1",
        // Reads of another column of what was rolled back, or written again, are of older versions.
        "w1(x0)[a] r2(x1)[b] c2 a1 | ABORTED_READ 1-wr(x)>2 | ",
        "w1(x0)[a] r2(x1)[a] c2 a1 | ABORTED_READ 1-wr(x)>2 | ABORTED_READ 1-wr(x)>2",
        "w1(x0)[a] r2(x1)[a] w1(x1)[a] c1 c2 |"
            + " INTERMEDIATE_READ 1-wr(x)>2 | INTERMEDIATE_READ 1-wr(x)>2",
        // A deletion concerns every column, and whether there is a row.
        "r1(x0)[] d2(x0)[] w2(y0)[a] c2 w1(y2)[a] c1 |"
            + " READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1 | READ_WRITE_SKEW 1-rw(x)>2-ww(y)>1",
        // By predicate: nothing in it was assigned.
        "r1(;_:x0,y0)[/id] w2(x0)[v] c2 r1(x2)[v] c1 |" + " PHANTOM 1-prw?(x)>2-wr(x)>1 | ",
        "r1(;_:x0,y0)[/v] w2(x0)[v] c2 r1(x2)[v] c1 |"
            + " PHANTOM 1-prw?(x)>2-wr(x)>1 | PHANTOM 1-prw?(x)>2-wr(x)>1",
        // T1 reads the row again: another column, which nobody changed, or the one that T2 changed.
        "r1(x0)[a] w2(x0)[a] c2 r1(x2)[b] w1(x2)[a] c1 |"
            + " NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1 | LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "r1(x0)[a] w2(x0)[a] c2 r1(x2)[a] w1(x2)[a] c1 |"
            + " NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1 | NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1",
        "r1(x0)[a] w2(x0)[a] c2 r1(x2)[b] c1 | NON_REPEATABLE_READ 1-rw(x)>2-wr(x)>1 | ",
        // UPDATE … WHERE id = 1 AND v = 0 found row y, and T2 updated row x, which has another key.
        "w1(y0;_:x0,y0)[v/id,v=id] w2(x0)[v] c2 r1(x2)[v] c1 |" + " PHANTOM 1-prw?(x)>2-wr(x)>1 | ",
        "w2(x0)[v] w1(y0;_:x0,y0)[v/id,v=id] c2 r1(x2)[v] c1 |" + " PHANTOM 1-prw?(x)>2-wr(x)>1 | ",
        // T2 gave row x another key, perhaps the one that T1 searches.
        "w1(y0;_:x0,y0)[v/id,v=id] w2(x0)[id,v] c2 r1(x2)[v] c1 |"
            + " PHANTOM 1-prw?(x)>2-wr(x)>1 | PHANTOM 1-prw?(x)>2-wr(x)>1",
        // It found no row: x may have the key, and be excluded by v alone.
        "w1(;_:x0,y0)[v/id,v=id] w2(x0)[v] c2 r1(x2)[v] c1 |"
            + " PHANTOM 1-prw?(x)>2-wr(x)>1 | PHANTOM 1-prw?(x)>2-wr(x)>1",
        // Each finds its own row by the key, and inserts, or deletes, another one.
        "r1(x0;_:x0,y0)[v/id=id] r2(y0;_:x0,y0)[v/id=id] i1(z) i2(w) c1 c2 |"
            + " G2 1-prw?(w)>2-prw?(z)>1 | ",
        "i1(z) i2(w) r1(x0;_:x0,y0)[v/id=id] r2(y0;_:x0,y0)[v/id=id] c1 c2 |"
            + " G2 1-prw?(w)>2-prw?(z)>1 | ",
        "r1(x0;_:x0,y0,z0,w0)[v/id=id] r2(y0;_:x0,y0,z0,w0)[v/id=id] d1(z0)[] d2(w0)[] c1 c2 |"
            + " G2 1-prw?(w)>2-prw?(z)>1 | ",
        "w1(x0;_:x0,y0)[v/id=id] i2(z) w2(y0;_:x0,y0)[v/id=id] i1(w) c1 c2 |"
            + " G2 1-prw?(z)>2-prw?(x)>1 | ",
        // It found no row by the key: the row inserted may have it.
        "r1(;_:x0,y0)[v/id=id] r2(;_:x0,y0)[v/id=id] i1(z) i2(w) c1 c2 |"
            + " G2 1-prw?(w)>2-prw?(z)>1 | G2 1-prw?(w)>2-prw?(z)>1",
        // Another statement of T1 searches without a key.
        "w1(y0;_:x0,y0)[v/id,v=id] r1(;_:x0,y1)[/v] w2(x0)[v] c2 r1(x2)[v] c1 |"
            + " PHANTOM 1-prw?(x)>2-wr(x)>1 | PHANTOM 1-prw?(x)>2-wr(x)>1",
        "r1(;_:x0,y0)[/a] r1(;_:x0,y0)[/v] w2(x0)[v] c2 r1(x2)[v] c1 |"
            + " PHANTOM 1-prw?(x)>2-wr(x)>1 | PHANTOM 1-prw?(x)>2-wr(x)>1",
      })
  void dependenciesRunThroughColumns(String history, String byRow, String byColumn) {
    List<Event> events = Notation.events(history);
    assertThat(Notation.findings(events, Granularity.ROW))
        .isEqualTo(byRow == null ? List.of() : List.of(byRow));
    assertThat(byColumn(history, Notation.POSTGRESQL))
        .isEqualTo(byColumn == null ? List.of() : List.of(byColumn));
  }

  /** The UPDATE of T1 made no version, but is known to have followed that of T2. */
  @Test
  void updateByKeyIsLostOnlyInTheColumnsThatItAssigns() {
    assertThat(byColumn("r1(x0)[a] w2(x0)[a] c2 t1(x)[a] c1", MARIADB))
        .containsExactly("LOST_UPDATE 1-rw(x)>2-ww(x)>1");
    assertThat(byColumn("r1(x0)[a] w2(x0)[a] c2 t1(x)[b] c1", MARIADB)).isEmpty();
  }

  /**
   * T1 updated the row after T2 had, and so reads in its own version what T2 had written. InnoDB
   * lets it update what its snapshot does not show, and documents that it then sees the result;
   * PostgreSQL promises to raise an error.
   */
  @ParameterizedTest
  @CsvSource({
    "MariaDB, RR, HAZARD",
    "MySQL, RR, HAZARD",
    "TiDB, RR, HAZARD",
    "OceanBase, RR, HAZARD",
    "H2, RR, HAZARD",
    "PostgreSQL, RC, HAZARD",
    "PostgreSQL, RR, VIOLATION",
    "MySQL, SER, VIOLATION"
  })
  void whatIsReadInAnOwnVersionIsNoReadOfASnapshot(String dbms, String level, Verdict verdict) {
    Database database = new Database(new Product(dbms, "9"), Map.of());
    for (String history :
        List.of(
            "r1(x0)[a] w2(x0)[a] c2 w1(x2)[b] r1(x1)[a] c1",
            "r1(y0)[a] w2(y0)[a] w2(x0)[a] c2 w1(x2)[b] r1(x1)[a] c1")) {
      List<Event> events = Notation.events("1@" + level + " 2@" + level + " " + history, database);
      assertThat(Notation.analyzed(events, Granularity.COLUMN))
          .as(history)
          .singleElement()
          .satisfies(anomaly -> assertThat(anomaly.verdict()).isEqualTo(verdict));
    }
  }

  /** The same read of a version of another transaction is one of the snapshot. */
  @Test
  void whatIsReadInAVersionOfOthersIsAReadOfASnapshot() {
    String history = "1@RR 2@RR r1(x0)[a] w2(x0)[a] c2 r1(x2)[a] c1";
    assertThat(Notation.analyzed(Notation.events(history, MARIADB), Granularity.COLUMN))
        .extracting(anomaly -> anomaly.verdict())
        .containsExactly(Verdict.VIOLATION);
  }

  @Test
  void reportNamesTheColumns() {
    List<Event> events = Notation.events("r1(x0)[a,b] w2(x0)[b,c] c2 w1(x2)[b] c1");
    assertThat(Notation.analyzed(events, Granularity.COLUMN))
        .singleElement()
        .satisfies(
            anomaly ->
                assertThat(anomaly.cycle())
                    .extracting(edge -> edge.columns())
                    .containsExactly(List.of("b"), List.of("b")));
  }

  @Test
  void accessesToDifferentColumnsAreCounted() {
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, anomaly -> {}, Granularity.COLUMN)) {
      Notation.events("w2(x0)[a] c2 w1(x2)[b] r1(x1)[b] c1").forEach(analyzer::accept);
      assertThat(analyzer.coverage().rowLevel()).isEqualTo(1);
    }
  }

  private static List<String> byColumn(String history, Database database) {
    return Notation.findings(Notation.events(history, database), Granularity.COLUMN);
  }
}
