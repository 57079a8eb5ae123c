package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * T1 chooses rows, T2 changes another row and commits, and T1 reads what T2 wrote, at READ
 * COMMITTED. It is a possible phantom unless a key excludes that T1's statement chose T2's row.
 */
class RowsFoundByKeyTest {

  private static final String KEYED = "UPDATE t SET v = 11 WHERE id = 1 AND v = 10";

  enum Dbms {
    /** With auxiliary columns. */
    POSTGRESQL,
    /** By its system columns. */
    POSTGRESQL_SYSTEM,
    MARIADB,
    H2;

    private String freshDatabase() throws SQLException {
      return switch (this) {
        case POSTGRESQL, POSTGRESQL_SYSTEM -> TestServers.freshDatabase(ServerKind.POSTGRESQL);
        case MARIADB -> TestServers.freshDatabase(ServerKind.MARIADB);
        case H2 -> "jdbc:h2:mem:keys" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
      };
    }

    private String versions() {
      return this == POSTGRESQL_SYSTEM ? "system" : "columns";
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL", "POSTGRESQL_SYSTEM", "MARIADB", "H2"})
  void rowsWithOtherKeysAreNoPhantoms(Dbms dbms, @TempDir Path folder) throws Exception {
    assertThat(reported(dbms, folder, "INT", KEYED, "UPDATE t SET v = 21, w = 22 WHERE id = 2"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // T2 gives its row a key, perhaps that of T1's predicate.
        "POSTGRESQL        | UPDATE t SET v = 11 WHERE id = 1 AND v = 10 | id = 3, v = 21",
        "MARIADB           | UPDATE t SET v = 11 WHERE id = 1 AND v = 10 | id = 3, v = 21",
        "H2                | UPDATE t SET v = 11 WHERE id = 1 AND v = 10 | id = 3, v = 21",
        // The key is not pinned.
        "POSTGRESQL        | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "POSTGRESQL_SYSTEM | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "MARIADB           | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "H2                | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "POSTGRESQL        | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
        "POSTGRESQL_SYSTEM | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
        "MARIADB           | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
        "H2                | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
        // It is pinned, and no row was found: row 2 may have that key, and another v.
        "POSTGRESQL        | SELECT v FROM t WHERE id = 4 AND v = 10     | v = 21",
        "MARIADB           | SELECT v FROM t WHERE id = 4 AND v = 10     | v = 21",
        "H2                | SELECT v FROM t WHERE id = 4 AND v = 10     | v = 21",
      })
  void rowsThatThePredicateMayChooseArePossiblePhantoms(
      Dbms dbms, String first, String assigned, @TempDir Path folder) throws Exception {
    assertThat(reported(dbms, folder, "INT", first, "UPDATE t SET " + assigned + " WHERE id = 2"))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("PHANTOM");
  }

  /** A row outside of a LIMIT is not chosen, whatever its columns contain. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POSTGRESQL_SYSTEM | SELECT v FROM t WHERE v > 0 ORDER BY id LIMIT 1",
        "POSTGRESQL_SYSTEM | SELECT v FROM t WHERE v > 0 ORDER BY id FETCH FIRST ROW ONLY",
        "POSTGRESQL_SYSTEM | UPDATE t SET w = 1 WHERE id IN (SELECT id FROM t ORDER BY id LIMIT 1)",
        "MARIADB           | SELECT v FROM t WHERE v > 0 ORDER BY id LIMIT 1",
        "H2                | SELECT v FROM t WHERE v > 0 ORDER BY id LIMIT 1",
      })
  void rowsOutsideOfALimitAreNoPhantoms(Dbms dbms, String first, @TempDir Path folder)
      throws Exception {
    assertThat(reported(dbms, folder, "INT", first, "UPDATE t SET v = 21 WHERE id = 2")).isEmpty();
  }

  /** Where no row is found, none is outside. */
  @ParameterizedTest
  @CsvSource({"POSTGRESQL_SYSTEM", "MARIADB", "H2"})
  void aLimitThatNoRowReachesLeavesNoneOut(Dbms dbms, @TempDir Path folder) throws Exception {
    String first = "SELECT v FROM t WHERE v = 21 LIMIT 1";
    assertThat(reported(dbms, folder, "INT", first, "UPDATE t SET v = 21 WHERE id = 2"))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("PHANTOM");
  }

  /** Both rows have the number 1 as their key if it is converted, and both are found. */
  @ParameterizedTest
  @CsvSource("MARIADB")
  void aConvertedKeyIsNotPinned(Dbms dbms, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                dbms,
                folder,
                "VARCHAR(9)",
                "SELECT v FROM t WHERE id = 1 AND v = 10",
                "UPDATE t SET v = 21 WHERE id = '2'"))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("PHANTOM");
  }

  private static List<ReportedAnomaly> reported(
      Dbms dbms, Path folder, String keyType, String first, String second) throws Exception {
    String url = dbms.freshDatabase();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (id " + keyType + " NOT NULL PRIMARY KEY, v INT, w INT)");
      statement.execute("INSERT INTO t VALUES ('1', 10, 0), ('2', 20, 0)");
      if (dbms != Dbms.POSTGRESQL_SYSTEM) {
        Watched.prepare(connection);
      }
    }
    Watched watched =
        new Watched(
            folder,
            Map.of("txwatch.versions", dbms.versions(), "txwatch.instrument", "predicates"));
    try (watched;
        Connection one = watched.connect(url);
        Connection two = watched.connect(url)) {
      for (Connection each : List.of(one, two)) {
        each.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        each.setAutoCommit(false);
      }
      execute(one, first);
      execute(two, second);
      two.commit();
      execute(one, "SELECT v, w FROM t");
      one.commit();
      // MariaDB shows what an UPDATE replaced when the row is next read.
      execute(two, "SELECT * FROM t");
      two.commit();
    }
    return watched.reported();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        try (ResultSet rows = statement.getResultSet()) {
          while (rows.next()) {
            assertThat(rows.getString(1)).isNotEmpty();
          }
        }
      }
    }
  }
}
