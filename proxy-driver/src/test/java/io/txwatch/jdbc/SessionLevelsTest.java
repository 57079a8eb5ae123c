package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The level that a history has of a transaction is the one that the server itself reports, or it is
 * unknown: after each text, and each series of texts, that may change it.
 */
public class SessionLevelsTest {

  private static final String READ = "SELECT v FROM lv WHERE id = 1";

  private static final String POSTGRESQL =
      """
      SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE
      SET default_transaction_isolation = 'serializable'
      SET SESSION default_transaction_isolation TO 'repeatable read'
      SET default_transaction_isolation TO DEFAULT
      SET LOCAL default_transaction_isolation = 'serializable'
      {S}; RESET ALL
      {S}; DISCARD ALL
      {S}; RESET default_transaction_isolation
      {S}; RESET SESSION AUTHORIZATION
      {S}; SET search_path TO public
      {S}; SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY
      {S}; SET default_transaction_isolation = DEFAULT
      {S}; SELECT set_config('default_transaction_isolation', 'read committed', false)
      {S}; SELECT pg_catalog.set_config('default_transaction_isolation', 'read committed', false)
      {S}; SELECT "set_config"('default_transaction_isolation', 'read committed', false)
      {S}; WITH c AS (SELECT set_config('default_transaction_isolation', 'read committed', false)) SELECT * FROM c
      {S}; UPDATE lv SET v = length(set_config('default_transaction_isolation', 'read committed', false))
      {S}; SELECT lower_level()
      {S}; SELECT own.lower_level(), count(*) FROM lv
      {S}; CALL lower_level_p()
      {S}; DO $$ BEGIN PERFORM set_config('default_transaction_isolation', 'read committed', false)\\; END $$
      {S}; DO $$ BEGIN SET default_transaction_isolation = 'read committed'\\; END $$
      {S}; PREPARE p AS SELECT set_config('default_transaction_isolation', $1, false); EXECUTE p('read committed')
      {S}; EXPLAIN ANALYZE SELECT set_config('default_transaction_isolation', 'read committed', false)
      {S}; CREATE TEMPORARY TABLE tt AS SELECT set_config('default_transaction_isolation', 'read committed', false)
      {S}; COPY (SELECT set_config('default_transaction_isolation', 'read committed', false)) TO '/dev/null'
      {S}; VALUES (set_config('default_transaction_isolation', 'read committed', false))
      {S}; BEGIN; RESET ALL; ROLLBACK
      BEGIN; {S}; ROLLBACK
      BEGIN; {S}; COMMIT
      BEGIN; SAVEPOINT s; {S}; ROLLBACK TO s; COMMIT
      BEGIN; SAVEPOINT s; {S}; RELEASE s; COMMIT
      BEGIN; {S}; !SELECT 1/0; COMMIT
      BEGIN; SELECT set_config('default_transaction_isolation', 'serializable', true); COMMIT
      BEGIN ISOLATION LEVEL SERIALIZABLE; {R}; COMMIT AND CHAIN
      {S}; BEGIN ISOLATION LEVEL READ COMMITTED; {R}; COMMIT AND CHAIN
      {S}; BEGIN ISOLATION LEVEL READ COMMITTED; {R}; ROLLBACK AND CHAIN
      BEGIN ISOLATION LEVEL SERIALIZABLE ISOLATION LEVEL READ COMMITTED
      BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, ISOLATION LEVEL READ COMMITTED
      {S}; BEGIN; SET TRANSACTION ISOLATION LEVEL READ COMMITTED
      {S}; BEGIN; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; {R}; COMMIT
      {S}; BEGIN; SET LOCAL TRANSACTION ISOLATION LEVEL READ COMMITTED; {R}; COMMIT
      {S}; BEGIN; SET transaction_isolation = 'read committed'
      {S}; BEGIN; SET LOCAL statement_timeout = 9999; SET TRANSACTION ISOLATION LEVEL READ COMMITTED
      BEGIN; SET search_path TO public; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
      {S}; BEGIN; SHOW search_path; SET LOCAL transaction_isolation TO 'read committed'
      {S}; BEGIN; SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED
      {S}; BEGIN; SET default_transaction_isolation = 'read committed'
      {S}; BEGIN; !RESET transaction_isolation; ROLLBACK
      {S}; BEGIN; !SET transaction_isolation TO DEFAULT
      {S}; !SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED\\; SELECT 1/0
      {S}; SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED\\; SELECT 1
      """;

  private static final String IN_MYSQL =
      """
      SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE
      SET LOCAL TRANSACTION ISOLATION LEVEL READ COMMITTED
      SET TRANSACTION ISOLATION LEVEL READ COMMITTED
      SET SESSION {V} = 'SERIALIZABLE'
      SET {V} = 'SERIALIZABLE'
      SET @@{V} = 'SERIALIZABLE'
      SET @@session.{V} = 'SERIALIZABLE'
      SET @@local.{V} = 'READ-COMMITTED'
      SET GLOBAL {V} = 'REPEATABLE-READ'
      SET @@global.{V} = 'REPEATABLE-READ'
      {S}; SET SESSION {V} = DEFAULT
      {S}; SET {V} = DEFAULT
      {S}; SET {V} = @@global.{V}
      {S}; SET SESSION {V} = @@global.{V}
      {S}; SET @@session.{V} = @@global.{V}
      {S}; SET @@{V} = @@global.{V}
      {S}; SET @x = 'READ-COMMITTED'; SET {V} = @x
      {S}; SET @x = 'READ-COMMITTED'; SET SESSION {V} = CONCAT(@x, '')
      {S}; SET {V} = 1
      {S}; SET {V} = (SELECT 'READ-COMMITTED')
      {S}; SET @x = 1, {V} = 'READ-COMMITTED', @y = 2
      {S}; SET SESSION sql_warnings = 0, {V} = 'READ-COMMITTED'
      {S}; SET GLOBAL sql_warnings = 0, SESSION {V} = 'READ-COMMITTED'
      {S}; SET @@global.sql_warnings = 0, {V} = 'READ-COMMITTED'
      {S}; SET @isolation = @@session.{V}
      {S}; SET NAMES utf8mb4
      {S}; PREPARE p FROM 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'; EXECUTE p
      {S}; PREPARE p FROM 'SET SESSION {V} = ?'; SET @x = 'READ-COMMITTED'; EXECUTE p USING @x
      {S}; CALL lower_level()
      {S}; CALL lower_next_level()
      {S}; SELECT lower_level_f()
      {S}; SELECT lower_level_f() FROM lv
      {S}; DO lower_level_f()
      {S}; SET @x = lower_level_f()
      {S}; /*!40101 SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED */
      {S}; /* c */ SET /* d */ SESSION {V} /* e */ = /* f */ 'READ-COMMITTED' -- g
      {S}; SET SESSION `{V}` = 'READ-COMMITTED'
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT 1
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; {R}
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; COMMIT
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; DO 1
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY
      {S}; SET TRANSACTION READ ONLY
      {S}; START TRANSACTION; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; {R}; COMMIT
      {S}; START TRANSACTION; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
      {S}; START TRANSACTION; {R}; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
      {S}; START TRANSACTION; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; ROLLBACK
      {S}; START TRANSACTION; {R}; SET {V} = @@global.{V}
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION; {R}; COMMIT AND CHAIN
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION; {R}; ROLLBACK AND CHAIN
      {S}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION; {R}; COMMIT
      {S}; !SET {V} = 'NONE', @z = 1
      {S}; !SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, {V}
      {S}; XA START 'x'; {R}; XA END 'x'; XA ROLLBACK 'x'
      """;

  private static final String MYSQL = IN_MYSQL + "SET PERSIST_ONLY sql_warnings = 0\n";

  private static final String MARIADB =
      IN_MYSQL
          + """
          {S}; SET STATEMENT max_statement_time = 10 FOR SET SESSION {V} = 'READ-COMMITTED'
          {S}; SET STATEMENT max_statement_time = 10 FOR SELECT lower_level_f()
          {S}; SET STATEMENT max_statement_time = 10 FOR SELECT 1
          {S}; EXECUTE IMMEDIATE 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'
          {S}; BEGIN NOT ATOMIC SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED\\; END
          """;

  private static final String H2 =
      """
      SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE
      SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT
      SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
      {S}; BEGIN; {R}; SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED
      {S}; SELECT LOWER_LEVEL()
      {S}; CALL LOWER_LEVEL()
      {S}; EXECUTE IMMEDIATE 'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED'
      {S}; BEGIN; {R}; EXECUTE IMMEDIATE 'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED'
      {S}; SET LOCK_MODE 0
      {S}; SET LOCK_TIMEOUT 100
      """;

  private static final String SQLITE =
      """
      PRAGMA read_uncommitted = 1
      PRAGMA read_uncommitted = 0
      PRAGMA read_uncommitted(1)
      PRAGMA main.read_uncommitted = true
      PRAGMA read_uncommitted
      BEGIN; {R}; PRAGMA read_uncommitted = on
      """;

  /** As pools set the level; called by H2 with the session's own connection. */
  public static int lowerLevel(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return 1;
  }

  private record Dialect(
      ServerKind kind, String texts, String level, String variable, List<String> setup) {}

  private static Dialect dialect(ServerKind kind) {
    String table = "CREATE TABLE lv (id INT PRIMARY KEY, v INT)";
    String row = "INSERT INTO lv VALUES (1, 10)";
    List<String> inMySql =
        List.of(
            table,
            row,
            "SET GLOBAL log_bin_trust_function_creators = 1",
            "CREATE PROCEDURE lower_level() SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "CREATE PROCEDURE lower_next_level() SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "CREATE FUNCTION lower_level_f() RETURNS INT BEGIN"
                + " SET SESSION {V} = 'READ-COMMITTED'; RETURN 1; END");
    return switch (kind) {
      case POSTGRESQL ->
          new Dialect(
              kind,
              POSTGRESQL,
              "SHOW transaction_isolation",
              "",
              List.of(
                  table,
                  row,
                  "CREATE SCHEMA own",
                  "CREATE FUNCTION own.lower_level() RETURNS text LANGUAGE sql AS $$ SELECT"
                      + " set_config('default_transaction_isolation', 'read committed', false) $$",
                  "CREATE FUNCTION lower_level() RETURNS text LANGUAGE sql AS $$ SELECT"
                      + " set_config('default_transaction_isolation', 'read committed', false) $$",
                  "CREATE PROCEDURE lower_level_p() LANGUAGE sql AS $$ SELECT"
                      + " set_config('default_transaction_isolation', 'read committed', false) $$"));
      case MYSQL -> new Dialect(kind, MYSQL, "", "transaction_isolation", inMySql);
      case MARIADB -> new Dialect(kind, MARIADB, "", "tx_isolation", inMySql);
      case H2 ->
          new Dialect(
              kind,
              H2,
              "SELECT ISOLATION_LEVEL FROM INFORMATION_SCHEMA.SESSIONS"
                  + " WHERE SESSION_ID = SESSION_ID()",
              "",
              List.of(
                  table,
                  row,
                  "CREATE ALIAS LOWER_LEVEL FOR '"
                      + SessionLevelsTest.class.getName()
                      + ".lowerLevel'"));
      case SQLITE -> new Dialect(kind, SQLITE, "PRAGMA read_uncommitted", "", List.of(table, row));
    };
  }

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theLevelIsTheServersOrUnknown(ServerKind kind) throws SQLException {
    Dialect dialect = dialect(kind);
    String serializable =
        switch (kind) {
          case MYSQL, MARIADB -> "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE";
          default -> "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE";
        };
    TestDatabase database =
        TestDatabase.of(
            kind,
            dialect.setup.stream()
                .map(text -> text.replace("{V}", dialect.variable))
                .toArray(String[]::new));
    List<String> wrong = new ArrayList<>();
    Connection other = database.raw();
    int known = 0;
    int all = 0;
    for (String line : dialect.texts.lines().map(String::strip).toList()) {
      String texts =
          line.replaceFirst("^= ", "")
              .replace("{S}", serializable)
              .replace("{R}", READ)
              .replace("{V}", dialect.variable);
      for (boolean autoCommit : new boolean[] {true, false}) {
        for (int round = 1; round <= (autoCommit ? 1 : 2); round++) {
          String result = compare(database, other, dialect, texts, autoCommit, round);
          all++;
          known += result.equals("known") ? 1 : 0;
          if (result.startsWith("WRONG")) {
            wrong.add(result + ": " + texts + (autoCommit ? "" : " (no autocommit)"));
          }
        }
      }
    }
    other.close();
    assertThat(wrong).isEmpty();
    assertThat(known).as("many are known").isGreaterThan(all / 3);
  }

  /** The first transaction after the texts, or the second. */
  private static String compare(
      TestDatabase database,
      Connection other,
      Dialect dialect,
      String texts,
      boolean autoCommit,
      int round)
      throws SQLException {
    database.events().clear();
    try (Connection watched = database.watched();
        Statement statement = watched.createStatement()) {
      watched.setAutoCommit(autoCommit);
      for (String text : texts.split("(?<!\\\\);")) {
        String sent = text.replace("\\;", ";").strip();
        boolean mayFail = sent.startsWith("!") || !autoCommit;
        try {
          statement.execute(sent.replaceFirst("^!", ""));
        } catch (SQLException e) {
          if (!mayFail) {
            throw new SQLException(sent + " in " + texts, e);
          }
        }
      }
      if (round == 2) {
        end(watched, statement, autoCommit);
      }
      if (autoCommit && dialect.kind != ServerKind.SQLITE) {
        try {
          begin(statement, texts, round);
        } catch (SQLException e) {
          return "failed";
        }
      }
      String marked = READ + " /* the one */";
      String actual;
      try {
        String read = single(statement, marked);
        actual =
            dialect.level.isEmpty() ? shownBy(other, statement, read) : level(statement, dialect);
      } catch (SQLException e) {
        return "failed"; // PostgreSQL's transaction has failed before
      }
      long transaction =
          database.statements().stream()
              .filter(e -> e.sql().startsWith("SELECT v"))
              .reduce((a, b) -> b)
              .orElseThrow()
              .transaction();
      IsolationLevel believed =
          database.events(Event.TransactionBegan.class).stream()
              .filter(e -> e.transaction() == transaction)
              .reduce((a, b) -> b)
              .orElseThrow()
              .level();
      if (actual.isEmpty()) {
        return "failed";
      }
      end(watched, statement, autoCommit);
      if (believed == IsolationLevel.UNKNOWN) {
        return "unknown";
      }
      IsolationLevel real = IsolationLevel.parse(actual).orElseThrow();
      return believed == real ? "known" : "WRONG " + believed + " is " + real + " (" + round + ")";
    }
  }

  private static void begin(Statement statement, String texts, int round) throws SQLException {
    boolean isOpen =
        round == 1
            && texts.matches("(?s).*(BEGIN|START TRANSACTION|CHAIN)[^.]*")
            && !texts.matches("(?s).*(COMMIT|ROLLBACK|END)\\s*");
    if (!isOpen) {
      statement.execute("BEGIN");
    }
  }

  private static void end(Connection watched, Statement statement, boolean autoCommit)
      throws SQLException {
    if (!autoCommit) {
      watched.rollback();
      return;
    }
    try {
      statement.execute("ROLLBACK");
    } catch (SQLException e) {
      // no transaction is open (SQLite)
    }
  }

  private static String single(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? row.getString(1) : "";
    }
  }

  /** InnoDB does not report the level of a transaction, but what it does shows it. */
  private static String shownBy(Connection other, Statement in, String read) throws SQLException {
    try (Statement statement = other.createStatement()) {
      try {
        statement.executeQuery(READ + " FOR UPDATE NOWAIT").close();
      } catch (SQLException e) {
        return "SERIALIZABLE";
      }
      statement.executeUpdate("UPDATE lv SET v = v + 1");
    }
    return single(in, READ).equals(read) ? "REPEATABLE READ" : "READ COMMITTED";
  }

  private static String level(Statement statement, Dialect dialect) throws SQLException {
    try (ResultSet row = statement.executeQuery(dialect.level)) {
      String level = row.next() ? row.getString(1) : "";
      return switch (dialect.kind) {
        case SQLITE -> level.equals("1") ? "READ UNCOMMITTED" : "SERIALIZABLE";
        default -> level;
      };
    }
  }

  /** What a pool sends, and then an ordinary transaction: the level is known again. */
  @Test
  void aResetSessionIsAskedForItsLevel() throws SQLException {
    TestDatabase database =
        TestDatabase.of(
            ServerKind.POSTGRESQL,
            "CREATE TABLE lv (id INT PRIMARY KEY, v INT)",
            "INSERT INTO lv VALUES (1, 10)");
    try (Connection watched = database.watched();
        Statement statement = watched.createStatement()) {
      watched.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      statement.execute("DISCARD ALL");
      statement.executeQuery(READ).close();
      statement.executeQuery(READ).close();
    }
    assertThat(database.events(Event.TransactionBegan.class))
        .extracting(Event.TransactionBegan::level)
        .as("DISCARD ALL, and both reads")
        .containsExactly(
            IsolationLevel.SERIALIZABLE,
            IsolationLevel.READ_COMMITTED,
            IsolationLevel.READ_COMMITTED);
  }
}
