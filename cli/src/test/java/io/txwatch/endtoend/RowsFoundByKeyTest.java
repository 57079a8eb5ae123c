package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * T1 chooses rows, T2 changes another row and commits, and T1 reads what T2 wrote, at READ
 * COMMITTED. It is a possible phantom unless a key excludes that T1's statement chose T2's row.
 */
class RowsFoundByKeyTest {

  private static final String KEYED = "UPDATE t SET v = 11 WHERE id = 1 AND v = 10";

  enum Dbms {
    POSTGRESQL,
    MARIADB,
    MYSQL,
    H2;

    private boolean isAvailable() {
      return this != MYSQL || TestServers.missing(ServerKind.MYSQL).isEmpty();
    }

    private String freshDatabase() throws SQLException {
      return switch (this) {
        case POSTGRESQL -> TestServers.freshDatabase(ServerKind.POSTGRESQL);
        case MARIADB -> TestServers.freshDatabase(ServerKind.MARIADB);
        case MYSQL -> TestServers.freshDatabase(ServerKind.MYSQL);
        case H2 -> "jdbc:h2:mem:keys" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
      };
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL", "MARIADB", "H2"})
  void rowsWithOtherKeysAreNoPhantoms(Dbms dbms, @TempDir Path folder) throws Exception {
    assertThat(reported(dbms, folder, "INT", KEYED, "UPDATE t SET v = 21, w = 22 WHERE id = 2"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // T2 gives its row a key, perhaps that of T1's predicate.
        "MARIADB    | UPDATE t SET v = 11 WHERE id = 1 AND v = 10 | id = 3, v = 21",
        "H2         | UPDATE t SET v = 11 WHERE id = 1 AND v = 10 | id = 3, v = 21",
        // The key is not pinned.
        "POSTGRESQL | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "MARIADB    | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "H2         | SELECT v FROM t WHERE id < 2 AND v > 0      | v = 21",
        "POSTGRESQL | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
        "MARIADB    | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
        "H2         | SELECT v FROM t WHERE id = 1 OR v = 21      | v = 21",
      })
  void rowsThatThePredicateMayChooseArePossiblePhantoms(
      Dbms dbms, String first, String assigned, @TempDir Path folder) throws Exception {
    assertThat(reported(dbms, folder, "INT", first, "UPDATE t SET " + assigned + " WHERE id = 2"))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("PHANTOM");
  }

  /** With PostgreSQL's system columns a row with another key is another row, whose key is known. */
  @Test
  void aRowWithAnotherKeyIsAPhantomOfThatKeyAlone(@TempDir Path folder) throws Exception {
    String write = "UPDATE t SET id = 3, v = 21 WHERE id = 2";
    Path other = Files.createDirectory(folder.resolve("other"));
    assertThat(reported(Dbms.POSTGRESQL, other, "INT", KEYED, write)).isEmpty();
    assertThat(reported(Dbms.POSTGRESQL, folder, "INT", "SELECT v FROM t WHERE id = 3", write))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("PHANTOM");
  }

  /** A row outside of a LIMIT is not chosen, whatever its columns contain. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POSTGRESQL | SELECT v FROM t WHERE v > 0 ORDER BY id LIMIT 1",
        "POSTGRESQL | SELECT v FROM t WHERE v > 0 ORDER BY id FETCH FIRST ROW ONLY",
        "POSTGRESQL | UPDATE t SET w = 1 WHERE id IN (SELECT id FROM t ORDER BY id LIMIT 1)",
        "MARIADB    | SELECT v FROM t WHERE v > 0 ORDER BY id LIMIT 1",
        "H2         | SELECT v FROM t WHERE v > 0 ORDER BY id LIMIT 1",
      })
  void rowsOutsideOfALimitAreNoPhantoms(Dbms dbms, String first, @TempDir Path folder)
      throws Exception {
    assertThat(reported(dbms, folder, "INT", first, "UPDATE t SET v = 21 WHERE id = 2")).isEmpty();
  }

  /** Where no row is found, none is outside. */
  @ParameterizedTest
  @CsvSource({"POSTGRESQL", "MARIADB", "H2"})
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

  /** What T1 looks for is not there, and T2 writes rows with other keys. */
  private static final List<List<String>> OTHER_KEYS =
      List.of(
          List.of("SELECT v FROM t WHERE id = 3", "INSERT INTO t VALUES (4, 40, 0)"),
          List.of("SELECT v FROM t WHERE id = 3", "INSERT INTO t (v, id) VALUES (3, 4), (3, 5)"),
          List.of("SELECT v FROM t WHERE id = 3", "DELETE FROM t WHERE id = 2"),
          List.of(
              "SELECT v FROM t WHERE id = 3 AND v = 30", "UPDATE t SET v = 30, w = 1 WHERE id = 2"),
          List.of("SELECT v FROM t WHERE id IN (3, 5)", "INSERT INTO t VALUES (4, 40, 0)"),
          List.of("SELECT v FROM t WHERE id IN (1, 3)", "INSERT INTO t VALUES (4, 40, 0)"),
          List.of("UPDATE t SET v = 1 WHERE id = 3", "INSERT INTO t VALUES (4, 40, 0)"),
          List.of(
              "UPDATE t SET v = 1 WHERE id = 1 AND v = 7",
              "UPDATE t SET v = 7 WHERE id = 2 AND v = 20"),
          List.of("DELETE FROM t WHERE id = 3 AND v = 21", "UPDATE t SET v = 21 WHERE id = 2"),
          List.of("DELETE FROM t WHERE id = 3", "DELETE FROM t WHERE id IN (2, 4)"));

  /** What T1 looks for is not there, and T2 writes a row that has, or may have, that key. */
  private static final List<List<String>> SAME_KEYS =
      List.of(
          List.of("SELECT v FROM t WHERE id = 3", "INSERT INTO t VALUES (3, 40, 0)"),
          List.of("SELECT v FROM t WHERE id = 3", "INSERT INTO t VALUES (4, 3, 0), (3, 4, 0)"),
          List.of("SELECT v FROM t WHERE id = 3", "INSERT INTO t VALUES (1 + 2, 3, 0)"),
          List.of(
              "SELECT v FROM t WHERE id = 3",
              "INSERT INTO t SELECT id + 1, v, w FROM t WHERE id = 2"),
          List.of("SELECT v FROM t WHERE id = 3", "UPDATE t SET id = 3 WHERE id = 2"),
          List.of("SELECT v FROM t WHERE id IN (3, 5)", "INSERT INTO t VALUES (5, 40, 0)"),
          List.of("SELECT v FROM t WHERE id = 3 OR v = 40", "INSERT INTO t VALUES (4, 40, 0)"),
          List.of("SELECT v FROM t WHERE NOT (id = 1) AND v = 5", "INSERT INTO t VALUES (4, 5, 0)"),
          List.of("SELECT v FROM t WHERE id = 1 + 2", "INSERT INTO t VALUES (3, 5, 0)"),
          List.of("SELECT v FROM t WHERE id = 2 AND v = 21", "UPDATE t SET v = 21 WHERE v = 20"),
          List.of("UPDATE t SET v = 1 WHERE id = 3", "INSERT INTO t VALUES (3, 40, 0)"),
          List.of(
              "DELETE FROM t WHERE id = 2 AND v = 21",
              "UPDATE t SET v = 21 WHERE id = 2 AND v = 20"),
          List.of("UPDATE t SET id = 5 WHERE id = 3", "INSERT INTO t VALUES (3, 40, 0)"));

  @ParameterizedTest
  @EnumSource
  void keysThatAreNotFoundDependOnThatKeyAlone(Dbms dbms, @TempDir Path folder) throws Exception {
    assumeTrue(dbms.isAvailable());
    List<List<String>> cases = new ArrayList<>(OTHER_KEYS);
    cases.addAll(SAME_KEYS);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < SAME_KEYS.size(); i++) {
      expected.add("PHANTOM t" + (OTHER_KEYS.size() + i));
    }
    assertThat(reported(dbms, folder, "INT", cases))
        .extracting(
            found ->
                found.phenomenon() + " " + found.cycle().get(0).table().toLowerCase(Locale.ROOT))
        .containsExactlyElementsOf(expected);
  }

  /** 300 is stored as 127, the greatest TINYINT. */
  @ParameterizedTest
  @CsvSource({"MARIADB", "MYSQL"})
  void aKeyThatTheSessionMakesFitIsNotKnown(Dbms dbms, @TempDir Path folder) throws Exception {
    assumeTrue(dbms.isAvailable());
    String read = "SELECT v FROM t WHERE id = 127";
    String write = "INSERT INTO t VALUES (300, 40, 0)";
    assertThat(
            reported(dbms, folder, "TINYINT", List.of(List.of(read, "SET sql_mode = ''", write))))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("PHANTOM");
  }

  private static List<ReportedAnomaly> reported(
      Dbms dbms, Path folder, String keyType, String first, String second) throws Exception {
    return reported(dbms, folder, keyType, List.of(List.of(first, second)));
  }

  /** Each case, the statements of T1 and of T2, has a table of its own. */
  private static List<ReportedAnomaly> reported(
      Dbms dbms, Path folder, String keyType, List<List<String>> cases) throws Exception {
    String url = dbms.freshDatabase();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < cases.size(); i++) {
        statement.execute(
            "CREATE TABLE t%d (id %s NOT NULL PRIMARY KEY, v INT, w INT)".formatted(i, keyType));
        statement.execute("INSERT INTO t%d VALUES ('1', 10, 0), ('2', 20, 0)".formatted(i));
      }
      Watched.prepare(connection);
    }
    Watched watched = new Watched(folder, Map.of("txwatch.instrument", "predicates"));
    try (watched;
        Connection one = watched.connect(url);
        Connection two = watched.connect(url)) {
      for (Connection each : List.of(one, two)) {
        each.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        each.setAutoCommit(false);
      }
      for (int i = 0; i < cases.size(); i++) {
        String table = " t" + i + " ";
        execute(one, cases.get(i).get(0).replace(" t ", table));
        for (String sql : cases.get(i).subList(1, cases.get(i).size())) {
          execute(two, sql.replace(" t ", table));
        }
        two.commit();
        execute(one, "SELECT v, w FROM" + table);
        one.commit();
        // MariaDB shows what an UPDATE replaced when the row is next read.
        execute(two, "SELECT * FROM" + table);
        two.commit();
      }
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
