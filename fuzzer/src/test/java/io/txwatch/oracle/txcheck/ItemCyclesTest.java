package io.txwatch.oracle.txcheck;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Guarantee;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** TxCheck, section 4, isolation bug detection. */
class ItemCyclesTest {

  /** Figure 13: a transaction reads x before, and y after, another transaction. */
  private static final String READ_SKEW =
      """
      T1.1 query  x0 sees x0 y0
      T2.1 update x0>x1 sees x0 y0
      T2.2 update y0>y1 sees x1 y0
      T2 commit
      T1.2 query  y1 sees x0 y1
      T1 commit
      """;

  private static Optional<String> violation(String traces, String product, IsolationLevel level) {
    Database database = new Database(new Product(product, "1"), Map.of());
    return ItemCycles.violation(Traces.of(traces), level, Guarantee.of(database, level));
  }

  @Test
  void readSkewIsReportedWhereSnapshotsArePromised() {
    assertThat(violation(READ_SKEW, "PostgreSQL", IsolationLevel.REPEATABLE_READ))
        .contains("READ_SKEW of T1, T2 by item dependencies, which the DBMS rules out");
    assertThat(violation(READ_SKEW, "TiDB", IsolationLevel.REPEATABLE_READ)).isPresent();
    assertThat(violation(READ_SKEW, "PostgreSQL", IsolationLevel.READ_COMMITTED)).isEmpty();
  }

  @Test
  void aLostUpdateIsReportedWhereTheFirstWriterWins() {
    String lostUpdate =
        """
        T1.1 query  x0 sees x0
        T2.1 update x0>x1 sees x0
        T2 commit
        T1.2 update x1>x2 sees x0
        T1 commit
        """;

    assertThat(violation(lostUpdate, "PostgreSQL", IsolationLevel.REPEATABLE_READ)).isPresent();
    assertThat(violation(lostUpdate, "MySQL", IsolationLevel.REPEATABLE_READ)).isEmpty();
    assertThat(violation(lostUpdate, "MySQL", IsolationLevel.SERIALIZABLE)).isPresent();
  }

  /** Version sets list rows that a statement may not have used: they prove no cycle. */
  @Test
  void versionSetsProveNoCycle() {
    String byPredicate =
        """
        T1.1 query  sees x0 y0
        T2.1 query  sees x0 y0
        T1.2 update x0>x1 sees x0 y0
        T2.2 update y0>y1 sees x0 y0
        """;

    assertThat(violation(byPredicate, "PostgreSQL", IsolationLevel.SERIALIZABLE)).isEmpty();
  }

  /** A cascade may restore a version: its reader may have read the one before. */
  @Test
  void aVersionThatExistsTwiceProvesNoCycle() {
    String restored =
        """
        T2.1 update x0>x1 sees x0
        T2.2 update x1>x0 sees x1
        T1.1 query  x0 sees x0
        T2 commit
        T1 commit
        """;

    assertThat(violation(restored, "PostgreSQL", IsolationLevel.SERIALIZABLE)).isEmpty();
  }
}
