package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * MySQL and MariaDB do not return the rows that an UPDATE wrote. What the transaction has read by
 * the same key before is recorded all the same, and nothing else is.
 */
class TargetsTest {

  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MARIADB || kind == ServerKind.MYSQL);
  }

  private static TestDatabase bank(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "CREATE TABLE tag (name VARCHAR(20) PRIMARY KEY, n INT)",
        "CREATE TABLE seat (r INT, s BIGINT, taken INT, PRIMARY KEY (r, s))",
        "CREATE TABLE member (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, n INT)",
        "INSERT INTO member VALUES (1, 'a', 0), (2, 'b', 0)",
        "CREATE TABLE log (id INT PRIMARY KEY AUTO_INCREMENT, line INT)",
        "INSERT INTO account VALUES (1, 10), (2, 20), (3, 30)",
        "INSERT INTO tag VALUES ('a', 0), ('b', 0)",
        "INSERT INTO seat VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0)");
  }

  /** A statement: its text, then its parameters. */
  private static void send(Connection connection, String sql, Object... values)
      throws SQLException {
    if (values.length == 0) {
      try (Statement statement = connection.createStatement()) {
        drain(statement, statement.execute(sql));
      }
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      drain(statement, statement.execute());
    }
  }

  private static void drain(Statement statement, boolean result) throws SQLException {
    if (result) {
      try (var rows = statement.getResultSet()) {
        while (rows.next()) {
          rows.getObject(1);
        }
      }
    }
  }

  /** Which rows each statement read and was to write: {@code r17} and {@code t17}. */
  private static List<String> recorded(TestDatabase database) {
    List<String> recorded = new ArrayList<>();
    List<Long> rows = new ArrayList<>();
    for (Event.StatementExecuted statement : database.statements()) {
      for (RowAccess access : statement.rows()) {
        if (!rows.contains(access.row())) {
          rows.add(access.row());
        }
        String what =
            access.access() == Access.TARGET ? "t" : access.access().name().substring(0, 1);
        recorded.add(what.toLowerCase(java.util.Locale.ROOT) + rows.indexOf(access.row()));
        if (access.access() == Access.TARGET) {
          assertThat(access.certain()).isFalse();
          assertThat(access.writers().complete()).isFalse();
          assertThat(access.writers().transaction(0)).isEqualTo(statement.transaction());
          assertThat(access.writers().statement(0)).isEqualTo(statement.statement());
          assertThat(statement.writesSeen()).isTrue();
        }
      }
    }
    return recorded;
  }

  private interface Work {
    void run(Connection connection) throws SQLException;
  }

  /** What is recorded of one transaction. */
  private static List<String> recordedBy(ServerKind kind, Work work) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched()) {
      connection.setAutoCommit(false);
      work.run(connection);
      connection.commit();
    }
    return recorded(bank);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void rowReadByItsKeyIsATarget(ServerKind kind) throws SQLException {
    String read = "SELECT balance FROM account WHERE id = ";
    String write = "UPDATE account SET balance = 11 WHERE id = ";
    for (Object one : new Object[] {1, 1L, (short) 1}) {
      assertThat(
              recordedBy(
                  kind,
                  c -> {
                    send(c, read + "?", one);
                    send(c, read + "?", 2);
                    send(c, write + "1");
                    send(c, write + "?", 1);
                    send(c, write + "2 AND balance > 0");
                  }))
          .containsExactly("r0", "r1", "t0", "t0", "t1");
    }
    assertThat(
            recordedBy(
                kind,
                c -> {
                  send(c, "SELECT * FROM seat WHERE r = 1 AND s = ?", 2);
                  send(c, "UPDATE seat SET taken = 1 WHERE s = 2 AND r = ?", 1);
                  send(c, "UPDATE seat SET taken = 1 WHERE s = 1 AND r = 2");
                  send(c, "SELECT n FROM tag WHERE name = 'a' FOR UPDATE");
                  send(c, "UPDATE tag SET n = n + 1 WHERE name = ?", "a");
                }))
        .containsExactly("r0", "t0", "r1", "t1");
  }

  /** Mappers of objects assign all columns, unique ones too. */
  @ParameterizedTest
  @MethodSource("kinds")
  void updateThatAssignsAnotherKeyIsATargetByTheKeyThatItKeeps(ServerKind kind)
      throws SQLException {
    assertThat(
            recordedBy(
                kind,
                c -> {
                  send(c, "SELECT * FROM member WHERE id = ?", 1);
                  send(c, "UPDATE member SET name = ?, n = ? WHERE id = ?", "a", 1, 1);
                  send(c, "UPDATE member SET name = ?, n = ? WHERE id = ?", "a", 2, 1);
                }))
        .containsExactly("r0", "t0", "t0");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void afterAnotherKeyWasAssignedNoRowIsKnownByIt(ServerKind kind) throws SQLException {
    assertThat(
            recordedBy(
                kind,
                c -> {
                  send(c, "SELECT * FROM member WHERE id = 1");
                  send(c, "SELECT * FROM member WHERE name = 'a'");
                  send(c, "UPDATE member SET n = 1 WHERE name = 'a'");
                  send(c, "UPDATE member SET name = 'c' WHERE id = 1");
                  send(c, "UPDATE member SET name = 'a' WHERE id = 2");
                  send(c, "UPDATE member SET n = 2 WHERE name = 'a'"); // which is row 2 now
                  send(c, "UPDATE member SET n = 2 WHERE id = 1");
                }))
        .containsExactly("r0", "r0", "t0", "t0", "t0");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void inBatches(ServerKind kind) throws SQLException {
    assertThat(
            recordedBy(
                kind,
                c -> {
                  send(c, "SELECT * FROM account WHERE id = 1");
                  send(c, "SELECT * FROM account WHERE id = 2");
                  try (Statement statement = c.createStatement()) {
                    statement.addBatch("UPDATE account SET balance = 1 WHERE id = 2");
                    statement.addBatch("UPDATE account SET balance = 1 WHERE id = 3");
                    statement.addBatch("UPDATE account SET balance = 1 WHERE id = 1");
                    assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
                  }
                }))
        .containsExactly("r0", "r1", "t1", "t0");
    if (kind == ServerKind.MYSQL) { // MariaDB's driver does not count the items of a bulk
      assertThat(
              recordedBy(
                  kind,
                  c -> {
                    send(c, "SELECT * FROM account WHERE id = 1");
                    send(c, "SELECT * FROM account WHERE id = 2");
                    try (PreparedStatement statement =
                        c.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
                      for (int id = 3; id > 0; id--) {
                        statement.setInt(1, 5);
                        statement.setInt(2, id);
                        statement.addBatch();
                      }
                      assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
                    }
                  }))
          .containsExactly("r0", "r1", "t1", "t0");
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void rowLockedByAnUpdateWithoutChangeIsATarget(ServerKind kind) throws SQLException {
    for (int level :
        new int[] {
          Connection.TRANSACTION_READ_UNCOMMITTED,
          Connection.TRANSACTION_READ_COMMITTED,
          Connection.TRANSACTION_REPEATABLE_READ
        }) {
      TestDatabase bank = bank(kind);
      try (Connection connection = bank.watched();
          Connection other = bank.raw()) {
        connection.setTransactionIsolation(level);
        connection.setAutoCommit(false);
        other.setAutoCommit(false);
        send(connection, "SELECT * FROM account WHERE id = 1");
        Savepoint before = connection.setSavepoint();
        send(connection, "UPDATE account SET balance = 10 WHERE id = 1");
        assertThat(recorded(bank)).containsExactly("r0", "t0");
        // The argument of the analyzer's KeyedWrites rests on these.
        String lock = "SELECT * FROM account WHERE id = 1 FOR UPDATE NOWAIT";
        assertThatThrownBy(() -> send(other, lock)).isInstanceOf(SQLException.class);
        connection.rollback(before);
        assertThatThrownBy(() -> send(other, lock)).isInstanceOf(SQLException.class);
        connection.commit();
        send(other, lock);
        other.rollback();
      }
    }
  }

  private record Case(String name, Work work) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final String READ = "SELECT * FROM account WHERE id = 1";
  private static final String WRITE = "UPDATE account SET balance = 11 WHERE id = 1";

  private static final List<Case> NOT_RECOGNIZED =
      List.of(
          new Case("not read", c -> send(c, WRITE)),
          new Case(
              "read by another transaction",
              c -> {
                send(c, READ);
                c.commit();
                send(c, WRITE);
              }),
          new Case(
              "not found",
              c -> {
                send(c, READ);
                send(c, WRITE + " AND balance = 99");
              }),
          new Case(
              "under autocommit",
              c -> {
                c.setAutoCommit(true);
                send(c, READ);
                send(c, WRITE);
                c.setAutoCommit(false);
              }),
          new Case(
              "another key",
              c -> {
                send(c, READ);
                send(c, "UPDATE account SET balance = 11 WHERE id = 2");
              }),
          new Case(
              "another type",
              c -> {
                send(c, READ);
                send(c, "UPDATE account SET balance = 11 WHERE id = ?", "1");
              }),
          new Case(
              "several rows",
              c -> {
                send(c, READ);
                send(c, "UPDATE account SET balance = 11 WHERE id = 1 OR id = 2");
              }),
          new Case(
              "the key itself is assigned",
              c -> {
                send(c, READ);
                send(c, "UPDATE account SET id = 7 WHERE id = 1");
              }),
          new Case(
              "a row took another's place",
              c -> {
                send(c, READ);
                send(c, "UPDATE account SET id = 7 WHERE id = 1");
                send(c, "UPDATE account SET id = 1 WHERE id = 2");
                send(c, WRITE);
              }),
          new Case(
              "it was inserted anew",
              c -> {
                send(c, READ);
                try (Statement statement = c.createStatement()) {
                  statement.executeUpdate("REPLACE INTO account VALUES (1, 5)");
                }
                send(c, WRITE);
              }),
          new Case(
              "parameters were cleared",
              c -> {
                send(c, READ);
                try (PreparedStatement statement =
                    c.prepareStatement("UPDATE account SET balance = 1 WHERE id = ?")) {
                  statement.setInt(1, 1);
                  statement.setNull(1, java.sql.Types.INTEGER);
                  assertThat(statement.executeUpdate()).isZero();
                }
              }));

  static Stream<Arguments> unrecorded() {
    return kinds().flatMap(kind -> NOT_RECOGNIZED.stream().map(one -> Arguments.of(kind, one)));
  }

  @ParameterizedTest
  @MethodSource("unrecorded")
  void nothingElse(ServerKind kind, Case unrecorded) throws SQLException {
    assertThat(recordedBy(kind, unrecorded.work())).noneMatch(recorded -> recorded.startsWith("t"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void otherTablesMayBeWrittenInBetween(ServerKind kind) throws SQLException {
    assertThat(
            recordedBy(
                kind,
                c -> {
                  send(c, READ);
                  send(c, "UPDATE tag SET n = 5 WHERE name > 'a'");
                  send(c, "INSERT INTO log (line) VALUES (1)");
                  send(c, WRITE);
                }))
        .contains("r0", "t0");
  }

  /** Where unchanged rows are not counted, nothing shows that the row was found. */
  @ParameterizedTest
  @MethodSource("kinds")
  void unchangedRowsAreNotCountedWithAffectedRows(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    String url = bank.url + "&useAffectedRows=true";
    try (Connection connection = bank.watched(DriverManager.getConnection(url))) {
      connection.setAutoCommit(false);
      send(connection, READ);
      send(connection, "UPDATE account SET balance = 10 WHERE id = 1");
      send(connection, WRITE);
      connection.commit();
    }
    assertThat(recorded(bank)).containsExactly("r0", "t0");
  }
}
