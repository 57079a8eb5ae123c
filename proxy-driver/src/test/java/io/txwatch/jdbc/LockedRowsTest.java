package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

/**
 * PostgreSQL: an UPDATE of a row that its transaction has locked is told without asking for it, and
 * what is told is what the table holds.
 */
class LockedRowsTest {

  private static final String LOCK = "SELECT n FROM t WHERE id = 1 FOR UPDATE";
  private static final String WRITE = "UPDATE t SET n = n + 1 WHERE id = 1";
  private static final long SEED = 20261122;

  private static final String[] SETUP = {
    "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9) NOT NULL UNIQUE, n INT NOT NULL)",
    "INSERT INTO t SELECT i, 'n' || i, 0 FROM generate_series(1, 4) i",
    "CREATE TABLE plain (id INT PRIMARY KEY, n INT)",
    "INSERT INTO plain VALUES (1, 1)",
    "CREATE TABLE parent (id INT PRIMARY KEY, n INT)",
    "CREATE TABLE child (id INT PRIMARY KEY REFERENCES parent ON UPDATE CASCADE, n INT)",
    "INSERT INTO parent VALUES (1, 1)",
    "CREATE FUNCTION swap() RETURNS INT LANGUAGE plpgsql AS 'BEGIN"
        + " UPDATE t SET id = 9 WHERE id = 1; UPDATE t SET id = 1 WHERE id = 2;"
        + " UPDATE t SET id = 2 WHERE id = 9; RETURN 1; END'",
    "CREATE VIEW swapping AS SELECT swap()",
    "CREATE FUNCTION swapped() RETURNS trigger LANGUAGE plpgsql AS"
        + " 'BEGIN PERFORM swap(); RETURN NULL; END'",
    "CREATE TABLE audit (id INT PRIMARY KEY, n INT)",
    "CREATE TRIGGER swaps AFTER INSERT OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION swapped()",
    "CREATE TABLE guarded (id INT PRIMARY KEY, n INT)",
    "INSERT INTO guarded VALUES (1, 1)",
    "CREATE FUNCTION passes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE TRIGGER passes BEFORE UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION passes()",
    "CREATE TABLE ruled (id INT PRIMARY KEY, n INT)",
    "INSERT INTO ruled VALUES (1, 1)",
    "CREATE RULE counts AS ON UPDATE TO ruled DO ALSO UPDATE plain SET n = n + 1",
    "CREATE TABLE heirs (id INT PRIMARY KEY, n INT)",
    "CREATE TABLE heir () INHERITS (heirs)",
    "INSERT INTO heirs VALUES (1, 1)",
    "CREATE TABLE later (id INT, n INT, PRIMARY KEY (id) DEFERRABLE)",
    "INSERT INTO later VALUES (1, 1)",
    "CREATE TABLE made (id INT PRIMARY KEY, n INT,"
        + " twice INT NOT NULL UNIQUE GENERATED ALWAYS AS (n * 2) STORED)",
    "INSERT INTO made VALUES (1, 1), (2, 2)",
    "CREATE TABLE partial (id INT NOT NULL, n INT)",
    "CREATE UNIQUE INDEX ON partial (id) WHERE n > 0",
    "INSERT INTO partial VALUES (1, 1)",
    "CREATE TABLE words (a TEXT NOT NULL, b TEXT NOT NULL, n INT)",
    "CREATE UNIQUE INDEX ON words (a COLLATE \"C\")",
    "CREATE UNIQUE INDEX ON words (b text_pattern_ops)",
    "INSERT INTO words VALUES ('x', 'x', 1)",
  };

  /** Something that a session does. */
  private interface Step {
    void run(Connection connection) throws SQLException;
  }

  private static Step doing(String... texts) {
    return connection -> {
      for (String text : texts) {
        send(connection, text);
      }
    };
  }

  /** Sends a text, and reads its result to the end. */
  static void send(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        readAll(statement.getResultSet());
      }
    }
  }

  static void readAll(ResultSet rows) throws SQLException {
    try (rows) {
      while (rows.next()) {
        rows.getObject(1);
      }
    }
  }

  /** The same, prepared. */
  static void prepared(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      if (statement.execute()) {
        readAll(statement.getResultSet());
      }
    }
  }

  /** A session, and what the server says of it beside. */
  private static final class Session implements AutoCloseable {
    final TestDatabase database = TestDatabase.of(ServerKind.POSTGRESQL, SETUP);
    final Connection raw = database.raw();
    final Connection beside = database.raw();
    final Connection watched = database.watched(raw);
    private final int pid;
    private int told = database.statements().size();

    Session() throws SQLException {
      try (Statement statement = raw.createStatement();
          ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
        row.next();
        pid = row.getInt(1);
      }
      watched.setAutoCommit(false);
    }

    /** A rewritten text is guarded by a savepoint until the server has accepted it once. */
    void unproven(Step... steps) throws SQLException {
      for (Step step : steps) {
        step.run(watched);
      }
      watched.rollback();
    }

    /** The text that was sent last. */
    String sent() throws SQLException {
      try (Statement statement = beside.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT query FROM pg_stat_activity WHERE pid = " + pid)) {
        row.next();
        return row.getString(1);
      }
    }

    /** The rows that were told as written since it was last asked. */
    List<RowAccess> told() {
      List<RowAccess> rows = new ArrayList<>();
      List<Event.StatementExecuted> statements = database.statements();
      for (Event.StatementExecuted statement : statements.subList(told, statements.size())) {
        statement.rows().stream().filter(r -> r.access() == Access.UPDATE).forEach(rows::add);
      }
      told = statements.size();
      return rows;
    }

    /** The writers of each row, by its id, as the transaction sees them. */
    Map<Long, String> held(String table) throws SQLException {
      Map<Long, String> held = new HashMap<>();
      try (Statement statement = raw.createStatement();
          ResultSet rows = statement.executeQuery("SELECT txw_rid, txw_wl FROM " + table)) {
        while (rows.next()) {
          held.put(rows.getLong(1), rows.getString(2));
        }
      }
      return held;
    }

    @Override
    public void close() throws SQLException {
      watched.close();
      beside.close();
    }
  }

  private static void toldIsHeld(Session session, String table) throws SQLException {
    List<RowAccess> told = session.told();
    assertThat(told).hasSize(1);
    assertThat(told.get(0).certain()).isTrue();
    assertThat(session.held(table))
        .containsEntry(told.get(0).row(), told.get(0).writers().tokens());
  }

  static Stream<Arguments> known() {
    return Stream.of(
        Arguments.of("locked", "t", doing(LOCK), doing(WRITE)),
        Arguments.of("locked", "t", doing(LOCK + " NOWAIT"), doing(WRITE + " AND n >= 0")),
        Arguments.of(
            "locked, prepared",
            "t",
            (Step) c -> prepared(c, "SELECT n FROM t WHERE id = ? FOR NO KEY UPDATE", 1L),
            (Step) c -> prepared(c, "UPDATE t SET n = ? WHERE id = ?", 5, 1)),
        Arguments.of(
            "locked by its other key",
            "t",
            doing("SELECT * FROM t WHERE name = 'n1' FOR UPDATE"),
            (Step) c -> prepared(c, "UPDATE t SET n = ? WHERE name = ?", 5, "n1")),
        Arguments.of("written before", "t", doing(WRITE), doing(WRITE)),
        Arguments.of("written before", "t", doing(LOCK, WRITE, WRITE), doing(WRITE)),
        Arguments.of(
            "other tables written since",
            "t",
            doing(LOCK, "INSERT INTO plain VALUES (2, 2)", "UPDATE plain SET n = n + 1"),
            doing(WRITE)),
        Arguments.of(
            "others' rows read since",
            "t",
            doing(LOCK, "SELECT count(*) FROM t", "SELECT * FROM plain WHERE n > 0"),
            doing(WRITE)),
        Arguments.of(
            "a savepoint set, and not gone back to",
            "t",
            (Step)
                c -> {
                  send(c, LOCK);
                  c.releaseSavepoint(c.setSavepoint());
                },
            doing(WRITE)),
        Arguments.of(
            "an item of a batch",
            "t",
            doing(LOCK),
            (Step)
                c -> {
                  try (PreparedStatement update =
                      c.prepareStatement("UPDATE t SET n = ? WHERE id = ?")) {
                    update.setInt(1, 7);
                    update.setInt(2, 1);
                    update.addBatch();
                    update.executeBatch();
                  }
                }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("known")
  void aWriteIsNotAskedForItsRow(String why, String table, Step before, Step write)
      throws SQLException {
    try (Session session = new Session()) {
      session.unproven(before, write);
      before.run(session.watched);
      session.told();
      write.run(session.watched);
      assertThat(session.sent()).startsWith("UPDATE").doesNotContain("returning");
      toldIsHeld(session, table);
      session.watched.commit();
    }
  }

  private static Step rollingBack(String... texts) {
    return connection -> {
      Savepoint savepoint = connection.setSavepoint();
      doing(texts).run(connection);
      connection.rollback(savepoint);
    };
  }

  private static Step failing() {
    return connection -> {
      send(connection, "SAVEPOINT s");
      send(connection, LOCK);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT 1 / 0 FROM t");
      } catch (SQLException expected) {
        send(connection, "ROLLBACK TO s");
      }
    };
  }

  /** As an item of a batch, which is not asked for rows. */
  private static Step byOtherKey() {
    return connection -> {
      send(connection, LOCK);
      try (Statement statement = connection.createStatement()) {
        statement.addBatch("UPDATE t SET n = n + 1 WHERE name = 'n1'");
        statement.executeBatch();
      }
    };
  }

  private static Step readLate() {
    return connection -> {
      try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
        ResultSet rows = lock.executeQuery();
        send(connection, "UPDATE t SET n = n + 1 WHERE n >= 0 AND name = name");
        readAll(rows);
      }
    };
  }

  private static Step throughResult() {
    return connection -> {
      send(connection, LOCK);
      try (Statement statement =
              connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE);
          ResultSet rows = statement.executeQuery("SELECT id, n FROM plain")) {
        rows.next();
        rows.updateInt(2, 5);
        rows.updateRow();
      }
    };
  }

  static Stream<Arguments> notKnown() {
    Step write = doing(WRITE);
    String other = "SELECT n FROM %s WHERE id = 1 FOR UPDATE";
    Stream<Arguments> ofTables =
        Stream.of("guarded", "ruled", "heirs", "later", "partial", "parent")
            .map(
                table ->
                    Arguments.of(
                        "a table that is not alone: " + table,
                        table,
                        doing(other.formatted(table)),
                        doing("UPDATE " + table + " SET n = n + 1 WHERE id = 1")));
    Stream<Arguments> ofColumns =
        Stream.of("a", "b")
            .map(
                column ->
                    Arguments.of(
                        "a key that compares otherwise",
                        "words",
                        doing("SELECT n FROM words WHERE " + column + " = 'x' FOR UPDATE"),
                        doing("UPDATE words SET n = n + 1 WHERE " + column + " = 'x'")));
    return Stream.concat(
        Stream.concat(ofTables, ofColumns),
        Stream.of(
            Arguments.of("nothing read", "t", doing(), write),
            Arguments.of("read, not locked", "t", doing("SELECT n FROM t WHERE id = 1"), write),
            Arguments.of("locked in part", "t", doing(LOCK.replace("UPDATE", "SHARE")), write),
            Arguments.of("another row", "t", doing(LOCK.replace("1", "2")), write),
            Arguments.of("another transaction", "t", doing(LOCK, "COMMIT"), write),
            Arguments.of("another transaction", "t", doing(LOCK, "ROLLBACK"), write),
            Arguments.of("lock gone", "t", rollingBack(LOCK), write),
            Arguments.of("lock gone", "t", doing("SAVEPOINT s", LOCK, "ROLLBACK TO s"), write),
            Arguments.of("write gone", "t", rollingBack(WRITE), write),
            Arguments.of("a statement failed", "t", failing(), write),
            Arguments.of("written otherwise since", "t", doing(LOCK, "UPDATE t SET n = 2"), write),
            Arguments.of("written by its other key since", "t", byOtherKey(), write),
            Arguments.of("written while it was read", "t", readLate(), write),
            Arguments.of("written through a result", "t", throughResult(), write),
            Arguments.of("keys moved", "t", doing(LOCK, "SELECT swap()"), write),
            Arguments.of("keys moved", "t", doing(LOCK, "SELECT * FROM swapping"), write),
            Arguments.of("keys moved", "t", doing(LOCK, "SELECT swap() UNION SELECT 2"), write),
            Arguments.of("keys moved", "t", doing(LOCK, "DO 'BEGIN PERFORM swap(); END'"), write),
            Arguments.of("keys moved", "t", doing(LOCK, "INSERT INTO audit VALUES (1, 1)"), write),
            Arguments.of("keys moved", "t", doing(LOCK, "SAVEPOINT s; SELECT swap()"), write),
            Arguments.of(
                "keys moved",
                "t",
                doing(
                    LOCK,
                    "UPDATE t SET id = 9 WHERE id = 1",
                    "UPDATE t SET id = 1 WHERE id = 2",
                    "UPDATE t SET id = 2 WHERE id = 9"),
                write),
            Arguments.of(
                "keys moved",
                "t",
                doing(LOCK, "DELETE FROM t WHERE id = 1", "UPDATE t SET id = 1 WHERE id = 2"),
                write),
            Arguments.of(
                "other names for tables",
                "t",
                (Step)
                    c -> {
                      send(c, LOCK);
                      c.setSchema("public");
                      prepared(c, "UPDATE t SET n = n + ? WHERE id = ?", 1, 2);
                    },
                (Step) c -> prepared(c, "UPDATE t SET n = n + ? WHERE id = ?", 1, 1)),
            Arguments.of(
                "the driver's own connection",
                "t",
                (Step)
                    c -> {
                      assertThat(c.unwrap(PGConnection.class)).isNotNull();
                      send(c, LOCK);
                    },
                write)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("notKnown")
  void elseItIs(String why, String table, Step before, Step write) throws SQLException {
    try (Session session = new Session()) {
      session.unproven(before, write);
      before.run(session.watched);
      session.told();
      write.run(session.watched);
      assertThat(session.sent()).contains("returning");
      toldIsHeld(session, table);
      session.watched.commit();
    }
  }

  /** A key that an UPDATE changes although it does not name it. */
  @Test
  void keysThatAreGenerated() throws SQLException {
    try (Session session = new Session()) {
      Step before =
          doing(
              "SELECT n FROM made WHERE twice = 2 FOR UPDATE",
              "UPDATE made SET n = 3 WHERE twice = 2",
              "UPDATE made SET n = 1 WHERE id = 2");
      Step write = doing("UPDATE made SET n = 4 WHERE twice = 2");
      session.unproven(before, write);
      before.run(session.watched);
      session.told();
      write.run(session.watched);
      assertThat(session.sent()).contains("returning");
      toldIsHeld(session, "made");
    }
  }

  private static void executed(PreparedStatement update) throws SQLException {
    update.setInt(1, 0);
    update.setInt(2, 2);
    update.executeUpdate();
  }

  /** Prepared once, executed with rows that are locked and others. */
  @Test
  void oneStatementForBoth() throws SQLException {
    try (Session session = new Session();
        PreparedStatement lock =
            session.watched.prepareStatement("SELECT n FROM t WHERE id = ? FOR UPDATE");
        PreparedStatement update =
            session.watched.prepareStatement("UPDATE t SET n = n + ? WHERE id = ?")) {
      session.unproven(doing(LOCK), c -> executed(update), c -> executed(update));
      session.told();
      for (int i = 0; i < 12; i++) {
        boolean locked = i % 3 != 0;
        if (locked) {
          lock.setInt(1, i % 4 + 1);
          readAll(lock.executeQuery());
        }
        update.setInt(1, i);
        update.setInt(2, i % 4 + 1);
        assertThat(update.executeUpdate()).isOne();
        assertThat(session.sent().contains("returning")).isNotEqualTo(locked);
        toldIsHeld(session, "t");
        session.watched.commit();
      }
    }
  }

  /** Made-up transactions: whatever is told to have been written is what the table holds. */
  @Test
  void whatIsToldIsHeld() throws SQLException {
    Random random = new Random(SEED);
    int notAsked = 0;
    try (Session session = new Session()) {
      for (int transaction = 0; transaction < 250; transaction++) {
        Savepoint savepoint = session.watched.setSavepoint();
        for (int i = 0; i < 10; i++) {
          if (random.nextInt(12) == 0) {
            session.watched.rollback(savepoint);
            savepoint = session.watched.setSavepoint();
          }
          String sql = statement(random);
          if (random.nextBoolean()) {
            send(session.watched, sql);
          } else {
            prepared(session.watched, sql);
          }
          String sent = session.sent();
          List<RowAccess> told = session.told();
          notAsked += sent.startsWith("UPDATE") && !sent.contains("returning") ? told.size() : 0;
          Map<Long, String> held = session.held("t");
          for (RowAccess row : told) {
            assertThat(held).as(sql).containsEntry(row.row(), row.writers().tokens());
          }
        }
        session.watched.rollback();
      }
    }
    assertThat(notAsked).isGreaterThan(100);
  }

  private static String statement(Random random) {
    int id = 1 + random.nextInt(4);
    return switch (random.nextInt(16)) {
      case 0, 1, 2 -> "SELECT n FROM t WHERE id = " + id + " FOR UPDATE";
      case 3, 4 -> "SELECT n FROM t WHERE name = 'n" + id + "' FOR NO KEY UPDATE";
      case 5 -> "SELECT n FROM t WHERE id = " + id;
      case 6, 7, 8, 9 -> "UPDATE t SET n = n + 1 WHERE id = " + id;
      case 10, 11 -> "UPDATE t SET n = n + 1 WHERE name = 'n" + id + "'";
      case 12 -> "UPDATE t SET n = n + 1 WHERE n > " + id;
      case 13 ->
          "UPDATE t SET name = 'n"
              + (id + 4)
              + "' WHERE id = "
              + id
              + " AND NOT EXISTS (SELECT 1 FROM t WHERE name = 'n"
              + (id + 4)
              + "')";
      case 14 -> "SELECT swap() WHERE " + id + " = 1";
      default ->
          "INSERT INTO t VALUES ("
              + id
              + ", 'x"
              + id
              + "', 0)"
              + " ON CONFLICT (id) DO UPDATE SET n = t.n + 2";
    };
  }
}
