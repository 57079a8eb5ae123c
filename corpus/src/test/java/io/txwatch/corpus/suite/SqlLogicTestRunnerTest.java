package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.Difference;
import io.txwatch.corpus.suite.SqlLogicTestFile.Entry;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlLogicTestRunnerTest {

  private static SqlLogicTestFile file(String... statements) {
    List<Entry> entries = new ArrayList<>();
    for (String sql : statements) {
      entries.add(new Entry(entries.size() + 1, sql));
    }
    return new SqlLogicTestFile(Path.of("a.test"), entries);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void createdTablesArePreparedAndStatementsObserved(boolean transactions) throws SQLException {
    SqlLogicTestRunner runner =
        new SqlLogicTestRunner(ServerKind.SQLITE, transactions, List.of(Level.INLINE));
    List<Difference> differences = new ArrayList<>();

    runner.run(
        file(
            "CREATE TABLE t(a INTEGER)",
            "INSERT INTO t VALUES(1)",
            "SELECT * FROM t",
            "SELECT b FROM t",
            "SELECT * FROM t ORDER BY a"),
        "a.test",
        differences::add);

    assertThat(differences).isEmpty();
    assertThat(runner.statements()).isEqualTo(5);
    assertThat(runner.failed()).isEqualTo(1);
    assertThat(Objects.requireNonNull(runner.tallies().get(Level.INLINE)).observed)
        .isGreaterThanOrEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void differenceIsReported(boolean transactions) throws SQLException {
    SqlLogicTestRunner runner =
        new SqlLogicTestRunner(ServerKind.H2, transactions, List.of(Level.INLINE));
    List<Difference> differences = new ArrayList<>();

    // A prepared table has two columns more, and H2 lists them.
    runner.run(
        file(
            "CREATE TABLE t(a INTEGER)",
            "SELECT count(*) FROM information_schema.columns WHERE table_name = 'T'",
            "CREATE TABLE u AS SELECT count(*) AS n FROM information_schema.columns"
                + " WHERE table_name = 'T'"),
        "a.test",
        differences::add);

    assertThat(differences).extracting(Difference::aspect).containsExactly("outcome", "tables");
  }
}
