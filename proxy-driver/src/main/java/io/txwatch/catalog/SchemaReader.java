package io.txwatch.catalog;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How one dialect describes its tables, and the DDL that adds the auxiliary columns there. Has no
 * state but what is known of the DBMS; uses the connection it is handed and leaves it as it was.
 */
public abstract class SchemaReader {

  /** What can be added to the statements of the DBMS. */
  public abstract DialectSql sql();

  /** The dialect. */
  public final Dialect dialect() {
    return sql().dialect();
  }

  /** How names are folded. */
  public abstract NameFolding folding();

  /** The schemas in which the connection looks unqualified names up, first first. */
  public abstract List<String> path(Connection connection) throws SQLException;

  /** True if the DBMS decides which schemas of a path that is set are looked in. */
  public boolean readsPaths() {
    return false;
  }

  /**
   * The schemas in which a session looks unqualified names up once its path was set to these.
   *
   * @param names as stored, first first
   */
  public List<String> path(Connection connection, List<String> names) throws SQLException {
    return names;
  }

  /**
   * The run of the server that a session is in, as far as the session itself shows it without being
   * queried.
   *
   * @param run as {@link #opened} states it, maybe of another session of the same URL
   */
  public String runOf(Connection connection, String run) throws SQLException {
    return run;
  }

  /** How a session begins. In one round trip, since every connection pays for it. */
  public InitialSessionState opened(Connection connection) throws SQLException {
    return new InitialSessionState(path(connection), false);
  }

  /**
   * The table of that name in that schema.
   *
   * @param schema folded
   * @param name folded
   */
  public abstract Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException;

  /**
   * The tables of those names in that schema, by the names that were requested; those that there
   * are not are missing.
   *
   * @param schema folded
   * @param names folded
   */
  public Map<String, TableInfo> tables(
      Connection connection, String schema, Collection<String> names) throws SQLException {
    Map<String, TableInfo> found = new HashMap<>();
    for (String name : names) {
      table(connection, schema, name).ifPresent(table -> found.put(name, table));
    }
    return found;
  }

  /**
   * True if a table has at most {@value Catalog#SMALL_TABLE_ROWS} rows, or about as many. At most
   * one more is read to find out.
   */
  public boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    return hasAtMost(Catalog.SMALL_TABLE_ROWS, connection, table);
  }

  /** True if a table has no more rows than that, by counting as many. */
  public final boolean hasAtMost(int rows, Connection connection, TableInfo table)
      throws SQLException {
    return countUpTo(rows + 1, connection, table) <= rows;
  }

  /** How many rows a table has, of which at most so many are counted. */
  public final long countUpTo(int most, Connection connection, TableInfo table)
      throws SQLException {
    return CatalogQueries.query(connection, countingUpTo(most, table), row -> row.getLong(1))
        .get(0);
  }

  /** The query of {@link #countUpTo}. */
  public final String countingUpTo(int most, TableInfo table) {
    return "SELECT COUNT(*) FROM (SELECT 1 FROM " + qualified(table) + " LIMIT " + most + ") t";
  }

  /** True if a table of the connection's schema has the auxiliary column of row ids. One query. */
  public boolean hasPrepared(Connection connection) throws SQLException {
    return false;
  }

  /** The names of all tables, views and the like in a schema, sorted. */
  public abstract List<String> names(Connection connection, String schema) throws SQLException;

  /** True if the auxiliary columns of this table are ours: both there, and as we make them. */
  public abstract boolean isPrepared(TableInfo table);

  /** True if the columns with our names are ours, whether the preparation is complete or not. */
  public boolean isOurs(TableInfo table) {
    return isPrepared(table);
  }

  /** What the planner may do with a table. */
  final Catalog.Status status(TableInfo table) {
    return table.status(isPrepared(table));
  }

  /** The statements that bound how long this session waits for locks, and works at all. */
  public abstract List<String> bounds(Duration lock, Duration work);

  /** The schema in which {@link #find} looks first; empty if in none. */
  public final Optional<String> firstSchema(List<String> path, List<String> parts) {
    return parts.size() > 1
        ? Optional.of(folding().fold(parts.get(parts.size() - 2)))
        : path.stream().filter(schema -> !parts.isEmpty()).findFirst();
  }

  /** The table that an identifier means. */
  public final Optional<TableInfo> find(
      Connection connection, List<String> path, List<String> parts) throws SQLException {
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

  /** The table's name as DDL names it. */
  public final String qualified(TableInfo table) {
    return sql().quoteInDdl(table.schema()) + "." + sql().quoteInDdl(table.name());
  }
}
