package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The keys of rows that a history contains, on each DBMS: {@code table key}. A key that is not sure
 * is not recorded. With PostgreSQL's system columns an integer is the row's id, and needs no
 * record.
 */
class RecordedKeysTest {

  private static final String MAIL = "bob.secret@example.org";
  private static final UUID DEVICE = UUID.fromString("0b0e7c1a-4f0c-4d3e-9a55-6a1f5ce2d0aa");

  @TempDir Path folder = Path.of("");

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  static Stream<ServerKind> kindsWithRowIds() {
    return TestServers.concurrentKinds().filter(kind -> kind != ServerKind.POSTGRESQL);
  }

  /** What an application does. */
  private interface Work {
    void on(Connection connection) throws SQLException;
  }

  /** The last recorded keys of a database whose tables an application uses, in their order. */
  private List<String> keys(ServerKind kind, boolean redacts, List<String> tables, Work work)
      throws Exception {
    return keys(TestServers.freshDatabase(kind), kind, redacts, tables, work);
  }

  private List<String> keys(
      String url, ServerKind kind, boolean redacts, List<String> tables, Work work)
      throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String table : tables) {
        statement.execute(table);
      }
      if (kind != ServerKind.POSTGRESQL) {
        Watched.prepare(connection);
      }
    }
    Watched watched = new Watched(folder, Map.of("txwatch.redact", String.valueOf(redacts)));
    try (watched;
        Connection connection = watched.connect(url)) {
      work.on(connection);
    }
    Map<String, String> keys = new TreeMap<>();
    for (Event event : watched.events()) {
      if (event instanceof Event.RowNamed e && e.key().isEmpty()) {
        keys.keySet().removeIf(row -> row.startsWith(e.table() + " "));
      } else if (event instanceof Event.RowNamed e) {
        String table = e.table().toLowerCase(Locale.ROOT);
        keys.put(e.table() + " " + e.row(), table + " " + e.key());
      }
    }
    return keys.values().stream().sorted().toList();
  }

  private static void query(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        select.setObject(i + 1, values[i]);
      }
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          // to the end
        }
      }
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        try (ResultSet rows = statement.getResultSet()) {
          while (rows.next()) {
            // to the end
          }
        }
      }
    }
  }

  // ---------------------------------------------------------------- numbers

  private static final List<String> ACCOUNTS =
      List.of(
          "CREATE TABLE account (id INTEGER NOT NULL PRIMARY KEY, balance INT)",
          "INSERT INTO account VALUES (41, 100)",
          "INSERT INTO account VALUES (42, 100)",
          "INSERT INTO account VALUES (-7, 100)");

  @ParameterizedTest
  @MethodSource("kindsWithRowIds")
  void integerIsRecordedWhereverTheStatementHasIt(ServerKind kind) throws Exception {
    List<String> one = List.of("account 41");
    Map<String, Work> ways =
        Map.of(
            "parameter", c -> query(c, "SELECT balance FROM account WHERE id = ?", 41),
            "literal", c -> execute(c, "SELECT balance FROM account a WHERE a.id = 41"),
            "select list", c -> execute(c, "SELECT balance, id FROM account WHERE id + 0 = 41"),
            "alias", c -> execute(c, "SELECT id AS n FROM account WHERE id + 0 = 41"));
    for (Map.Entry<String, Work> way : ways.entrySet()) {
      Files.deleteIfExists(folder.resolve("history.txw"));
      assertThat(keys(kind, true, ACCOUNTS, way.getValue())).as(way.getKey()).isEqualTo(one);
    }
  }

  /** The queue of events is bounded, and what does not fit is lost. */
  @ParameterizedTest
  @EnumSource(names = {"H2"})
  void scanOfALargeTableNamesFewRows(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INT)",
            "INSERT INTO account SELECT x, 1 FROM SYSTEM_RANGE(1, 1000)");
    assertThat(keys(kind, true, tables, c -> execute(c, "SELECT id FROM account"))).hasSize(64);
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "H2"})
  void columnsOfAStarAreNames(ServerKind kind) throws Exception {
    assertThat(keys(kind, true, ACCOUNTS, c -> execute(c, "SELECT * FROM account")))
        .containsExactly("account -7", "account 41", "account 42");
  }

  @Test
  void updateThatReturnsItsRowNamesIt() throws Exception {
    Work update =
        c -> {
          c.setAutoCommit(false);
          execute(c, "UPDATE account SET balance = balance + 1 WHERE id = 41");
          c.commit();
        };
    assertThat(keys(ServerKind.H2, true, ACCOUNTS, update)).containsExactly("account 41");
  }

  @ParameterizedTest
  @MethodSource("kindsWithRowIds")
  void bothTablesOfAJoinAreNamed(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE account (id INTEGER NOT NULL PRIMARY KEY, owner INT)",
            "CREATE TABLE person (id INTEGER NOT NULL PRIMARY KEY, n INT)",
            "INSERT INTO account VALUES (41, 7)",
            "INSERT INTO person VALUES (7, 1)");
    Work join =
        c ->
            query(
                c,
                "SELECT a.id, p.n FROM account a LEFT JOIN person p ON p.id = a.owner"
                    + " WHERE p.id = ?",
                7);
    assertThat(keys(kind, true, tables, join)).containsExactly("account 41", "person 7");
  }

  @ParameterizedTest
  @MethodSource("kindsWithRowIds")
  void textThatTheDbmsConvertsToANumberIsNoName(ServerKind kind) throws Exception {
    Work reads =
        c -> {
          try (PreparedStatement select =
              c.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
            select.setString(1, "041");
            select.executeQuery().next();
            select.setDouble(1, 41.0);
            select.executeQuery().next();
          }
          execute(c, "SELECT balance FROM account WHERE id = '041'");
          execute(c, "SELECT balance FROM account WHERE id = 41.0");
        };
    assertThat(keys(kind, true, ACCOUNTS, reads)).isEmpty();
  }

  /** A parameter belongs to the execution, not to the time when its rows are read. */
  @ParameterizedTest
  @MethodSource("kindsWithRowIds")
  void parameterThatIsSetWhileTheResultIsReadIsNoName(ServerKind kind) throws Exception {
    Work work =
        c -> {
          try (PreparedStatement select =
              c.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
            select.setInt(1, 41);
            ResultSet rows = select.executeQuery();
            select.setInt(1, 42);
            assertThat(rows.next()).isTrue();
          }
        };
    assertThat(keys(kind, true, ACCOUNTS, work)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "H2"})
  void numbersKeepTheirScale(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE price (amount DECIMAL(20, 2) NOT NULL PRIMARY KEY, n INT)",
            "INSERT INTO price VALUES (1.50, 1)",
            "INSERT INTO price VALUES (123456789012345678.25, 1)");
    Work work =
        c -> {
          query(c, "SELECT n FROM price WHERE amount = ?", 1.5);
          execute(c, "SELECT amount FROM price");
        };
    assertThat(keys(kind, true, tables, work))
        .containsExactly("price 1.50", "price 123456789012345678.25");
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB"})
  void unsignedNumbersAreNotNegative(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE big (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, n INT)",
            "INSERT INTO big VALUES (18446744073709551615, 1), (5, 1)");
    Work work =
        c -> {
          execute(c, "SELECT id FROM big");
          query(c, "SELECT n FROM big WHERE id = ?", 5);
        };
    assertThat(keys(kind, true, tables, work)).containsExactly("big 18446744073709551615", "big 5");
  }

  // ---------------------------------------------------------------- several columns

  @ParameterizedTest
  @MethodSource("kinds")
  void compositeKeyNamesARowByItsColumnsInTheKeysOrder(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE seat (n INT, no INT NOT NULL, flight INT NOT NULL,"
                + " PRIMARY KEY (flight, no))",
            "INSERT INTO seat VALUES (1, 7, 3)",
            "INSERT INTO seat VALUES (1, 8, 3)",
            "INSERT INTO seat VALUES (1, 9, 4)");
    Work work =
        c -> {
          query(c, "SELECT n FROM seat WHERE no = ? AND flight = 3", 7);
          query(c, "SELECT no, n FROM seat WHERE flight = ? AND no > 7", 3);
          query(c, "SELECT n FROM seat WHERE no = ?", 9);
        };
    assertThat(keys(kind, true, tables, work)).containsExactly("seat (3, 7)", "seat (3, 8)");
  }

  // ---------------------------------------------------------------- UUIDs and text

  private static List<String> customers(String type) {
    return List.of(
        "CREATE TABLE customer (mail " + type + " NOT NULL PRIMARY KEY, n INT)",
        "INSERT INTO customer VALUES ('" + MAIL + "', 1)");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void uuidIsRecordedAsText(ServerKind kind) throws Exception {
    String type = kind == ServerKind.MYSQL ? "CHAR(36)" : "UUID";
    List<String> tables =
        List.of(
            "CREATE TABLE device (id " + type + " NOT NULL PRIMARY KEY, n INT)",
            "INSERT INTO device VALUES ('" + DEVICE + "', 1)");
    boolean hasType = kind == ServerKind.POSTGRESQL || kind == ServerKind.H2;
    String all = "SELECT n FROM device WHERE id = ?";
    Work pinned = c -> query(c, all, hasType ? DEVICE : DEVICE.toString());
    assertThat(keys(kind, true, tables, pinned)).containsExactly("device " + DEVICE);
    Files.delete(folder.resolve("history.txw"));
    Work selected = c -> execute(c, "SELECT n, id FROM device");
    assertThat(keys(kind, true, tables, selected)).containsExactly("device " + DEVICE);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void textIsADigest(ServerKind kind) throws Exception {
    Work work =
        c -> {
          execute(c, "SELECT mail, n FROM customer");
          query(c, "SELECT n FROM customer WHERE mail = ?", MAIL);
          execute(c, "SELECT n, mail FROM customer WHERE mail = '" + MAIL + "'");
          execute(c, "UPDATE customer SET n = 2 WHERE mail = '" + MAIL + "'");
        };
    assertThat(keys(kind, true, customers("VARCHAR(60)"), work))
        .hasSize(1)
        .first()
        .asString()
        .matches("customer #[0-9a-f]{8}");
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
            .doesNotContain("secret")
            .doesNotContain("example.org");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void textIsShownWhereValuesAre(ServerKind kind) throws Exception {
    Work work = c -> execute(c, "SELECT mail, n FROM customer");
    assertThat(keys(kind, false, customers("VARCHAR(60)"), work))
        .containsExactly("customer '" + MAIL + "'");
  }

  /** A key that is text in digits is text: a telephone number. */
  @ParameterizedTest
  @MethodSource("kinds")
  void digitsInTextAreADigest(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE phone (no VARCHAR(20) NOT NULL PRIMARY KEY, n INT)",
            "INSERT INTO phone VALUES ('4915112345678', 1)");
    Work work =
        c -> {
          execute(c, "SELECT no FROM phone");
          query(c, "SELECT n FROM phone WHERE no = ?", "4915112345678");
        };
    assertThat(keys(kind, true, tables, work))
        .hasSize(1)
        .first()
        .asString()
        .matches("phone #[0-9a-f]{8}");
  }

  /** What a condition compares is not the key where letters or trailing blanks do not matter. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "H2"})
  void textThatOnlyComparesEqualIsNoName(ServerKind kind) throws Exception {
    String type =
        switch (kind) {
          case H2 -> "VARCHAR_IGNORECASE(60)";
          default -> "VARCHAR(60)";
        };
    Work work =
        c -> {
          query(c, "SELECT n FROM customer WHERE mail = ?", MAIL.toUpperCase());
          execute(c, "SELECT n FROM customer WHERE mail = '" + MAIL.toUpperCase() + "'");
        };
    assertThat(keys(kind, false, customers(type), work)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void paddingIsNoPartOfAKey(ServerKind kind) throws Exception {
    String type = kind == ServerKind.MARIADB ? "CHAR(9) COLLATE utf8mb4_bin" : "CHAR(9)";
    List<String> tables =
        List.of(
            "CREATE TABLE code (id " + type + " NOT NULL PRIMARY KEY, n INT)",
            "INSERT INTO code VALUES ('ab', 1)");
    Work work =
        c -> {
          query(c, "SELECT n FROM code WHERE id = ?", "ab   ");
          execute(c, "SELECT id FROM code");
        };
    assertThat(keys(kind, false, tables, work)).containsExactly("code 'ab'");
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void dateIsADigestUnlessValuesAreShown(ServerKind kind) throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE booking (id DATE NOT NULL, room INT NOT NULL, PRIMARY KEY (id, room))",
            "INSERT INTO booking VALUES ('2026-11-25', 4)");
    Work work = c -> execute(c, "SELECT id, room FROM booking");
    List<String> redacted = keys(kind, true, tables, work);
    Files.delete(folder.resolve("history.txw"));
    List<String> shown = keys(kind, false, tables, work);
    if (kind == ServerKind.POSTGRESQL) { // its rows are identified by their places
      assertThat(redacted).isEmpty();
    } else {
      assertThat(redacted).first().asString().matches("booking \\(#[0-9a-f]{8}, 4\\)");
      assertThat(shown).containsExactly("booking ('2026-11-25', 4)");
    }
  }

  // ---------------------------------------------------------------- keys that change

  @ParameterizedTest
  @MethodSource("kindsWithRowIds")
  void keyIsWithdrawnWhenItMayHaveChanged(ServerKind kind) throws Exception {
    Work work =
        c -> {
          execute(c, "SELECT balance FROM account WHERE id = 41");
          execute(c, "SELECT balance FROM account WHERE id = 42");
          execute(c, "UPDATE account SET id = 5 WHERE id = 41");
          execute(c, "INSERT INTO account VALUES (41, 7)");
          execute(c, "SELECT balance FROM account WHERE id = 42");
        };
    assertThat(keys(kind, true, ACCOUNTS, work)).containsExactly("account 42");
  }

  @ParameterizedTest
  @MethodSource("kindsWithRowIds")
  void rowThatIsInsertedAgainIsAnotherRowOfTheSameKey(ServerKind kind) throws Exception {
    Work work =
        c -> {
          execute(c, "SELECT balance FROM account WHERE id = 41");
          execute(c, "DELETE FROM account WHERE id = 41");
          execute(c, "INSERT INTO account (id, balance) VALUES (41, 7)");
          execute(c, "SELECT balance FROM account WHERE id = 41");
        };
    assertThat(keys(kind, true, ACCOUNTS, work)).containsExactly("account 41", "account 41");
  }

  @ParameterizedTest
  @EnumSource(names = "MARIADB")
  void tableWhoseTriggerMayChangeKeysHasNoNames(ServerKind kind) throws Exception {
    List<String> tables = new java.util.ArrayList<>(ACCOUNTS);
    tables.add(
        "CREATE TRIGGER moves BEFORE UPDATE ON account FOR EACH ROW SET NEW.id = OLD.id + 100");
    Work work =
        c -> {
          execute(c, "SELECT id, balance FROM account WHERE id = 41");
          execute(c, "UPDATE account SET balance = 1 WHERE id = 41");
        };
    assertThat(keys(kind, true, tables, work)).isEmpty();
  }

  /** A session that is not watched makes the table anew, with its columns in another order. */
  @ParameterizedTest
  @EnumSource(names = {"H2"})
  void starOfAnotherTableThanWasPlannedIsNoName(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    Work work =
        c -> {
          query(c, "SELECT * FROM account WHERE balance > 99");
          try (Connection unwatched = DriverManager.getConnection(url)) {
            execute(unwatched, "DROP TABLE account");
            execute(unwatched, "CREATE TABLE account (balance INT, id INT PRIMARY KEY)");
            execute(unwatched, "INSERT INTO account VALUES (1000, 5)");
            Watched.prepare(unwatched);
          }
          query(c, "SELECT * FROM account WHERE balance > 99");
        };
    assertThat(keys(url, kind, true, ACCOUNTS, work))
        .isSubsetOf("account -7", "account 41", "account 42", "account 5");
  }

  /** SQLite keeps a BLOB in a column of text, and turns it into text when it is read as one. */
  @ParameterizedTest
  @ValueSource(strings = {"TEXT", "VARCHAR(10)", "INTEGER"})
  void applicationReadsAKeyAsItIsStored(String type, @TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.SQLITE);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (k " + type + " NOT NULL, v INT, PRIMARY KEY (k, v))");
      statement.execute("INSERT INTO t VALUES (x'4142', 1), (2.5, 2), (7, 3), ('x', 4)");
      Watched.prepare(connection);
    }
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection raw = DriverManager.getConnection(url);
        Connection connection = watched.connect(url)) {
      assertThat(classes(connection)).isEqualTo(classes(raw)).startsWith(byte[].class);
    }
  }

  private static List<Class<?>> classes(Connection connection) throws SQLException {
    List<Class<?>> classes = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT k, v FROM t ORDER BY v")) {
      while (rows.next()) {
        classes.add(rows.getObject(1).getClass());
      }
    }
    return classes;
  }
}
