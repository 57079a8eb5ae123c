package io.txwatch.prepare;

import static io.txwatch.prepare.AuxiliaryColumns.ROW_ID;
import static io.txwatch.prepare.AuxiliaryColumns.WRITERS;

import io.txwatch.history.Database;
import io.txwatch.history.WriterList;
import io.txwatch.prepare.TableInfo.Column;
import io.txwatch.prepare.TableInfo.Kind;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.Dialect;
import io.txwatch.sql.WritersColumn;
import java.sql.Connection;
import java.sql.SQLException;
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
import java.util.stream.Collectors;

/**
 * MySQL and MariaDB: two invisible columns, the row id from {@code uuid_short()} with its top bit
 * taken off, so that it is a positive long.
 *
 * <p>MySQL refuses such a default in ADD COLUMN (error 1674, unsafe function; seen on 9.7 with its
 * binary log on and off). There the column is added empty, filled by an UPDATE that keeps {@code ON
 * UPDATE} columns as they are, and then given its default; a table with UPDATE triggers is left
 * alone, because they would fire.
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
final class MySqlSchema extends SchemaReader {

  /** In how many rows room is taken for writers before there are any: some 110 MB of them. */
  private static final int MOST_ROWS_FILLED = 1_000_000;

  /** A default that is all zero bytes in a row's buffer, as NULL is. */
  private static final Pattern ZERO = Pattern.compile("|NULL|-?0*\\.?0*");

  /** What {@code information_schema.columns.extra} says of such a column. */
  private static final Pattern CHANGES_BY_ITSELF =
      Pattern.compile(
          "on update|(virtual|stored|persistent) generated|^(virtual|persistent)$",
          Pattern.CASE_INSENSITIVE);

  private static final String NEW_ROW_ID = "uuid_short() & 9223372036854775807";

  private final Dialect dialect;
  private final boolean hasInvisibleColumns;
  private final NameFolding folding;
  private final RowsWrittenAnew rowsWrittenAnew;

  MySqlSchema(Dialect dialect, Database database) {
    this.dialect = dialect;
    this.rowsWrittenAnew = RowsWrittenAnew.of(database);
    this.folding =
        "0".equals(database.settings().getOrDefault("lower_case_table_names", "0"))
            ? NameFolding.EXACT
            : NameFolding.INSENSITIVE;
    this.hasInvisibleColumns =
        dialect == Dialect.MARIADB
            ? Versions.atLeast(database.version(), 10, 3, 0)
            : Versions.atLeast(database.version(), 8, 0, 23);
  }

  @Override
  Dialect dialect() {
    return dialect;
  }

  @Override
  NameFolding folding() {
    return folding;
  }

  @Override
  List<String> path(Connection connection) throws SQLException {
    List<String> current = query(connection, "SELECT DATABASE()", row -> text(row, 1));
    return current.get(0).isEmpty() ? List.of() : current;
  }

  @Override
  OpenedSession opened(Connection connection) throws SQLException {
    return query(
            connection,
            "SELECT DATABASE(), @@sql_mode, @@character_set_connection, @@completion_type",
            row ->
                new OpenedSession(
                    text(row, 1).isEmpty() ? List.of() : List.of(text(row, 1)),
                    Lexis.isOther(text(row, 2)),
                    Lexis.storesAsGiven(text(row, 2), text(row, 3)),
                    rowsWrittenAnew.areUnseen(connection, text(row, 4))))
        .get(0);
  }

  @Override
  Optional<TableInfo> table(Connection connection, String schema, String name) throws SQLException {
    Set<TableInfo> withoutHistory = new HashSet<>(); // InnoDB's that keep no old rows
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
                  if (type.equalsIgnoreCase("BASE TABLE")
                      && text(row, 4).equalsIgnoreCase("InnoDB")) {
                    withoutHistory.add(info);
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
    List<Column> columns =
        query(
            connection,
            "SELECT column_name, column_type, column_default, extra, privileges,"
                + " character_set_name, is_nullable"
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
              String characters = text(row, 6);
              if (!characters.isEmpty() && !Lexis.hasAscii(characters)) {
                inOtherLetters.put(text(row, 1), " character set " + characters);
              }
              return new Column(
                  text(row, 1),
                  text(row, 2).toLowerCase(Locale.ROOT),
                  text(row, 3),
                  !text(row, 4).toUpperCase(Locale.ROOT).contains("INVISIBLE"),
                  privileges.contains("select"),
                  privileges.contains("insert"),
                  privileges.contains("update"));
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
                plainInnoDb)
            : view(
                connection,
                "SELECT view_definition FROM information_schema.views"
                    + " WHERE table_schema = ? AND table_name = ?",
                table.schema(),
                table.name());
    return Optional.of(new TableInfo(table.schema(), table.name(), table.kind(), columns, traits));
  }

  private static Catalog.Traits traits(
      Connection connection,
      TableInfo table,
      List<Column> columns,
      Set<String> changing,
      Map<String, String> inOtherLetters,
      Set<String> notNull,
      Set<String> nullOverDefault,
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
    List<IndexPart> indexes = indexes(connection, table);
    return new Catalog.Traits(
        Map.copyOf(types),
        Set.copyOf(changing),
        triggers.contains("BEFORE UPDATE"),
        keys(indexes),
        "",
        Set.copyOf(notNull),
        Set.copyOf(nullOverDefault),
        plainInnoDb && updateRunsNothing && changing.isEmpty(),
        plainInnoDb && triggers.isEmpty(),
        indexes.stream().map(IndexPart::column).collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * A column in an index.
   *
   * @param column in lower case; empty for an expression
   */
  private record IndexPart(String index, String column, boolean nullable, boolean unique) {}

  /** All indexes, the primary key first. */
  private static List<IndexPart> indexes(Connection connection, TableInfo table)
      throws SQLException {
    return query(
        connection,
        "SELECT index_name, column_name, nullable, non_unique FROM information_schema.statistics"
            + " WHERE table_schema = ? AND table_name = ?"
            + " ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index",
        row ->
            new IndexPart(
                text(row, 1),
                text(row, 2).toLowerCase(Locale.ROOT),
                text(row, 2).isEmpty() || text(row, 3).equalsIgnoreCase("YES"),
                !row.getBoolean(4)),
        table.schema(),
        table.name());
  }

  /** Unique indexes over columns none of which may be null. */
  private static List<List<String>> keys(List<IndexPart> indexes) {
    Map<String, List<String>> keys = new LinkedHashMap<>();
    Set<String> nullable = new HashSet<>();
    for (IndexPart part : indexes) {
      if (part.unique()) {
        keys.computeIfAbsent(part.index(), index -> new ArrayList<>()).add(part.column());
        if (part.nullable()) {
          nullable.add(part.index());
        }
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

  /** MariaDB's list of row versions must fit in GROUP_CONCAT, or the application gets a warning. */
  @Override
  boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    int characters = Catalog.SMALL_TABLE_ROWS * (WriterList.WINDOW_LENGTH + 50);
    boolean fits =
        dialect == Dialect.MYSQL
            || query(
                    connection,
                    "SELECT @@GLOBAL.group_concat_max_len >= " + characters,
                    row -> row.getBoolean(1))
                .get(0);
    return fits && super.isSmall(connection, table);
  }

  @Override
  List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
            + " ORDER BY table_name",
        row -> text(row, 1),
        schema);
  }

  @Override
  boolean isPrepared(TableInfo table) {
    return table
            .column(ROW_ID)
            .filter(
                c ->
                    c.type().startsWith("bigint")
                        && c.defaultValue().toLowerCase(Locale.ROOT).contains("uuid_short"))
            .isPresent()
        && table.column(WRITERS).filter(c -> WritersColumn.isOurs(c.type())).isPresent();
  }

  @Override
  boolean auxiliaryVisible() {
    return false;
  }

  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException {
    if (!hasInvisibleColumns) {
      return Optional.of("this version has no invisible columns (MySQL 8.0.23, MariaDB 10.3)");
    }
    List<String> engines =
        query(
            connection,
            "SELECT t.engine FROM information_schema.tables t"
                + " LEFT JOIN information_schema.engines e ON e.engine = t.engine"
                + " WHERE t.table_schema = ? AND t.table_name = ?"
                + " AND (e.transactions IS NULL OR e.transactions <> 'YES')",
            row -> text(row, 1),
            table.schema(),
            table.name());
    if (!engines.isEmpty()) {
      return Optional.of("its engine " + engines.get(0) + " has no transactions");
    }
    if (filledByUpdate()) {
      List<String> triggers =
          query(
              connection,
              "SELECT trigger_name FROM information_schema.triggers"
                  + " WHERE event_object_schema = ? AND event_object_table = ?"
                  + " AND event_manipulation = 'UPDATE'",
              row -> text(row, 1),
              table.schema(),
              table.name());
      if (!triggers.isEmpty()) {
        return Optional.of(
            "its rows are filled by an UPDATE, which would fire its trigger " + triggers.get(0));
      }
    }
    return Optional.empty();
  }

  private boolean filledByUpdate() {
    return dialect == Dialect.MYSQL;
  }

  @Override
  List<String> prepare(Connection connection, TableInfo table) throws SQLException {
    String name = qualified(table);
    String writers =
        WRITERS
            + " VARCHAR("
            + WritersColumn.length(dialect)
            + ") CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '"
            + (hasAtMost(MOST_ROWS_FILLED, connection, table) ? WriterList.UNWRITTEN : "")
            + "' INVISIBLE"
            + " COMMENT 'txwatch: newest writers'";
    String rowIdEnd = " INVISIBLE COMMENT 'txwatch: row id'";
    String rowId = ROW_ID + " BIGINT NOT NULL DEFAULT (" + NEW_ROW_ID + ")" + rowIdEnd;
    if (!filledByUpdate()) {
      return List.of("ALTER TABLE " + name + " ADD COLUMN " + rowId + ", ADD COLUMN " + writers);
    }
    StringBuilder fill =
        new StringBuilder("UPDATE " + name + " SET " + ROW_ID + " = " + NEW_ROW_ID);
    for (String column : updatedByThemselves(connection, table)) {
      String quoted = NameFolding.quote(dialect, column);
      fill.append(", ").append(quoted).append(" = ").append(quoted);
    }
    List<String> statements = new ArrayList<>();
    statements.add(
        "ALTER TABLE "
            + name
            + " ADD COLUMN "
            + ROW_ID
            + " BIGINT"
            + rowIdEnd
            + ", ADD COLUMN "
            + writers);
    statements.add(fill.append(" WHERE " + ROW_ID + " IS NULL").toString());
    statements.add(
        "ALTER TABLE " + name + " ALTER COLUMN " + ROW_ID + " SET DEFAULT (" + NEW_ROW_ID + ")");
    return statements;
  }

  private static List<String> updatedByThemselves(Connection connection, TableInfo table)
      throws SQLException {
    return query(
        connection,
        "SELECT column_name FROM information_schema.columns WHERE table_schema = ?"
            + " AND table_name = ? AND extra LIKE '%on update%'",
        row -> text(row, 1),
        table.schema(),
        table.name());
  }

  @Override
  List<String> unprepare(Connection connection, TableInfo table) {
    return List.of(drop(table));
  }

  @Override
  List<String> undo(Connection connection, TableInfo now, TablePlan failed) {
    return filledByUpdate() && now.hasAuxiliaryName() ? List.of(drop(now)) : List.of();
  }

  private String drop(TableInfo table) {
    return "ALTER TABLE "
        + qualified(table)
        + " DROP COLUMN "
        + ROW_ID
        + ", DROP COLUMN "
        + WRITERS;
  }

  @Override
  List<String> waitForNoLock() {
    return dialect == Dialect.MARIADB ? List.of("SET SESSION lock_wait_timeout = 0") : List.of();
  }

  /** An older snapshot would be refused (error 1412). */
  @Override
  boolean isInUse(Connection connection, TableInfo table) {
    return finds(
            connection,
            "SELECT 1 FROM information_schema.innodb_trx t JOIN information_schema.processlist p"
                + " ON p.id = t.trx_mysql_thread_id WHERE p.id <> CONNECTION_ID()"
                + " AND (p.db = ? OR p.db IS NULL)"
                + " AND t.trx_isolation_level NOT LIKE 'READ %' LIMIT 1",
            table.schema())
        || (dialect == Dialect.MYSQL
            && finds(
                connection,
                "SELECT 1 FROM performance_schema.metadata_locks WHERE object_type = 'TABLE'"
                    + " AND object_schema = ? AND object_name = ? LIMIT 1",
                table.schema(),
                table.name()));
  }

  /** False also if this user may not see it. */
  private static boolean finds(Connection connection, String sql, String... parameters) {
    try {
      return !query(connection, sql, row -> true, parameters).isEmpty();
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  boolean ddlIsTransactional() {
    return false;
  }

  @Override
  List<String> bounds(Duration lock, Duration work) {
    String locks =
        "SET SESSION lock_wait_timeout = "
            + Math.max(1, lock.toSeconds())
            + ", SESSION innodb_lock_wait_timeout = "
            + Math.max(1, lock.toSeconds());
    return dialect == Dialect.MARIADB
        ? List.of(locks, "SET SESSION max_statement_time = " + work.toSeconds())
        : List.of(locks);
  }

  @Override
  String lockNote() {
    String how =
        filledByUpdate()
            ? "the columns are added, the rows filled by an UPDATE, the default set: three steps,"
                + " undone together if one fails"
            : "ALTER TABLE copies the table: nobody writes it meanwhile";
    return how + " (dots are room for the writers to come)";
  }
}
