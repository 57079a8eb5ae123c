package io.txwatch.jdbc;

import static io.txwatch.jdbc.LockedRowsTest.readAll;
import static io.txwatch.jdbc.LockedRowsTest.send;
import static io.txwatch.jdbc.RowsWrittenAnewTest.ofEach;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * MySQL and MariaDB: a row that its transaction has locked is given its list of writers as a whole,
 * and told of. Whatever is known, what stands in the row afterwards is what stood there before,
 * with the writer behind it.
 */
class HeldRowsTest {

  private static final String LOCK = "SELECT n FROM t WHERE id = 1 FOR UPDATE";
  private static final String WRITE = "UPDATE t SET n = n + 1 WHERE id = 1";
  private static final long SEED = 20261123;

  private static final String[] SETUP = {
    "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9) NOT NULL UNIQUE, n INT NOT NULL, m INT)",
    "INSERT INTO t (id, name, n) VALUES (1, 'n1', 0), (2, 'n2', 0), (3, 'n3', 0), (4, 'n4', 0)",
    "CREATE TABLE plain (id INT PRIMARY KEY, n INT)",
    "INSERT INTO plain VALUES (1, 1)",
    "CREATE FUNCTION swap() RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN"
        + " UPDATE t SET id = 9 WHERE id = 1; UPDATE t SET id = 1 WHERE id = 2;"
        + " UPDATE t SET id = 2 WHERE id = 9; RETURN 1; END",
    "CREATE VIEW swapping AS SELECT swap()",
    "CREATE PROCEDURE swaps() SET @swapped = swap()",
    "CREATE PROCEDURE ends() COMMIT",
    "CREATE TABLE inserted (id INT PRIMARY KEY, n INT)",
    "CREATE TRIGGER i AFTER INSERT ON inserted FOR EACH ROW SET @swapped = swap()",
    "CREATE TABLE updated (id INT PRIMARY KEY, n INT)",
    "INSERT INTO updated VALUES (1, 1)",
    "CREATE TABLE parent (id INT PRIMARY KEY, c INT UNIQUE, n INT NOT NULL)",
    "CREATE TABLE child (id INT PRIMARY KEY, n INT NOT NULL,"
        + " FOREIGN KEY (id) REFERENCES parent (c) ON UPDATE CASCADE)",
    "INSERT INTO parent VALUES (1, 1, 1), (2, 2, 2)",
    "INSERT INTO child VALUES (1, 1), (2, 2)",
  };

  /** After the tables were prepared: it would refuse them, or fire. */
  private static final String[] TRIGGERS = {
    "CREATE TRIGGER u AFTER UPDATE ON updated FOR EACH ROW SET @swapped = swap()",
  };

  /** A session, its own raw connection, and another session. */
  private static final class Session implements AutoCloseable {
    final TestDatabase database;
    final Connection raw;
    final Connection watched;
    final Connection other;

    Session(ServerKind kind, String options) throws SQLException {
      database = TestDatabase.of(kind, SETUP);
      try (Connection setup = database.raw()) {
        TestDatabase.execute(setup, TRIGGERS);
      }
      raw = DriverManager.getConnection(database.url + options);
      watched = database.watched(raw);
      other = database.watched();
      watched.setAutoCommit(false);
    }

    /** The writers of each row of a table, by its id, as the transaction would write them. */
    Map<Long, String> writers(String table) throws SQLException {
      Map<Long, String> writers = new HashMap<>();
      try (Statement statement = raw.createStatement();
          ResultSet rows =
              statement.executeQuery("SELECT txw_rid, txw_wl FROM " + table + " FOR UPDATE")) {
        while (rows.next()) {
          writers.put(rows.getLong(1), rows.getString(2));
        }
      }
      return writers;
    }

    @Override
    public void close() throws SQLException {
      watched.close();
      other.close();
    }
  }

  /** Something that is done in a session. */
  private interface Step {
    void run(Session session) throws SQLException;
  }

  private static Step doing(String... texts) {
    return session -> {
      for (String text : texts) {
        send(session.watched, text);
      }
    };
  }

  private static Step prepared(String sql, Object... values) {
    return session -> LockedRowsTest.prepared(session.watched, sql, values);
  }

  private static final String ADD = "UPDATE t SET m = ?, n = n + 1 WHERE id = ?";

  private static void item(PreparedStatement update, int id) throws SQLException {
    update.setInt(1, 1 + id);
    update.setInt(2, id);
    update.addBatch();
  }

  private static Step batch(int... ids) {
    return session -> {
      try (PreparedStatement update = session.watched.prepareStatement(ADD)) {
        for (int id : ids) {
          item(update, id);
        }
        update.executeBatch();
      }
    };
  }

  /** Does it, which writes, and gives the rows that were told of. */
  private static List<RowAccess> toldOf(Session session, String table, Step write)
      throws SQLException {
    Map<Long, String> before = session.writers(table);
    int known = session.database.statements().size();
    write.run(session);
    assertThat(session.writers(table)).isNotEqualTo(before);
    return checked(session, table, before, known);
  }

  /**
   * Checks that each statement has appended its writer to what stood in a row, if it has written
   * it, and gives the rows that were told of.
   *
   * @param known how many statements there were before
   */
  private static List<RowAccess> checked(
      Session session, String table, Map<Long, String> before, int known) throws SQLException {
    Map<Long, String> after = session.writers(table);
    Map<Long, String> expected = new HashMap<>(before);
    expected.keySet().retainAll(after.keySet());
    List<Event.StatementExecuted> statements = session.database.statements();
    List<RowAccess> told = new ArrayList<>();
    for (Event.StatementExecuted statement : statements.subList(known, statements.size())) {
      String token = WriterToken.of(statement.transaction(), statement.statement());
      after.forEach(
          (row, writers) -> {
            if (writers.contains(token)) {
              expected.merge(row, token, WriterList::append);
            }
          });
      for (RowAccess row : statement.rows()) {
        if (row.access() == Access.UPDATE) {
          assertThat(row.certain()).isTrue();
          String stands = expected.getOrDefault(row.row(), "");
          assertThat(row.writers()).isEqualTo(WriterList.ofColumn(stands));
          told.add(row);
        }
      }
    }
    assertThat(after).isEqualTo(expected);
    return told;
  }

  static Stream<Arguments> known() {
    return ofEach(
        Stream.of(
            Arguments.of("locked", doing(LOCK), doing(WRITE)),
            Arguments.of("locked", doing(LOCK + " NOWAIT"), doing(WRITE + " AND n >= 0")),
            Arguments.of(
                "locked, prepared",
                prepared("SELECT n FROM t WHERE id = ? FOR UPDATE", 1L),
                prepared(ADD, 5, 1)),
            Arguments.of(
                "locked by its other key",
                doing("SELECT * FROM t WHERE name = 'n1' FOR UPDATE"),
                prepared("UPDATE t SET n = n - 1, m = ? WHERE name = ?", 5, "n1")),
            Arguments.of("written before", doing(LOCK, WRITE, WRITE), doing(WRITE)),
            Arguments.of(
                "other tables written since",
                doing(LOCK, "INSERT INTO plain VALUES (2, 2)", "UPDATE plain SET n = n + 1"),
                doing(WRITE)),
            Arguments.of(
                "read once more",
                doing(LOCK, "SELECT n FROM t WHERE id = 1", "SELECT * FROM plain WHERE n > 0"),
                doing(WRITE)),
            Arguments.of(
                "a savepoint set, and not gone back to",
                (Step)
                    session -> {
                      send(session.watched, LOCK);
                      session.watched.releaseSavepoint(session.watched.setSavepoint());
                    },
                doing(WRITE)),
            Arguments.of("an item of a batch", doing(LOCK), batch(1)),
            Arguments.of("an item of a plain batch", doing(LOCK), plainBatch(WRITE)),
            Arguments.of(
                "items of a batch", doing("SELECT n FROM t WHERE id = 2 FOR UPDATE"), batch(2)),
            Arguments.of("a row twice in a batch", doing(LOCK), batch(1, 1)),
            Arguments.of("a batch is pending", doing(LOCK), pendingBatch())));
  }

  private static Step plainBatch(String... texts) {
    return session -> {
      try (Statement statement = session.watched.createStatement()) {
        for (String text : texts) {
          statement.addBatch(text);
        }
        statement.executeBatch();
      }
    };
  }

  /** By the same statement. */
  private static Step pendingBatch() {
    return session -> {
      try (PreparedStatement update = session.watched.prepareStatement(ADD)) {
        item(update, 1);
        assertThat(update.executeUpdate()).isOne();
        update.executeBatch();
      }
    };
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("known")
  void areToldOf(ServerKind kind, String why, Step before, Step write) throws SQLException {
    try (Session session = new Session(kind, "")) {
      for (int i = 0; i < 3; i++) { // what was learnt by it must not change what is told
        before.run(session);
        assertThat(toldOf(session, "t", write)).isNotEmpty();
        session.watched.rollback();
      }
    }
  }

  private static Step rollingBack(String... texts) {
    return session -> {
      Savepoint savepoint = session.watched.setSavepoint();
      doing(texts).run(session);
      session.watched.rollback(savepoint);
    };
  }

  private static Step failing() {
    return session -> {
      send(session.watched, LOCK);
      try {
        send(session.watched, "INSERT INTO plain VALUES (1, 1)");
      } catch (SQLException expected) {
        assertThat(expected.getSQLState()).isEqualTo("23000");
      }
    };
  }

  private static Step readLate() {
    return session -> {
      try (PreparedStatement lock = session.watched.prepareStatement(LOCK)) {
        ResultSet rows = lock.executeQuery();
        send(session.watched, "UPDATE t SET n = n + 1 WHERE n >= 0");
        readAll(rows);
      }
    };
  }

  private static Step throughResult() {
    return session -> {
      send(session.watched, LOCK);
      try (Statement statement =
              session.watched.createStatement(
                  ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
          ResultSet rows = statement.executeQuery("SELECT id, n FROM plain")) {
        rows.next();
        rows.updateInt(2, 5);
        rows.updateRow();
      }
    };
  }

  /** A procedure ends the transaction, which is no more known of then, and another writes. */
  private static Step endedUnheard() {
    return session -> {
      session.watched.setAutoCommit(true);
      doing("BEGIN", "CALL ends()", LOCK).run(session);
      send(session.other, WRITE);
    };
  }

  private static Step written(String sql) {
    return session -> {
      try (PreparedStatement update = session.watched.prepareStatement(ADD)) {
        item(update, 1);
        send(session.watched, sql);
        update.executeBatch();
      }
    };
  }

  private static Step otherWhilePending() {
    return session -> {
      try (PreparedStatement update = session.watched.prepareStatement(ADD)) {
        item(update, 1);
        update.setInt(2, 2);
        assertThat(update.executeUpdate()).isOne();
        assertThat(update.executeBatch()).containsExactly(1);
      }
    };
  }

  static Stream<Arguments> notKnown() {
    Step write = doing(WRITE);
    return ofEach(
        Stream.of(
            Arguments.of("nothing read", doing(), write),
            Arguments.of("read, not locked", doing("SELECT n FROM t WHERE id = 1"), write),
            Arguments.of(
                "locked in part", doing(LOCK.replace("FOR UPDATE", "LOCK IN SHARE MODE")), write),
            Arguments.of("another row", doing(LOCK.replace("1", "2")), write),
            Arguments.of("another transaction", doing(LOCK, "COMMIT"), write),
            Arguments.of("another transaction", doing(LOCK, "ROLLBACK"), write),
            Arguments.of( // whose first statement is watched: DDL has every table looked up anew
                "another transaction",
                doing(LOCK, "CREATE TABLE d (i INT)", "SELECT n FROM t WHERE id = 1"),
                write),
            Arguments.of("locked since a savepoint", rollingBack(LOCK), write),
            Arguments.of("locked since", doing("SAVEPOINT s", LOCK, "ROLLBACK TO s"), write),
            Arguments.of("write gone", rollingBack(LOCK, WRITE), write),
            Arguments.of("a statement failed", failing(), write),
            Arguments.of("written otherwise since", doing(LOCK, "UPDATE t SET n = n + 2"), write),
            Arguments.of(
                "perhaps written since", doing(LOCK, "UPDATE t SET n = 2 WHERE id = 1"), write),
            Arguments.of(
                "written by its other key since",
                doing(LOCK, "UPDATE t SET n = n + 1 WHERE name = 'n1'"),
                write),
            Arguments.of(
                "written in other letters since",
                doing(
                    "SELECT n FROM t WHERE name = 'n1' FOR UPDATE",
                    "UPDATE t SET n = n + 1 WHERE name = 'N1'"),
                doing("UPDATE t SET n = n + 1 WHERE name = 'n1'")),
            Arguments.of("written while it was read", readLate(), write),
            Arguments.of("written through a result", throughResult(), write),
            Arguments.of("keys moved", doing(LOCK, "SELECT swap()"), write),
            Arguments.of("keys moved", doing(LOCK, "SELECT * FROM swapping"), write),
            Arguments.of("keys moved", doing(LOCK, "SELECT swap() UNION SELECT 2"), write),
            Arguments.of("keys moved", doing(LOCK, "DO swap()"), write),
            Arguments.of("keys moved", doing(LOCK, "SET @a = swap()"), write),
            Arguments.of("keys moved", doing(LOCK, "CALL swaps()"), write),
            Arguments.of("keys moved", doing(LOCK, "SELECT n FROM plain WHERE id = swap()"), write),
            Arguments.of(
                "keys moved", doing(LOCK, "UPDATE plain SET n = swap() WHERE id = 1"), write),
            Arguments.of("keys moved", doing(LOCK, "INSERT INTO inserted VALUES (1, 1)"), write),
            Arguments.of("keys moved", doing(LOCK, "UPDATE updated SET n = n + 1"), write),
            Arguments.of(
                "keys moved", doing(LOCK, "UPDATE updated SET n = n + 1 WHERE id = 1"), write),
            Arguments.of(
                "keys moved",
                doing(
                    LOCK,
                    "UPDATE t SET id = 9 WHERE id = 1",
                    "UPDATE t SET id = 1 WHERE id = 2",
                    "UPDATE t SET id = 2 WHERE id = 9"),
                write),
            Arguments.of(
                "keys moved",
                doing(LOCK, "DELETE FROM t WHERE id = 1", "UPDATE t SET id = 1 WHERE id = 2"),
                write),
            Arguments.of("keys moved", doing(LOCK, "REPLACE INTO t VALUES (1, 'n1', 7, 7)"), write),
            Arguments.of(
                "written by an upsert",
                doing(
                    LOCK, "INSERT INTO t VALUES (1, 'x', 7, 7) ON DUPLICATE KEY UPDATE n = n + 1"),
                write),
            Arguments.of("written before the batch is sent", doing(LOCK), written(WRITE)),
            Arguments.of(
                "written before the batch is sent", doing(LOCK), written("UPDATE t SET n = n + 1")),
            Arguments.of("keys moved before the batch is sent", doing(LOCK), written("DO swap()")),
            Arguments.of("one of a batch is not locked", doing(LOCK), batch(1, 2)),
            Arguments.of("another row while a batch is pending", doing(LOCK), otherWhilePending()),
            Arguments.of("ended unheard", endedUnheard(), write),
            Arguments.of(
                "other names for tables",
                (Step)
                    session -> {
                      send(session.watched, LOCK);
                      session.watched.setCatalog(session.watched.getCatalog());
                    },
                write),
            Arguments.of(
                "the driver's own connection",
                (Step)
                    session -> {
                      assertThat(session.watched.unwrap(session.raw.getClass())).isNotNull();
                      send(session.watched, LOCK);
                    },
                write)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("notKnown")
  void elseTheirWriterIsAppended(ServerKind kind, String why, Step before, Step write)
      throws SQLException {
    try (Session session = new Session(kind, "")) {
      // It is usually held: what was learnt by that must not be taken for granted.
      doing(LOCK, WRITE, "COMMIT").run(session);
      before.run(session);
      toldOf(session, "t", write);
    }
  }

  /** The keys of rows move where the columns change that a foreign key refers to. */
  @ParameterizedTest
  @MethodSource("io.txwatch.jdbc.UnchangedRowsTest#kinds")
  void actionsOfForeignKeys(ServerKind kind) throws SQLException {
    try (Session session = new Session(kind, "")) {
      doing(
              "SELECT n FROM child WHERE id = 1 FOR UPDATE",
              "UPDATE parent SET c = 9, n = n + 1 WHERE id = 1",
              "UPDATE parent SET c = 1, n = n + 1 WHERE id = 2")
          .run(session);
      assertThat(toldOf(session, "child", doing("UPDATE child SET n = n + 1 WHERE id = 1")))
          .isEmpty();
    }
  }

  private static Stream<Arguments> preparing() {
    return UnchangedRowsTest.kinds()
        .flatMap(
            kind ->
                Stream.of(Arguments.of(kind, ""), Arguments.of(kind, "&useServerPrepStmts=true")));
  }

  /** Prepared once, executed with rows that are locked and others. */
  @ParameterizedTest
  @MethodSource("preparing")
  void oneStatementForBoth(ServerKind kind, String options) throws SQLException {
    try (Session session = new Session(kind, options);
        PreparedStatement lock =
            session.watched.prepareStatement("SELECT n FROM t WHERE id = ? FOR UPDATE");
        PreparedStatement update = session.watched.prepareStatement(ADD)) {
      for (int i = 0; i < 12; i++) {
        int row = i % 4 + 1;
        boolean locked = i % 3 != 0;
        if (locked) {
          lock.setInt(1, row);
          readAll(lock.executeQuery());
        }
        update.setInt(1, i + 1);
        update.setInt(2, row);
        List<RowAccess> told =
            toldOf(session, "t", s -> assertThat(update.executeUpdate()).isOne());
        assertThat(told).hasSize(locked && options.isEmpty() ? 1 : 0);
        session.watched.commit();
      }
    }
  }

  /** What stands there is sent back as it is, so only if it is a list. */
  @ParameterizedTest
  @MethodSource("io.txwatch.jdbc.UnchangedRowsTest#kinds")
  void nothingElseThanAListIsSentBack(ServerKind kind) throws SQLException {
    String injected = "', n = 70 where id = 1 #    ";
    assertThat(injected.length() % WriterToken.LENGTH).isZero();
    try (Session session = new Session(kind, "")) {
      try (PreparedStatement alien =
          session.raw.prepareStatement("UPDATE t SET txw_wl = ? WHERE id = 1")) {
        alien.setString(1, injected);
        alien.executeUpdate();
      }
      session.raw.commit();
      doing(LOCK, WRITE).run(session);
      try (Statement statement = session.raw.createStatement();
          ResultSet row = statement.executeQuery("SELECT n, txw_wl FROM t WHERE id = 1")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(1)).isOne();
        assertThat(row.getString(2)).startsWith(injected).hasSize(3 * WriterToken.LENGTH);
      }
    }
  }

  /** Made-up transactions: each write appends its writer to what stands in the row. */
  @ParameterizedTest
  @MethodSource("io.txwatch.jdbc.UnchangedRowsTest#kinds")
  void whateverIsKnown(ServerKind kind) throws SQLException {
    Random random = new Random(SEED);
    int held = 0;
    try (Session session = new Session(kind, "")) {
      for (int transaction = 0; transaction < 300; transaction++) {
        Savepoint savepoint = session.watched.setSavepoint();
        for (int i = 0; i < 10; i++) {
          if (random.nextInt(12) == 0) {
            session.watched.rollback(savepoint);
            savepoint = session.watched.setSavepoint();
          }
          String sql = statement(random);
          Step step =
              sql.isEmpty()
                  ? batch(1 + random.nextInt(4), 1 + random.nextInt(4), 1 + random.nextInt(4))
                  : random.nextBoolean() ? doing(sql) : prepared(sql);
          Map<Long, String> before = session.writers("t");
          int known = session.database.statements().size();
          try {
            step.run(session);
          } catch (SQLIntegrityConstraintViolationException e) {
            assertThat(sql).contains("name = concat");
          }
          held += checked(session, "t", before, known).size();
        }
        if (random.nextBoolean()) {
          session.watched.commit();
        } else {
          session.watched.rollback();
        }
      }
    }
    assertThat(held).isGreaterThan(100);
  }

  private static String statement(Random random) {
    int id = 1 + random.nextInt(random.nextInt(3) == 0 ? 4 : 2);
    return switch (random.nextInt(30)) {
      case 0, 1, 2, 3, 4, 5, 6 -> "SELECT n FROM t WHERE id = " + id + " FOR UPDATE";
      case 7, 8 -> "SELECT n FROM t WHERE name = 'n" + id + "' FOR UPDATE";
      case 9 -> "SELECT n FROM t WHERE id = " + id;
      case 10, 11, 12, 13, 14, 15, 16 -> "UPDATE t SET n = n + 1 WHERE id = " + id;
      case 17, 18, 19 ->
          "UPDATE t SET n = n + 1 WHERE name = '" + (random.nextBoolean() ? "n" : "N") + id + "'";
      case 20 -> "UPDATE t SET n = n + 1 WHERE n > " + id;
      case 21 -> "UPDATE t SET n = " + id + " WHERE id = " + id;
      case 22 -> "UPDATE t SET name = concat('m', id, n) WHERE id = " + id;
      case 23 -> "UPDATE t SET name = concat('n', id) WHERE id = " + id;
      case 24 -> "DO swap()";
      case 25 ->
          "INSERT INTO t VALUES ("
              + id
              + ", 'x"
              + id
              + "', 0, 0) ON DUPLICATE KEY UPDATE n = t.n + 2";
      default -> "";
    };
  }
}
