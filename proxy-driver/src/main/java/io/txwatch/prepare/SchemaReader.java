package io.txwatch.prepare;

import io.txwatch.sql.Catalog;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one dialect describes its tables, and the DDL that adds the auxiliary columns there. Has no
 * state but what it was told of the DBMS; uses the connection it is handed and leaves it as it was.
 */
abstract class SchemaReader {

  /** The dialect. */
  abstract Dialect dialect();

  /** How names are folded. */
  abstract NameFolding folding();

  /** The schemas in which the connection looks unqualified names up, first first. */
  abstract List<String> path(Connection connection) throws SQLException;

  /** How a session begins. In one round trip, since every connection pays for it. */
  OpenedSession opened(Connection connection) throws SQLException {
    return new OpenedSession(path(connection), false);
  }

  /**
   * The table of that name in that schema.
   *
   * @param schema folded
   * @param name folded
   */
  abstract Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException;

  /**
   * True if a table has at most {@value Catalog#SMALL_TABLE_ROWS} rows, or about as many. At most
   * one more is read to find out.
   */
  boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    return hasAtMost(Catalog.SMALL_TABLE_ROWS, connection, table);
  }

  /** True if a table has no more rows than that, by counting as many. */
  final boolean hasAtMost(int rows, Connection connection, TableInfo table) throws SQLException {
    return countUpTo(rows + 1, connection, table) <= rows;
  }

  /** How many rows a table has, of which at most so many are counted. */
  final long countUpTo(int most, Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT COUNT(*) FROM (SELECT 1 FROM " + qualified(table) + " LIMIT " + most + ") t",
            row -> row.getLong(1))
        .get(0);
  }

  /** The names of all tables, views and the like in a schema, sorted. */
  abstract List<String> names(Connection connection, String schema) throws SQLException;

  /** True if the auxiliary columns of this table are ours: both there, and as we make them. */
  abstract boolean isPrepared(TableInfo table);

  /** True if they are there but lost their defaults when the table's definition was copied. */
  boolean isCopied(TableInfo table) {
    return false;
  }

  /** True if the columns with our names are ours, whether the preparation is complete or not. */
  boolean isOurs(TableInfo table) {
    return isPrepared(table) || isCopied(table);
  }

  /** What the planner may do with a table. */
  final Catalog.Status status(TableInfo table) {
    return table.kind() == TableInfo.Kind.TABLE && isCopied(table)
        ? Catalog.Status.COPIED
        : table.status(isPrepared(table));
  }

  /** True if {@code *} shows the auxiliary columns. */
  abstract boolean auxiliaryVisible();

  /** Why this table, which is not prepared, must be left alone; empty if it can be prepared. */
  abstract Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException;

  /**
   * What handles rows of the table as a whole, and would see the columns: the application's own
   * functions, triggers and the like, by name.
   */
  List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    return List.of();
  }

  /** The steps that prepare it, or complete a preparation that was interrupted. */
  abstract List<Step> prepare(Connection connection, TableInfo table) throws SQLException;

  /** The steps that take away what {@link #prepare} added to it, complete or not. */
  abstract List<Step> unprepare(Connection connection, TableInfo table) throws SQLException;

  /** About how many rows a table has, as the DBMS estimates it. */
  abstract long rows(Connection connection, TableInfo table) throws SQLException;

  /** About how many rows are written anew in a second, on a small machine. */
  abstract int rowsPerSecond(Step.Work work);

  /** About how many seconds steps take once they have their locks. */
  final long seconds(List<Step> steps, long rows) {
    long seconds = 1;
    for (Step step : steps) {
      if (step.work() != Step.Work.INSTANT) {
        seconds += rows / rowsPerSecond(step.work());
      }
    }
    return seconds;
  }

  /** Carries out one of the steps. */
  void apply(Connection connection, TableInfo table, Step step, Pace pace) throws SQLException {
    run(connection, List.of(step.sql()));
  }

  /** The statements that remove what is left in a schema without a prepared table. */
  List<String> cleanUp(Connection connection, String schema) throws SQLException {
    return List.of();
  }

  /**
   * Looks, before the commit, whether a preparation shows the application what it must not see.
   *
   * @throws SQLException if it does, with the reason
   */
  void verify(Connection connection, TableInfo table) throws SQLException {}

  /** The statement that takes the statistics of a table that the optimizer goes by. */
  abstract String analyze(TableInfo table);

  /** True if DDL is part of transactions, so that a table's statements are run in one. */
  abstract boolean ddlIsTransactional();

  /** The statements after which this session waits for no lock of a table, where there are any. */
  List<String> waitForNoLock() {
    return List.of();
  }

  /** The steps that lock a table before its transaction changes it. */
  List<Step> lock(TableInfo table) {
    return List.of();
  }

  /**
   * True if another session, watched or not, is known to hold a snapshot, or a lock on the table,
   * that a change of the table would break or wait for. What this user may not see is not known.
   */
  boolean isInUse(Connection connection, TableInfo table) throws SQLException {
    return false;
  }

  /** The statements that bound how long this session waits for locks, and works at all. */
  abstract List<String> bounds(Duration lock, Duration work);

  /** What such steps do to a live service, for people. */
  abstract String lockNote(List<Step> steps);

  /** The table that an identifier means. */
  final Optional<TableInfo> find(Connection connection, List<String> path, List<String> parts)
      throws SQLException {
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    String name = folding().fold(parts.get(parts.size() - 1));
    if (parts.size() > 1) {
      return table(connection, folding().fold(parts.get(parts.size() - 2)), name);
    }
    for (String schema : path) {
      Optional<TableInfo> found = table(connection, schema, name);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** True if a schema on the path is the DBMS's own, or the session's for temporary tables. */
  static boolean isInternal(String schema) {
    return schema.startsWith("pg_") || schema.equals("temp");
  }

  /** The table's name as DDL names it. */
  final String qualified(TableInfo table) {
    return NameFolding.quote(dialect(), table.schema())
        + "."
        + NameFolding.quote(dialect(), table.name());
  }

  /** Turns a row into a value. */
  interface RowMapper<T> {
    T map(ResultSet row) throws SQLException;
  }

  /** What a view's query tells of it; nothing if this user may not see it. */
  static Catalog.Traits view(Connection connection, String sql, String... parameters)
      throws SQLException {
    List<String> found = query(connection, sql, row -> text(row, 1), parameters);
    return found.isEmpty() ? Catalog.Traits.UNKNOWN : Catalog.Traits.ofView(found.get(0));
  }

  /** Runs a query with string parameters and reads all of its rows. */
  static <T> List<T> query(
      Connection connection, String sql, RowMapper<T> mapper, String... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      List<T> values = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          values.add(mapper.map(rows));
        }
      }
      return values;
    }
  }

  /** Runs statements one by one. */
  static void run(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** A column's text, "" for null. */
  static String text(ResultSet row, int column) throws SQLException {
    return Optional.ofNullable(row.getString(column)).orElse("");
  }
}
