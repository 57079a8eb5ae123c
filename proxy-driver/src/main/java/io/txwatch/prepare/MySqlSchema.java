package io.txwatch.prepare;

import static io.txwatch.prepare.AuxiliaryColumns.ROW_ID;
import static io.txwatch.prepare.AuxiliaryColumns.WRITERS;

import io.txwatch.history.Database;
import io.txwatch.history.WriterList;
import io.txwatch.prepare.MySqlFill.KeyType;
import io.txwatch.prepare.Step.Work;
import io.txwatch.prepare.TableInfo.Column;
import io.txwatch.prepare.TableInfo.Kind;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.Dialect;
import io.txwatch.sql.WritersColumn;
import java.sql.Connection;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * MySQL and MariaDB: two invisible columns, the row id from {@code uuid_short()} with its top bit
 * taken off, so that it is a positive long.
 *
 * <p>MySQL refuses such a default in ADD COLUMN (error 1674, unsafe function; seen on 9.7 with its
 * binary log on and off). There the column is added empty and given its default, and then the rows
 * are {@linkplain MySqlFill filled} by UPDATEs that keep {@code ON UPDATE} columns as they are; a
 * table with UPDATE triggers is left alone, because they would fire.
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
  private static final int MAX_ROWS_FILLED = 1_000_000;

  /** A default that is all zero bytes in a row's buffer, as NULL is. */
  private static final Pattern ZERO = Pattern.compile("|NULL|-?0*\\.?0*");

  /** What {@code information_schema.columns.extra} says of such a column. */
  private static final Pattern CHANGES_BY_ITSELF =
      Pattern.compile(
          "on update|(virtual|stored|persistent) generated|^(virtual|persistent)$",
          Pattern.CASE_INSENSITIVE);

  /** What tells that a row has no id yet. */
  static final String UNFILLED = ROW_ID + " IS NULL";

  /** The comment of the list of writers in a table that is prepared. */
  private static final String WRITTEN = "txwatch: newest writers";

  /** Its comment while rows of the table have no id yet. */
  private static final String FILLING = "txwatch: newest writers; rows are being filled";

  private static final String INSTANTLY = ", ALGORITHM=INSTANT";

  /** As many rows without a key are searched again and again for those that are not filled yet. */
  private static final int MAX_ROWS_WITHOUT_KEY = 1_000_000;

  /** How long a busy table is watched for a moment at which nobody uses it. */
  private static final Duration MAX_WAIT_FOR_NOBODY = Duration.ofSeconds(2);

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
                + " character_set_name, is_nullable, column_comment"
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
    return isOurs(table)
        && table.column(ROW_ID).filter(MySqlSchema::givesIds).isPresent()
        && table
            .column(WRITERS)
            .filter(c -> WritersColumn.isOurs(c.type()) && !c.comment().equals(FILLING))
            .isPresent();
  }

  /** By their comments, which they have from the first step on. */
  @Override
  boolean isOurs(TableInfo table) {
    return table.hasAuxiliaryName()
        && table.columns().stream()
            .filter(c -> AuxiliaryColumns.isAuxiliary(c.name()))
            .allMatch(c -> c.comment().startsWith("txwatch: "));
  }

  private static boolean givesIds(Column rowId) {
    return rowId.defaultValue().toLowerCase(Locale.ROOT).contains("uuid_short");
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
    if (isSystemVersioned(connection, table)) {
      return Optional.of("it is system-versioned: its old rows would have to be changed, too");
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
      if (table.column(ROW_ID).isPresent() != table.column(WRITERS).isPresent()) {
        return Optional.of("one of its auxiliary columns is missing: unprepare it first");
      }
      if (fillKey(connection, table).isEmpty()
          && !hasAtMost(MAX_ROWS_WITHOUT_KEY, connection, table)) {
        return Optional.of(
            "it has more than "
                + MAX_ROWS_WITHOUT_KEY
                + " rows and no primary or unique key of numbers, characters, bytes or dates by"
                + " which they could be filled in batches");
      }
    }
    return Optional.empty();
  }

  private static boolean isSystemVersioned(Connection connection, TableInfo table)
      throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?"
                + " AND table_type = 'SYSTEM VERSIONED'",
            row -> 1,
            table.schema(),
            table.name())
        .isEmpty();
  }

  /**
   * MariaDB's {@code ROW TYPE OF} and {@code HANDLER} take invisible columns for columns. MySQL has
   * neither in stored code.
   */
  @Override
  List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    if (dialect != Dialect.MARIADB) {
      return List.of();
    }
    String name = "`?(?i:" + Pattern.quote(table.name()) + ")`?(?![\\w$])";
    String schema = "`?(?i:" + Pattern.quote(table.schema()) + ")`?\\s*\\.\\s*";
    record Code(String schema, String name, String body) {}
    return query(
            connection,
            "SELECT routine_schema, CONCAT(LOWER(routine_type), ' ', routine_schema, '.',"
                + " routine_name), routine_definition FROM information_schema.routines"
                + " UNION ALL SELECT trigger_schema, CONCAT('trigger ', trigger_schema, '.',"
                + " trigger_name), action_statement FROM information_schema.triggers"
                + " UNION ALL SELECT event_schema, CONCAT('event ', event_schema, '.', event_name),"
                + " event_definition FROM information_schema.events",
            row -> new Code(text(row, 1), text(row, 2), text(row, 3)))
        .stream()
        .filter(
            code -> {
              boolean isHome = folding.same(code.schema, table.schema());
              String place = isHome ? "(" + schema + ")?" + name : schema + name;
              return Pattern.compile(
                      "(?is)\\b(row\\s+type\\s+of|handler)\\s+"
                          + place
                          + ("|(?<![\\w$.])" + place + "\\s*%\\s*rowtype"))
                  .matcher(code.body)
                  .find();
            })
        .map(Code::name)
        .toList();
  }

  private boolean filledByUpdate() {
    return dialect == Dialect.MYSQL;
  }

  /**
   * On MySQL each step starts from what the one before left in the catalog, so that whoever comes
   * after an interruption goes on with the next one. The list of writers says in its comment that
   * rows are being filled, until they are.
   */
  @Override
  List<Step> prepare(Connection connection, TableInfo table) throws SQLException {
    String name = qualified(table);
    String rowIdEnd = " INVISIBLE COMMENT 'txwatch: row id'";
    if (!filledByUpdate()) {
      return List.of(
          Step.rewrite(
              "ALTER TABLE "
                  + name
                  + (" ADD COLUMN " + ROW_ID + " BIGINT NOT NULL DEFAULT (" + NEW_ROW_ID + ")")
                  + rowIdEnd
                  + (", ADD COLUMN " + writers(firstWriters(connection, table), WRITTEN))));
    }
    List<Step> steps = new ArrayList<>();
    Optional<Column> writers = table.column(WRITERS);
    String unwritten =
        writers.isPresent() ? writers.get().defaultValue() : firstWriters(connection, table);
    if (writers.isEmpty()) {
      steps.add(
          add(
              connection,
              table,
              "ALTER TABLE "
                  + name
                  + (" ADD COLUMN " + ROW_ID + " BIGINT" + rowIdEnd)
                  + (", ADD COLUMN " + writers(unwritten, FILLING))));
    } else if (!writers.get().comment().equals(FILLING)) {
      steps.add(
          Step.instant("ALTER TABLE " + name + " MODIFY COLUMN " + writers(unwritten, FILLING)));
    }
    if (table.column(ROW_ID).filter(MySqlSchema::givesIds).isEmpty()) {
      steps.add(
          Step.instant(
              "ALTER TABLE "
                  + name
                  + (" ALTER COLUMN " + ROW_ID + " SET DEFAULT (" + NEW_ROW_ID + ")")));
    }
    steps.add(
        new Step(
            "UPDATE " + name + " SET " + assignments(connection, table) + " WHERE " + UNFILLED,
            Work.FILL));
    steps.add(
        Step.instant("ALTER TABLE " + name + " MODIFY COLUMN " + writers(unwritten, WRITTEN)));
    return steps;
  }

  /** What the list of writers is in rows that are there already. */
  private String firstWriters(Connection connection, TableInfo table) throws SQLException {
    return hasAtMost(MAX_ROWS_FILLED, connection, table) ? WriterList.UNWRITTEN : "";
  }

  private String writers(String unwritten, String comment) {
    return WRITERS
        + (" VARCHAR(" + WritersColumn.length(dialect) + ")")
        + (" CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '" + unwritten + "'")
        + (" INVISIBLE COMMENT '" + comment + "'");
  }

  private static String assignments(Connection connection, TableInfo table) throws SQLException {
    StringBuilder assignments = new StringBuilder(ROW_ID + " = " + NEW_ROW_ID);
    for (String column : updatedByThemselves(connection, table)) {
      String quoted = NameFolding.quote(Dialect.MYSQL, column);
      assignments.append(", ").append(quoted).append(" = ").append(quoted);
    }
    return assignments.toString();
  }

  /** A change of columns, as it is done to a table of that kind. */
  private static Step add(Connection connection, TableInfo table, String sql) throws SQLException {
    List<String> reasons =
        query(
            connection,
            "SELECT 'row format' FROM information_schema.tables WHERE table_schema = ?"
                + " AND table_name = ? AND row_format = 'Compressed' UNION ALL"
                + " SELECT 'full text' FROM information_schema.statistics WHERE table_schema = ?"
                + " AND table_name = ? AND index_type = 'FULLTEXT'",
            row -> text(row, 1),
            table.schema(),
            table.name(),
            table.schema(),
            table.name());
    return reasons.isEmpty() ? Step.instant(sql + INSTANTLY) : Step.rewrite(sql);
  }

  @Override
  void apply(Connection connection, TableInfo table, Step step, Pace pace) throws SQLException {
    if (dialect == Dialect.MYSQL && step.work() == Work.INSTANT) {
      try {
        awaitNobody(connection, table);
        instantly(connection, step.sql(), pace);
      } catch (SQLException e) {
        if (!step.sql().endsWith(INSTANTLY) || !Failures.isOtherAlgorithmNeeded(e)) {
          throw e;
        }
        pace.progress()
            .accept(table.name() + ": it cannot be done instantly, the table is written anew");
        run(connection, List.of(step.sql().replace(INSTANTLY, "")));
      }
    } else if (step.work() == Work.FILL) {
      new MySqlFill(
              connection,
              qualified(table),
              assignments(connection, table),
              fillKey(connection, table).orElse(null),
              pace)
          .run();
    } else {
      run(connection, List.of(step.sql()));
    }
  }

  /**
   * Waits a while for a moment at which no transaction uses the table. A transaction that has read
   * it and goes on to write it while an ALTER TABLE waits for it is rolled back (1213): the shorter
   * the wait, the fewer.
   */
  private static void awaitNobody(Connection connection, TableInfo table) {
    long deadline = System.nanoTime() + MAX_WAIT_FOR_NOBODY.toNanos();
    try {
      while (System.nanoTime() < deadline
          && !query(
                  connection,
                  "SELECT 1 FROM performance_schema.metadata_locks WHERE object_type = 'TABLE'"
                      + " AND object_schema = ? AND object_name = ? LIMIT 1",
                  row -> 1,
                  table.schema(),
                  table.name())
              .isEmpty()
          && Pace.sleep(Duration.ofMillis(1))) {
        continue;
      }
    } catch (SQLException e) {
      // It cannot be seen from here: the wait is bounded all the same.
    }
  }

  private static void instantly(Connection connection, String sql, Pace pace) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      CancelledWait.run(statement, pace.lockWait(), () -> statement.execute(sql));
    }
  }

  /** The first key, the primary one before others, whose values can be carried safely. */
  private static Optional<MySqlFill.Key> fillKey(Connection connection, TableInfo table)
      throws SQLException {
    record Part(String index, String column, @Nullable KeyType type) {}
    Map<String, List<Part>> keys = new LinkedHashMap<>();
    query(
            connection,
            "SELECT s.index_name, s.column_name, c.column_type, s.sub_part, c.is_nullable"
                + " FROM information_schema.statistics s LEFT JOIN information_schema.columns c"
                + " ON c.table_schema = s.table_schema AND c.table_name = s.table_name"
                + " AND c.column_name = s.column_name"
                + " WHERE s.table_schema = ? AND s.table_name = ? AND s.non_unique = 0"
                + " ORDER BY s.index_name <> 'PRIMARY', s.index_name, s.seq_in_index",
            row -> {
              boolean whole = row.getString(4) == null && text(row, 5).equals("NO");
              return new Part(text(row, 1), text(row, 2), whole ? KeyType.of(text(row, 3)) : null);
            },
            table.schema(),
            table.name())
        .forEach(part -> keys.computeIfAbsent(part.index, i -> new ArrayList<>()).add(part));
    for (List<Part> key : keys.values()) {
      List<MySqlFill.KeyColumn> columns = new ArrayList<>();
      for (Part part : key) {
        KeyType type = part.type;
        if (type != null) {
          columns.add(new MySqlFill.KeyColumn(NameFolding.quote(Dialect.MYSQL, part.column), type));
        }
      }
      if (columns.size() == key.size()) {
        return Optional.of(
            new MySqlFill.Key(NameFolding.quote(Dialect.MYSQL, key.get(0).index), columns));
      }
    }
    return Optional.empty();
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
  List<Step> unprepare(Connection connection, TableInfo table) throws SQLException {
    String sql =
        "ALTER TABLE "
            + qualified(table)
            + table.columns().stream()
                .filter(c -> AuxiliaryColumns.isAuxiliary(c.name()))
                .map(c -> " DROP COLUMN " + NameFolding.quote(dialect, c.name()))
                .collect(Collectors.joining(","));
    return List.of(filledByUpdate() ? add(connection, table, sql) : Step.rewrite(sql));
  }

  /** Counted as far as that is quick; the estimate beyond may be a day old. */
  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
    long counted = countUpTo(MAX_ROWS_FILLED + 1, connection, table);
    if (counted <= MAX_ROWS_FILLED) {
      return counted;
    }
    List<Long> estimates =
        query(
            connection,
            "SELECT table_rows FROM information_schema.tables"
                + " WHERE table_schema = ? AND table_name = ?",
            row -> row.getLong(1),
            table.schema(),
            table.name());
    return Math.max(counted, estimates.get(0));
  }

  @Override
  int rowsPerSecond(Work work) {
    return work == Work.FILL ? 20_000 : 100_000;
  }

  @Override
  String analyze(TableInfo table) {
    return "ANALYZE NO_WRITE_TO_BINLOG TABLE " + qualified(table);
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
  String lockNote(List<Step> steps) {
    List<String> notes = new ArrayList<>();
    for (Work work : Work.values()) {
      if (steps.stream().anyMatch(step -> step.work() == work)) {
        notes.add(
            switch (work) {
              case INSTANT ->
                  "instant: the catalog alone changes; a transaction with an older snapshot fails once"
                      + " with error 1412 when it then reads the table, one that reads and then"
                      + " writes it in this moment with 1213";
              case REWRITE ->
                  "rewrite: the table is copied: reads go on, writes wait meanwhile; a transaction"
                      + " that reads and then writes it as this begins or ends fails once with 1213";
              case FILL ->
                  "fill: rows are written in batches of at most "
                      + MySqlFill.MAX_BATCH
                      + ", each locked for about 50 ms; what others have locked is done later";
            });
      }
    }
    if (steps.stream().anyMatch(step -> step.sql().contains(WriterList.UNWRITTEN))) {
      notes.add("the dots are room for the writers to come");
    }
    return String.join("; ", notes);
  }
}
