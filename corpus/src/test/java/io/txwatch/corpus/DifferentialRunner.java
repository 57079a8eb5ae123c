package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Runs scripts raw on an unprepared database and watched on a prepared one for each level, from the
 * same rows. Compares the outcomes of the steps and the final contents of the tables.
 */
final class DifferentialRunner {

  private final ServerKind kind;
  private final String rawUrl;
  private final Map<Level, WatchedTestDatabase> watched = new EnumMap<>(Level.class);
  private final Map<String, String> columns;
  private int scripts;

  private DifferentialRunner(ServerKind kind, String rawUrl, Map<String, String> columns) {
    this.kind = kind;
    this.rawUrl = rawUrl;
    this.columns = columns;
  }

  /** Creates the databases: an unprepared one, and a prepared one for each level. */
  static DifferentialRunner of(ServerKind kind, Level... levels) throws SQLException {
    String rawUrl = freshDatabase(kind);
    Map<String, String> columns = new TreeMap<>();
    try (Connection raw = DriverManager.getConnection(rawUrl);
        Statement statement = raw.createStatement()) {
      for (String sql : CorpusFiles.schema(kind)) {
        statement.execute(sql);
      }
      for (String table : StatementTraits.PREPARED_TABLES) {
        columns.put(table, columns(statement, table));
      }
      columns.put(
          StatementTraits.UNPREPARED_TABLE, columns(statement, StatementTraits.UNPREPARED_TABLE));
    }
    DifferentialRunner runner = new DifferentialRunner(kind, rawUrl, columns);
    for (Level level : levels) {
      runner.watched.put(level, WatchedTestDatabase.create(kind, level));
    }
    return runner;
  }

  /** Creates a database; SQLite must not wait for the disk at every commit. */
  static String freshDatabase(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    return kind == ServerKind.SQLITE ? url + "?synchronous=OFF" : url;
  }

  private static String columns(Statement statement, String table) throws SQLException {
    List<String> names = new ArrayList<>();
    try (ResultSet result = statement.executeQuery("SELECT * FROM " + table + " WHERE 1 = 0")) {
      for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
        names.add(result.getMetaData().getColumnName(i));
      }
    }
    return String.join(", ", names);
  }

  /**
   * Runs a script, raw and at each of the levels.
   *
   * @return the differences
   */
  List<Difference> run(Script script, Coverage coverage, Level... levels) throws SQLException {
    boolean countsChangedRows = scripts % 3 == 1;
    String options = options(scripts % 2 == 1, countsChangedRows);
    scripts++;
    List<Outcome> expected = new ArrayList<>();
    Map<String, List<String>> contents;
    try (Connection raw = DriverManager.getConnection(rawUrl + options)) {
      fill(raw);
      raw.setAutoCommit(!script.transactional());
      for (Step step : script.steps()) {
        expected.add(perform(raw, step));
      }
      contents = contents(raw);
      end(raw, script);
    }
    List<Difference> differences = new ArrayList<>();
    for (Level level : levels) {
      WatchedTestDatabase database = Objects.requireNonNull(watched.get(level));
      try (Connection real = DriverManager.getConnection(database.url() + options);
          Connection connection = database.watch(real)) {
        fill(connection);
        connection.setAutoCommit(!script.transactional());
        database.beginScript();
        for (int i = 0; i < expected.size(); i++) {
          Step step = script.steps().get(i);
          Outcome raw = expected.get(i);
          database.beginStep();
          Outcome seen = perform(connection, step);
          if (!raw.lines().equals(seen.lines())) {
            differences.add(
                Difference.of(
                    kind, level, script.name(), "outcome", step.sql(), raw.lines(), seen.lines()));
          }
        }
        Map<String, List<String>> watchedContents = contents(real);
        for (String table : columns.keySet()) {
          List<String> rawRows = contents.getOrDefault(table, List.of());
          List<String> watchedRows = watchedContents.getOrDefault(table, List.of());
          if (!rawRows.equals(watchedRows)) {
            differences.add(
                Difference.of(kind, level, script.name(), "tables", table, rawRows, watchedRows));
          }
        }
        end(connection, script);
        differences.addAll(
            database.evaluate(script, expected, countsVersions(countsChangedRows), coverage));
      }
    }
    return differences;
  }

  /**
   * The driver's options, as parameters of the URL.
   *
   * @param serverPrepares true if statements are prepared at the server
   * @param countsChangedRows true if an UPDATE counts the rows that it changes, instead of those
   *     that it matches (MySQL, MariaDB)
   */
  private String options(boolean serverPrepares, boolean countsChangedRows) {
    return switch (kind) {
      case MYSQL, MARIADB ->
          (serverPrepares ? "&useServerPrepStmts=true" : "")
              + (countsChangedRows ? "&useAffectedRows=true" : "");
      case POSTGRESQL -> serverPrepares ? "&prepareThreshold=1" : "";
      case H2, SQLITE -> "";
    };
  }

  /** True if the update count is the number of versions that a write created. */
  private boolean countsVersions(boolean countsChangedRows) {
    return countsChangedRows || (kind != ServerKind.MYSQL && kind != ServerKind.MARIADB);
  }

  private static void fill(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (String sql : CorpusFiles.fill()) {
        statement.execute(sql);
      }
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private void end(Connection connection, Script script) throws SQLException {
    if (script.transactional() && !connection.getAutoCommit()) {
      try {
        connection.rollback();
      } catch (SQLException e) {
        if (kind != ServerKind.SQLITE) {
          throw e; // SQLite had rolled back by itself
        }
      }
    }
  }

  /** Executes a step. An error ends its transaction on every DBMS, as PostgreSQL requires. */
  private Outcome perform(Connection connection, Step step) throws SQLException {
    Outcome outcome =
        Outcome.of(
            StatementTraits.isOrdered(step.sql()),
            kind == ServerKind.SQLITE,
            seen -> step.method().execute(connection, step, seen));
    if (outcome.failed() && !connection.getAutoCommit()) {
      try {
        connection.rollback();
      } catch (SQLException e) {
        outcome.line("rollback " + e.getErrorCode()); // SQLite had rolled back by itself
      }
    }
    return outcome;
  }

  private Map<String, List<String>> contents(Connection connection) throws SQLException {
    Map<String, List<String>> contents = new TreeMap<>();
    for (Map.Entry<String, String> table : columns.entrySet()) {
      List<String> rows = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet result =
              statement.executeQuery("SELECT " + table.getValue() + " FROM " + table.getKey())) {
        int count = result.getMetaData().getColumnCount();
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= count; i++) {
            row.append(result.getString(i)).append(" | ");
          }
          rows.add(row.toString());
        }
      }
      Collections.sort(rows);
      contents.put(table.getKey(), rows);
    }
    return contents;
  }
}
