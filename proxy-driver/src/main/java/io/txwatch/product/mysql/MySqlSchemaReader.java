package io.txwatch.product.mysql;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;
import static io.txwatch.catalog.CatalogQueries.view;

import io.txwatch.catalog.AuxiliaryColumns;
import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.InitialSessionState;
import io.txwatch.catalog.NameFolding;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.SessionSqlMode;
import io.txwatch.catalog.TableInfo;
import io.txwatch.catalog.TableInfo.Column;
import io.txwatch.catalog.TableInfo.Kind;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.WritersColumn;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * MySQL and MariaDB: two invisible columns, the row id from {@code uuid_short()} with its top bit
 * taken off, so that it is a positive long.
 *
 * <p>MySQL refuses such a default in ADD COLUMN (error 1674, unsafe function; seen on 9.7 with its
 * binary log on and off). There the column is added empty and given its default, and then the rows
 * are {@linkplain MySqlBackfill filled} by UPDATEs that keep {@code ON UPDATE} columns as they are;
 * a table with UPDATE triggers is left alone, because they would fire.
 *
 * <p>InnoDB changes a row in place only if it keeps its length. What an UPDATE costs more than raw
 * is twice as much where it makes the writers' list longer (decision 0024). So the rows of a table
 * that is not too large are given the column at its full length; in larger ones they grow as they
 * are written.
 *
 * <p>To an INSERT without a list of columns MySQL gives no such default: an invisible column stays
 * null (seen on 9.7.4; MariaDB gives it). A row that somebody who is not watched inserts so has no
 * row id, and what is done with it is not seen; who is watched gives the row id himself.
 */
public class MySqlSchemaReader extends SchemaReader {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int EXECUTION_TIMEOUT = 3024;

  /** How long the rows of a table are counted at most. */
  private static final int MAX_COUNT_MILLIS = 100;

  /** For {@code sql_select_limit}, whose DEFAULT in a session is the global value. */
  private static final String NO_LIMIT = "18446744073709551615";

  /** Behind a query of one row: without a LIMIT, {@code sql_select_limit=0} gives none. */
  public static final String ONE_ROW = " LIMIT 1";

  /** A default that is all zero bytes in a row's buffer, as NULL is. */
  private static final Pattern ZERO = Pattern.compile("|NULL|-?0*\\.?0*");

  /** What {@code information_schema.columns.extra} states of such a column. */
  private static final Pattern CHANGES_BY_ITSELF =
      Pattern.compile(
          "on update|(virtual|stored|persistent) generated|^(virtual|persistent)$",
          Pattern.CASE_INSENSITIVE);

  /** Its comment while rows of the table have no id yet. */
  public static final String FILLING_COMMENT = "txwatch: newest writers; rows are being filled";

  /**
   * The server, and when it started. {@code Uptime} is the difference of the same two whole
   * seconds, so the result does not depend on when it is read.
   */
  private static final String RUN =
      "CONCAT_WS(' ', %s, @@hostname, @@port,"
          + " UNIX_TIMESTAMP() - (SELECT VARIABLE_VALUE FROM %s"
          + " WHERE VARIABLE_NAME = 'Uptime'))";

  private final DialectSql sql;
  private final NameFolding folding;

  /** The expression of the server's run; empty if there is none. */
  private final String run;

  /** True if the DBMS finds any number of tables by an index. */
  private final boolean hasDictionary;

  public MySqlSchemaReader(DialectSql sql, Database database) {
    this.sql = sql;
    this.hasDictionary =
        database.product().is("MySQL") && !database.product().version().startsWith("5.");
    this.run =
        switch (database.product().name()) {
          case "MySQL" -> RUN.formatted("@@server_uuid", "performance_schema.global_status");
          case "MariaDB" -> RUN.formatted("@@server_id", "information_schema.GLOBAL_STATUS");
          default -> "";
        };
    this.folding =
        "0".equals(database.settings().getOrDefault("lower_case_table_names", "0"))
            ? NameFolding.EXACT
            : NameFolding.INSENSITIVE;
  }

  @Override
  public DialectSql sql() {
    return sql;
  }

  @Override
  public NameFolding folding() {
    return folding;
  }

  @Override
  public List<String> path(Connection connection) throws SQLException {
    List<String> current = query(connection, "SELECT DATABASE()" + ONE_ROW, row -> text(row, 1));
    return current.get(0).isEmpty() ? List.of() : current;
  }

  @Override
  public InitialSessionState opened(Connection connection) throws SQLException {
    if (run.isEmpty()) {
      return opened(connection, "''");
    }
    try {
      return CatalogQueries.outsideOfTransactions(connection, c -> opened(c, run));
    } catch (SQLException e) { // a user who may not read it
      return opened(connection, "''");
    }
  }

  private InitialSessionState opened(Connection connection, String runText) throws SQLException {
    return query(
            connection,
            "SELECT DATABASE(), @@sql_mode, @@character_set_connection, " + runText + ONE_ROW,
            row ->
                new InitialSessionState(
                    text(row, 1).isEmpty() ? List.of() : List.of(text(row, 1)),
                    SessionSqlMode.isOther(text(row, 2)),
                    SessionSqlMode.storesAsGiven(text(row, 2), text(row, 3)),
                    text(row, 4)))
        .get(0);
  }

  @Override
  public Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException {
    return Optional.ofNullable(read(connection, schema, List.of(name)).get(name));
  }

  /**
   * Of MySQL, in as many round trips as one table takes. MariaDB, and MySQL before 8, open every
   * table of the schema to describe several of them.
   */
  @Override
  public Map<String, TableInfo> tables(
      Connection connection, String schema, Collection<String> names) throws SQLException {
    return hasDictionary
        ? read(connection, schema, List.copyOf(names))
        : super.tables(connection, schema, names);
  }

  /** What is collected of a table. */
  private static final class Described {
    final String schema;
    final String name;
    final Kind kind;

    /** True for a table of InnoDB. */
    final boolean locks;

    /** True for a table of InnoDB that keeps no old rows. */
    final boolean withoutHistory;

    final List<Column> columns = new ArrayList<>();
    final Set<String> changing = new HashSet<>();
    final Map<String, String> inOtherLetters = new HashMap<>();
    final Set<String> nullOverDefault = new HashSet<>();
    final Map<String, String> collations = new HashMap<>();
    final List<String> triggers = new ArrayList<>();

    /** The columns of each unique index. */
    final Map<String, List<String>> keys = new LinkedHashMap<>();

    final Set<String> nullableKeys = new HashSet<>();

    Described(ResultSet row) throws SQLException {
      schema = text(row, 1);
      name = text(row, 2);
      String type = text(row, 3);
      kind = kind(schema, type);
      locks = text(row, 4).equalsIgnoreCase("InnoDB");
      withoutHistory = locks && type.equalsIgnoreCase("BASE TABLE");
    }

    void column(ResultSet row) throws SQLException {
      String column = text(row, 2);
      String lower = column.toLowerCase(Locale.ROOT);
      String privileges = text(row, 6).toLowerCase(Locale.ROOT);
      if (CHANGES_BY_ITSELF.matcher(text(row, 5)).find()) {
        changing.add(lower);
      }
      boolean nullable = !text(row, 8).equalsIgnoreCase("NO");
      if (nullable && !ZERO.matcher(text(row, 4)).matches()) {
        nullOverDefault.add(lower);
      }
      collations.put(lower, text(row, 10).toLowerCase(Locale.ROOT));
      String characters = text(row, 7);
      if (!characters.isEmpty() && !SessionSqlMode.hasAscii(characters)) {
        inOtherLetters.put(column, " character set " + characters);
      }
      columns.add(
          new Column(
              column,
              text(row, 3).toLowerCase(Locale.ROOT),
              text(row, 4),
              !text(row, 5).toUpperCase(Locale.ROOT).contains("INVISIBLE"),
              privileges.contains("select"),
              privileges.contains("insert"),
              privileges.contains("update"),
              text(row, 9)));
    }

    void key(ResultSet row) throws SQLException {
      String index = text(row, 2);
      String column = text(row, 3);
      keys.computeIfAbsent(index, i -> new ArrayList<>()).add(column.toLowerCase(Locale.ROOT));
      if (column.isEmpty() || text(row, 4).equalsIgnoreCase("YES")) {
        nullableKeys.add(index);
      }
    }

    Catalog.Traits traits() {
      Map<String, String> types = new HashMap<>();
      columns.forEach(
          c ->
              types.put(
                  c.name().toLowerCase(Locale.ROOT),
                  c.type() + inOtherLetters.getOrDefault(c.name(), "")));
      keys.keySet().removeAll(nullableKeys);
      List<List<String>> unique = List.copyOf(keys.values());
      boolean updateRunsNothing = triggers.stream().noneMatch(t -> t.endsWith("UPDATE"));
      boolean keepsKey = // a trigger after the UPDATE cannot change its row
          !unique.isEmpty()
              && !triggers.contains("BEFORE UPDATE")
              && unique.get(0).stream().noneMatch(changing::contains);
      return new Catalog.Traits(
          Map.copyOf(types),
          Set.copyOf(changing),
          triggers.contains("BEFORE UPDATE"),
          unique,
          "",
          Set.copyOf(nullOverDefault),
          withoutHistory && updateRunsNothing && changing.isEmpty(),
          Set.of(),
          keepsKey ? MySqlNameColumns.of(unique.get(0), types, collations) : List.of(),
          false);
    }
  }

  /** The tables of these names, by the name that was requested. */
  private Map<String, TableInfo> read(Connection connection, String schema, List<String> names)
      throws SQLException {
    Map<String, Described> asked = new LinkedHashMap<>();
    query(
            connection,
            "SELECT table_schema, table_name, table_type, engine FROM information_schema.tables"
                + " WHERE table_schema = ? AND table_name"
                + oneOf(names),
            Described::new,
            parameters(schema, names))
        .forEach(
            table ->
                names.stream()
                    .filter(name -> folding.same(schema, table.schema))
                    .filter(name -> folding.same(name, table.name))
                    .forEach(name -> asked.putIfAbsent(name, table)));
    Map<String, Described> stored = new LinkedHashMap<>();
    asked.values().forEach(table -> stored.put(table.name, table));
    each(
        connection,
        "SELECT table_name, column_name, column_type, column_default, extra, privileges,"
            + " character_set_name, is_nullable, column_comment, collation_name"
            + " FROM information_schema.columns WHERE table_schema = ? AND table_name",
        " ORDER BY table_name, ordinal_position",
        stored,
        Described::column);
    Map<String, Described> tables = new LinkedHashMap<>(stored);
    tables.values().removeIf(table -> table.kind != Kind.TABLE);
    each(
        connection,
        "SELECT event_object_table, CONCAT(action_timing, ' ', event_manipulation)"
            + " FROM information_schema.triggers"
            + " WHERE event_manipulation <> 'DELETE'"
            + " AND event_object_schema = ? AND event_object_table",
        "",
        tables,
        (table, row) -> table.triggers.add(text(row, 2).toUpperCase(Locale.ROOT)));
    // unique indexes over columns none of which may be null, the primary key first
    each(
        connection,
        "SELECT table_name, index_name, column_name, nullable FROM information_schema.statistics"
            + " WHERE non_unique = 0 AND table_schema = ? AND table_name",
        " ORDER BY table_name, index_name <> 'PRIMARY', index_name, seq_in_index",
        tables,
        Described::key);
    Map<String, TableInfo> found = new HashMap<>();
    for (Map.Entry<String, Described> entry : asked.entrySet()) {
      found.put(entry.getKey(), info(connection, entry.getValue()));
    }
    return found;
  }

  private static TableInfo info(Connection connection, Described table) throws SQLException {
    Catalog.Traits traits =
        table.kind == Kind.TABLE
            ? table.traits()
            : view(
                connection,
                "SELECT view_definition FROM information_schema.views"
                    + " WHERE table_schema = ? AND table_name = ?",
                table.schema,
                table.name);
    // without locks of rows until COMMIT, as in MyISAM, values and times do not show an order
    Catalog.Traits known = table.locks ? traits : traits.namedBy(List.of());
    return new TableInfo(table.schema, table.name, table.kind, table.columns, known);
  }

  /** Takes a row of the catalog. */
  private interface RowOf {
    void take(Described table, ResultSet row) throws SQLException;
  }

  /**
   * Hands each row of a query to the table whose name is its first column.
   *
   * @param sql up to the name of the tables
   * @param tables by their names, as stored
   */
  private static void each(
      Connection connection, String sql, String rest, Map<String, Described> tables, RowOf taking)
      throws SQLException {
    if (tables.isEmpty()) {
      return;
    }
    List<String> names = List.copyOf(tables.keySet());
    String schema = tables.values().iterator().next().schema;
    query(
        connection,
        sql + oneOf(names) + rest,
        row -> {
          // the only one, however this view of the catalog writes its name
          Described table = names.size() == 1 ? tables.get(names.get(0)) : tables.get(text(row, 1));
          if (table != null) {
            taking.take(table, row);
          }
          return true;
        },
        parameters(schema, names));
  }

  private static String oneOf(List<String> names) {
    return names.size() == 1
        ? " = ?"
        : names.stream().map(name -> "?").collect(Collectors.joining(", ", " IN (", ")"));
  }

  private static String[] parameters(String schema, List<String> names) {
    return Stream.concat(Stream.of(schema), names.stream()).toArray(String[]::new);
  }

  private static Kind kind(String schema, String type) {
    switch (schema.toLowerCase(Locale.ROOT)) {
      case "mysql", "information_schema", "performance_schema", "sys" -> {
        return Kind.SYSTEM;
      }
      default -> {}
    }
    return switch (type.toUpperCase(Locale.ROOT)) {
      case "BASE TABLE", "SYSTEM VERSIONED" -> Kind.TABLE;
      case "VIEW" -> Kind.VIEW;
      case "SYSTEM VIEW" -> Kind.SYSTEM;
      case "TEMPORARY" -> Kind.TEMPORARY;
      default -> Kind.FOREIGN;
    };
  }

  /**
   * A table that another session has locked (LOCK TABLES, ALTER TABLE) is taken to be large: the
   * application does not use it, and must not wait for it.
   */
  @Override
  public boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    String sql = withoutWaiting(countingUpTo(Catalog.SMALL_TABLE_ROWS + 1, table));
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1) <= Catalog.SMALL_TABLE_ROWS;
    } catch (SQLException e) {
      if (e.getErrorCode() == LOCK_WAIT_TIMEOUT || e.getErrorCode() == EXECUTION_TIMEOUT) {
        return false;
      }
      throw e;
    }
  }

  /** The query, which fails where it would wait for a lock. */
  public String withoutWaiting(String query) {
    return query.replaceFirst(
        "SELECT", "SELECT /*+ MAX_EXECUTION_TIME(" + MAX_COUNT_MILLIS + ") */");
  }

  /** In all schemas if the connection has none. */
  @Override
  public boolean hasPrepared(Connection connection) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM information_schema.columns WHERE column_name = ?"
                + " AND (table_schema = DATABASE() OR DATABASE() IS NULL) LIMIT 1",
            row -> 1,
            ROW_ID)
        .isEmpty();
  }

  @Override
  public List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
            + " ORDER BY table_name",
        row -> text(row, 1),
        schema);
  }

  @Override
  public boolean isPrepared(TableInfo table) {
    return isOurs(table)
        && table.column(ROW_ID).filter(MySqlSchemaReader::generatesRowIds).isPresent()
        && table
            .column(WRITERS)
            .filter(c -> WritersColumn.isOurs(c.type()) && !c.comment().equals(FILLING_COMMENT))
            .isPresent();
  }

  /** By their comments, which they have from the first step on. */
  @Override
  public boolean isOurs(TableInfo table) {
    return table.hasAuxiliaryName()
        && table.columns().stream()
            .filter(c -> AuxiliaryColumns.isAuxiliary(c.name()))
            .allMatch(c -> c.comment().startsWith("txwatch: "));
  }

  /** True if the column gets a new row id by default. */
  public static boolean generatesRowIds(Column rowId) {
    return rowId.defaultValue().toLowerCase(Locale.ROOT).contains("uuid_short");
  }

  /**
   * Also lifts the limits that the server may set for the queries of new sessions, as by {@code SET
   * GLOBAL max_join_size}: lookups would fail, or miss columns.
   */
  @Override
  public List<String> bounds(Duration lock, Duration work) {
    String locks =
        "SET SESSION lock_wait_timeout = "
            + Math.max(1, lock.toSeconds())
            + ", SESSION innodb_lock_wait_timeout = "
            + Math.max(1, lock.toSeconds());
    String rows = "SET SESSION sql_big_selects = 1, SESSION sql_select_limit = " + NO_LIMIT;
    return List.of(locks, rows);
  }
}
