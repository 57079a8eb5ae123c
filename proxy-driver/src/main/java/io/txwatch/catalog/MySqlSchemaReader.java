package io.txwatch.catalog;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;
import static io.txwatch.catalog.CatalogQueries.view;

import io.txwatch.catalog.TableInfo.Column;
import io.txwatch.catalog.TableInfo.Kind;
import io.txwatch.history.Database;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.WritersColumn;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

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
  static final String ONE_ROW = " LIMIT 1";

  /** A default that is all zero bytes in a row's buffer, as NULL is. */
  private static final Pattern ZERO = Pattern.compile("|NULL|-?0*\\.?0*");

  /** What {@code information_schema.columns.extra} says of such a column. */
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

  private final Dialect dialect;
  private final NameFolding folding;

  /** The expression of the server's run; empty if there is none. */
  private final String run;

  private final NoOpUpdateVisibility rowsWrittenAnew;

  MySqlSchemaReader(Dialect dialect, Database database) {
    this.dialect = dialect;
    this.rowsWrittenAnew = NoOpUpdateVisibility.of(database);
    this.run =
        switch (database.product()) {
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
  public Dialect dialect() {
    return dialect;
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
  InitialSessionState opened(Connection connection) throws SQLException {
    if (run.isEmpty()) {
      return opened(connection, "''");
    }
    try {
      return CatalogAccess.outsideOfTransactions(connection, c -> opened(c, run));
    } catch (SQLException e) { // a user who may not read it
      return opened(connection, "''");
    }
  }

  private InitialSessionState opened(Connection connection, String runText) throws SQLException {
    return query(
            connection,
            "SELECT DATABASE(), @@sql_mode, @@character_set_connection, @@completion_type, "
                + runText
                + ONE_ROW,
            row ->
                new InitialSessionState(
                    text(row, 1).isEmpty() ? List.of() : List.of(text(row, 1)),
                    SessionSqlMode.isOther(text(row, 2)),
                    SessionSqlMode.storesAsGiven(text(row, 2), text(row, 3)),
                    rowsWrittenAnew.areUnseen(connection, text(row, 4)),
                    text(row, 5)))
        .get(0);
  }

  @Override
  public Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException {
    Set<TableInfo> withoutHistory = new HashSet<>(); // InnoDB's that keep no old rows
    Set<TableInfo> locking = new HashSet<>();
    List<TableInfo> found =
        query(
                connection,
                "SELECT table_schema, table_name, table_type, engine"
                    + " FROM information_schema.tables"
                    + " WHERE table_schema = ? AND table_name = ?",
                row -> {
                  String type = text(row, 3);
                  TableInfo info =
                      new TableInfo(
                          text(row, 1), text(row, 2), kind(text(row, 1), type), List.of());
                  if (text(row, 4).equalsIgnoreCase("InnoDB")) {
                    locking.add(info);
                    if (type.equalsIgnoreCase("BASE TABLE")) {
                      withoutHistory.add(info);
                    }
                  }
                  return info;
                },
                schema,
                name)
            .stream()
            .filter(t -> folding.same(schema, t.schema()) && folding.same(name, t.name()))
            .toList();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    TableInfo table = found.get(0);
    boolean plainInnoDb = withoutHistory.contains(table);
    Set<String> changing = new HashSet<>();
    Map<String, String> inOtherLetters = new HashMap<>();
    Set<String> notNull = new HashSet<>();
    Set<String> nullOverDefault = new HashSet<>();
    Map<String, String> collations = new HashMap<>();
    List<Column> columns =
        query(
            connection,
            "SELECT column_name, column_type, column_default, extra, privileges,"
                + " character_set_name, is_nullable, column_comment, collation_name"
                + " FROM information_schema.columns"
                + " WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position",
            row -> {
              String privileges = text(row, 5).toLowerCase(Locale.ROOT);
              if (CHANGES_BY_ITSELF.matcher(text(row, 4)).find()) {
                changing.add(text(row, 1).toLowerCase(Locale.ROOT));
              }
              if (text(row, 7).equalsIgnoreCase("NO")) {
                notNull.add(text(row, 1).toLowerCase(Locale.ROOT));
              } else if (!ZERO.matcher(text(row, 3)).matches()) {
                nullOverDefault.add(text(row, 1).toLowerCase(Locale.ROOT));
              }
              collations.put(
                  text(row, 1).toLowerCase(Locale.ROOT), text(row, 9).toLowerCase(Locale.ROOT));
              String characters = text(row, 6);
              if (!characters.isEmpty() && !SessionSqlMode.hasAscii(characters)) {
                inOtherLetters.put(text(row, 1), " character set " + characters);
              }
              return new Column(
                  text(row, 1),
                  text(row, 2).toLowerCase(Locale.ROOT),
                  text(row, 3),
                  !text(row, 4).toUpperCase(Locale.ROOT).contains("INVISIBLE"),
                  privileges.contains("select"),
                  privileges.contains("insert"),
                  privileges.contains("update"),
                  text(row, 8));
            },
            table.schema(),
            table.name());
    Catalog.Traits traits =
        table.kind() == Kind.TABLE
            ? traits(
                connection,
                table,
                columns,
                changing,
                inOtherLetters,
                notNull,
                nullOverDefault,
                collations,
                plainInnoDb)
            : view(
                connection,
                "SELECT view_definition FROM information_schema.views"
                    + " WHERE table_schema = ? AND table_name = ?",
                table.schema(),
                table.name());
    // without locks of rows until COMMIT, as in MyISAM, values and times do not show an order
    Catalog.Traits known = locking.contains(table) ? traits : traits.namedBy(List.of());
    return Optional.of(new TableInfo(table.schema(), table.name(), table.kind(), columns, known));
  }

  private static Catalog.Traits traits(
      Connection connection,
      TableInfo table,
      List<Column> columns,
      Set<String> changing,
      Map<String, String> inOtherLetters,
      Set<String> notNull,
      Set<String> nullOverDefault,
      Map<String, String> collations,
      boolean plainInnoDb)
      throws SQLException {
    Map<String, String> types = new HashMap<>();
    columns.forEach(
        c ->
            types.put(
                c.name().toLowerCase(Locale.ROOT),
                c.type() + inOtherLetters.getOrDefault(c.name(), "")));
    List<String> triggers =
        query(
            connection,
            "SELECT CONCAT(action_timing, ' ', event_manipulation)"
                + " FROM information_schema.triggers"
                + " WHERE event_object_schema = ? AND event_object_table = ?"
                + " AND event_manipulation <> 'DELETE'",
            row -> text(row, 1).toUpperCase(Locale.ROOT),
            table.schema(),
            table.name());
    boolean updateRunsNothing = triggers.stream().noneMatch(t -> t.endsWith("UPDATE"));
    List<List<String>> keys = keys(connection, table);
    boolean keepsKey = // a trigger after the UPDATE cannot change its row
        !keys.isEmpty()
            && !triggers.contains("BEFORE UPDATE")
            && keys.get(0).stream().noneMatch(changing::contains);
    return new Catalog.Traits(
        Map.copyOf(types),
        Set.copyOf(changing),
        triggers.contains("BEFORE UPDATE"),
        keys,
        "",
        Set.copyOf(notNull),
        Set.copyOf(nullOverDefault),
        plainInnoDb && updateRunsNothing && changing.isEmpty(),
        Set.of(),
        keepsKey ? NameColumns.ofMySql(keys.get(0), types, collations) : List.of(),
        false);
  }

  /** Unique indexes over columns none of which may be null, the primary key first. */
  private static List<List<String>> keys(Connection connection, TableInfo table)
      throws SQLException {
    record Part(String index, String column, boolean nullable) {}
    List<Part> parts =
        query(
            connection,
            "SELECT index_name, column_name, nullable FROM information_schema.statistics"
                + " WHERE table_schema = ? AND table_name = ? AND non_unique = 0"
                + " ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index",
            row ->
                new Part(
                    text(row, 1),
                    text(row, 2).toLowerCase(Locale.ROOT),
                    text(row, 2).isEmpty() || text(row, 3).equalsIgnoreCase("YES")),
            table.schema(),
            table.name());
    Map<String, List<String>> keys = new LinkedHashMap<>();
    Set<String> nullable = new HashSet<>();
    for (Part part : parts) {
      keys.computeIfAbsent(part.index(), index -> new ArrayList<>()).add(part.column());
      if (part.nullable()) {
        nullable.add(part.index());
      }
    }
    keys.keySet().removeAll(nullable);
    return List.copyOf(keys.values());
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
  boolean isSmall(Connection connection, TableInfo table) throws SQLException {
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
  String withoutWaiting(String query) {
    return query.replaceFirst(
        "SELECT", "SELECT /*+ MAX_EXECUTION_TIME(" + MAX_COUNT_MILLIS + ") */");
  }

  /** In all schemas if the connection has none. */
  @Override
  boolean hasPrepared(Connection connection) throws SQLException {
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
   * GLOBAL max_join_size}: look-ups would fail, or miss columns.
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
