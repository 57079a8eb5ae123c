package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.RewritePlanner.Level;
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

/**
 * An unprepared database and one prepared twin per level. A script is run unwatched on the first
 * and watched on each twin, from the same rows; the outcomes of its steps and the final contents of
 * the tables are compared.
 */
final class Twins {

  private final ServerKind kind;
  private final String rawUrl;
  private final Map<Level, WatchedTwin> watched = new EnumMap<>(Level.class);
  private final Map<String, String> columns;
  private int scripts;

  private Twins(ServerKind kind, String rawUrl, Map<String, String> columns) {
    this.kind = kind;
    this.rawUrl = rawUrl;
    this.columns = columns;
  }

  /**
   * New databases of a kind, with the schema's tables, which are empty: one of them for each level.
   */
  static Twins of(ServerKind kind, Level... levels) throws SQLException {
    String rawUrl = freshDatabase(kind);
    Map<String, String> columns = new java.util.TreeMap<>();
    try (Connection raw = DriverManager.getConnection(rawUrl);
        Statement statement = raw.createStatement()) {
      for (String sql : CorpusFiles.schema(kind)) {
        statement.execute(sql);
      }
      for (String table : Texts.TABLES) {
        columns.put(table, columns(statement, table));
      }
      columns.put(Texts.NOT_PREPARED, columns(statement, Texts.NOT_PREPARED));
    }
    Twins twins = new Twins(kind, rawUrl, columns);
    for (Level level : levels) {
      twins.watched.put(level, WatchedTwin.create(kind, level));
    }
    return twins;
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
   * @return what differs
   */
  List<Difference> run(Script script, Coverage coverage, Level... levels) throws SQLException {
    boolean changed = scripts % 3 == 1;
    String options = options(scripts % 2 == 1, changed);
    scripts++;
    List<Outcome> expected = new ArrayList<>();
    Map<String, List<String>> contents;
    try (Connection raw = DriverManager.getConnection(rawUrl + options)) {
      fill(raw);
      raw.setAutoCommit(!script.transactional());
      for (Step step : script.statements()) {
        expected.add(perform(raw, step));
      }
      contents = contents(raw);
      end(raw, script);
    }
    List<Difference> differences = new ArrayList<>();
    for (Level level : levels) {
      WatchedTwin twin = java.util.Objects.requireNonNull(watched.get(level));
      try (Connection real = DriverManager.getConnection(twin.url() + options);
          Connection connection = twin.watch(real)) {
        fill(connection);
        connection.setAutoCommit(!script.transactional());
        twin.forget();
        for (int i = 0; i < expected.size(); i++) {
          Step step = script.statements().get(i);
          Outcome raw = expected.get(i);
          twin.next();
          Outcome seen = perform(connection, step);
          twin.checkWriterTokens(real);
          if (!raw.lines().equals(seen.lines())) {
            differences.add(
                Difference.of(
                    kind, level, script.name(), "outcome", step.sql(), raw.lines(), seen.lines()));
          }
        }
        Map<String, List<String>> held = contents(real);
        for (String table : columns.keySet()) {
          List<String> one = contents.getOrDefault(table, List.of());
          List<String> other = held.getOrDefault(table, List.of());
          if (!one.equals(other)) {
            differences.add(Difference.of(kind, level, script.name(), "tables", table, one, other));
          }
        }
        end(connection, script);
        differences.addAll(twin.judge(script, expected, countsVersions(changed), coverage));
      }
    }
    return differences;
  }

  /**
   * Drivers differ by whether the server prepares, and by what an UPDATE counts.
   *
   * @param prepare true to have the server prepare
   * @param changed true to have MySQL and MariaDB count the rows that an UPDATE changes, not those
   *     that it finds
   */
  private String options(boolean prepare, boolean changed) {
    return switch (kind) {
      case MYSQL, MARIADB ->
          (prepare ? "&useServerPrepStmts=true" : "") + (changed ? "&useAffectedRows=true" : "");
      case POSTGRESQL -> prepare ? "&prepareThreshold=1" : "";
      case H2, SQLITE -> "";
    };
  }

  /** True if the count of a write is that of the versions that it made. */
  private boolean countsVersions(boolean changed) {
    return changed || (kind != ServerKind.MYSQL && kind != ServerKind.MARIADB);
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

  /** Runs a step. In a transaction, an error ends it: what PostgreSQL insists on, all do. */
  private Outcome perform(Connection connection, Step step) throws SQLException {
    Outcome outcome =
        Outcome.of(
            Texts.isOrdered(step.sql()),
            kind == ServerKind.SQLITE,
            seen -> step.way().run(connection, step, seen));
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
    Map<String, List<String>> contents = new java.util.TreeMap<>();
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
