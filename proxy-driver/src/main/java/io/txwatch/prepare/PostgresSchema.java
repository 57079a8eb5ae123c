package io.txwatch.prepare;

import static io.txwatch.prepare.AuxiliaryColumns.ROW_ID;
import static io.txwatch.prepare.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.prepare.AuxiliaryColumns.WRITERS;
import static io.txwatch.sql.Catalog.Traits.UNKNOWN;

import io.txwatch.history.Database;
import io.txwatch.history.WriterList;
import io.txwatch.prepare.TableInfo.Column;
import io.txwatch.prepare.TableInfo.Kind;
import io.txwatch.prepare.TableInfo.SystemVersions;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.Catalog.Status;
import io.txwatch.sql.Dialect;
import io.txwatch.sql.RowKey;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PostgreSQL: two appended columns, the row id from a sequence of its schema. All schema reads are
 * of {@code pg_catalog}, which takes no lock that anybody waits for and is never predicate-locked.
 */
final class PostgresSchema extends SchemaReader {

  /** True if a row that is locked is written by nobody else until the transaction ends. */
  private final boolean locksHold;

  /** True if RETURNING can return the replaced row. */
  private final boolean returnsOld;

  private final boolean usesSystemColumns;

  /** Of others that speak its dialect no more is taken for granted than what they tell. */
  PostgresSchema(Database database, boolean usesSystemColumns) {
    this.locksHold = database.product().equals("PostgreSQL");
    this.returnsOld = returnsOld(database);
    this.usesSystemColumns = usesSystemColumns;
  }

  /** True if RETURNING can return the replaced row. */
  static boolean returnsOld(Database database) {
    return database.product().equals("PostgreSQL") && majorVersion(database) >= 18;
  }

  private static int majorVersion(Database database) {
    String digits = database.version().replaceAll("\\D.*", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  @Override
  Dialect dialect() {
    return Dialect.POSTGRESQL;
  }

  @Override
  NameFolding folding() {
    return NameFolding.POSTGRESQL;
  }

  @Override
  List<String> path(Connection connection) throws SQLException {
    return query(
        connection,
        "SELECT s FROM unnest(current_schemas(true)) WITH ORDINALITY AS p(s, i)"
            + " ORDER BY (s = 'pg_catalog'), i",
        row -> text(row, 1));
  }

  @Override
  OpenedSession opened(Connection connection) throws SQLException {
    List<String> conforming = new ArrayList<>();
    List<String> started = new ArrayList<>();
    List<String> path =
        query(
            connection,
            "SELECT s, current_setting('standard_conforming_strings'),"
                + " extract(epoch FROM pg_catalog.pg_postmaster_start_time())::pg_catalog.text"
                + " FROM unnest(current_schemas(true)) WITH ORDINALITY AS p(s, i)"
                + " ORDER BY (s = 'pg_catalog'), i",
            row -> {
              conforming.add(text(row, 2));
              started.add(text(row, 3));
              return text(row, 1);
            });
    return new OpenedSession(
        path, conforming.contains("off"), false, false, started.isEmpty() ? "" : started.get(0));
  }

  @Override
  Optional<TableInfo> table(Connection connection, String schema, String name) throws SQLException {
    List<Found> found =
        query(
            connection,
            "SELECT c.oid::text, c.relkind::text, c.relpersistence::text"
                + " FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ?"
                + " AND c.relkind IN ('r', 'p', 'v', 'm', 'f')",
            row -> new Found(text(row, 1), kind(schema, text(row, 2), text(row, 3))),
            schema,
            name);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    List<Column> columns =
        query(
            connection,
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod),"
                + " pg_get_expr(d.adbin, d.adrelid),"
                + " has_column_privilege(a.attrelid, a.attnum, 'SELECT'),"
                + " has_column_privilege(a.attrelid, a.attnum, 'INSERT'),"
                + " has_column_privilege(a.attrelid, a.attnum, 'UPDATE')"
                + " FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d"
                + " ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
                + " WHERE a.attrelid = ?::oid AND a.attnum > 0 AND NOT a.attisdropped"
                + " ORDER BY a.attnum",
            row ->
                new Column(
                    text(row, 1),
                    text(row, 2),
                    text(row, 3),
                    true,
                    row.getBoolean(4),
                    row.getBoolean(5),
                    row.getBoolean(6),
                    ""),
            found.get(0).oid);
    // Without a path every name in it is told with its schema.
    Catalog.Traits traits =
        switch (found.get(0).kind) {
          case VIEW ->
              view(
                  connection,
                  "SELECT pg_get_viewdef(c.oid)"
                      + " FROM set_config('search_path', 'pg_catalog', true),"
                      + " pg_catalog.pg_class c WHERE c.oid = ?::oid AND c.relkind = 'v'",
                  found.get(0).oid);
          case TABLE -> locksHold ? traits(connection, found.get(0).oid, columns) : UNKNOWN;
          default -> UNKNOWN;
        };
    Optional<SystemVersions> versions =
        usesSystemColumns && found.get(0).kind == Kind.TABLE
            ? Optional.of(systemVersions(connection, found.get(0).oid))
            : Optional.empty();
    return Optional.of(new TableInfo(schema, name, found.get(0).kind, columns, traits, versions));
  }

  /** Types whose texts do not depend on a setting of the session. */
  private static final Set<String> KEY_TYPES =
      Set.of(
          "smallint",
          "integer",
          "bigint",
          "numeric",
          "boolean",
          "uuid",
          "text",
          "character varying",
          "character");

  private static final Set<String> INTEGER_TYPES = Set.of("smallint", "integer", "bigint");

  /**
   * The first key over columns that are never null, of types whose texts do not change, the primary
   * key before others; a key of a parent of inheritance does not bind its children's rows. Left
   * alone are tables where RETURNING can fail or see something else: with rules, row security or
   * foreign partitions.
   */
  private SystemVersions systemVersions(Connection connection, String oid) throws SQLException {
    record Part(
        String index,
        String column,
        String type,
        boolean isNotNull,
        Status status,
        boolean bindsAllRows) {}
    List<Part> parts =
        query(
            connection,
            "WITH RECURSIVE family(oid) AS (SELECT ?::pg_catalog.oid UNION"
                + " SELECT h.inhrelid FROM pg_catalog.pg_inherits h"
                + " JOIN family f ON h.inhparent = f.oid)"
                + " SELECT i.indexrelid::text, a.attname,"
                + " pg_catalog.format_type(a.atttypid, NULL), a.attnotnull,"
                + " CASE WHEN NOT pg_catalog.has_table_privilege(c.oid, 'SELECT') THEN 'NO_RIGHTS'"
                + " WHEN c.relrowsecurity OR c.relhasrules OR EXISTS (SELECT 1 FROM family"
                + " JOIN pg_catalog.pg_class p USING (oid) WHERE p.relkind = 'f')"
                + " THEN 'NOT_A_BASE_TABLE'"
                + " ELSE 'SYSTEM_COLUMNS' END, NOT (c.relkind = 'r' AND c.relhassubclass)"
                + " FROM pg_catalog.pg_class c LEFT JOIN (pg_catalog.pg_index i"
                + " CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(att, n)"
                + " JOIN pg_catalog.pg_attribute a"
                + " ON a.attrelid = i.indrelid AND a.attnum = k.att AND k.n <= i.indnkeyatts)"
                + " ON i.indrelid = c.oid AND i.indisunique AND i.indimmediate AND i.indisvalid"
                + " AND i.indpred IS NULL AND i.indexprs IS NULL"
                + " WHERE c.oid = ?::pg_catalog.oid"
                + " ORDER BY NOT i.indisprimary, i.indexrelid, k.n",
            row ->
                new Part(
                    text(row, 1),
                    text(row, 2),
                    text(row, 3),
                    row.getBoolean(4),
                    Status.valueOf(text(row, 5)),
                    row.getBoolean(6)),
            oid,
            oid);
    Status status = parts.get(0).status();
    if (status != Status.SYSTEM_COLUMNS) {
      return new SystemVersions(status, Optional.empty());
    }
    Map<String, List<Part>> keys = new LinkedHashMap<>();
    parts.forEach(p -> keys.computeIfAbsent(p.index(), i -> new ArrayList<>()).add(p));
    for (List<Part> key : keys.values()) {
      if (key.stream()
          .allMatch(p -> p.bindsAllRows() && p.isNotNull() && KEY_TYPES.contains(p.type()))) {
        boolean isInteger = key.size() == 1 && INTEGER_TYPES.contains(key.get(0).type());
        List<String> columns = key.stream().map(Part::column).toList();
        return new SystemVersions(
            Status.SYSTEM_COLUMNS, Optional.of(new RowKey(columns, isInteger, returnsOld)));
      }
    }
    return new SystemVersions(
        Status.SYSTEM_COLUMNS, Optional.of(new RowKey(List.of(), false, returnsOld)));
  }

  private record Found(String oid, Kind kind) {}

  /** What decides whether its rows stay where they are while they are locked. */
  private static Catalog.Traits traits(Connection connection, String oid, List<Column> columns)
      throws SQLException {
    Map<String, String> types = new HashMap<>();
    for (Column column : columns) {
      String before = types.put(column.name().toLowerCase(Locale.ROOT), column.type());
      if (before != null) {
        return UNKNOWN; // "Id" beside id
      }
    }
    Optional<List<List<String>>> found = keysIfNothingRuns(connection, oid);
    List<List<String>> keys = found.orElse(List.of());
    types.keySet().removeIf(name -> keys.stream().noneMatch(key -> key.contains(name)));
    return new Catalog.Traits(
        Map.copyOf(types),
        Set.of(),
        false,
        keys,
        "",
        Set.of(),
        Set.of(),
        false,
        found.isPresent(),
        Set.of());
  }

  /**
   * Unique indexes over columns none of which may be null, the primary key first: those that are
   * checked at once, over all rows, and find equal what {@code =} finds equal. Empty for a table
   * that something else runs for ({@link Catalog.Traits#runsNothing}).
   */
  private static Optional<List<List<String>>> keysIfNothingRuns(Connection connection, String oid)
      throws SQLException {
    record Part(String index, String column, boolean plain) {}
    List<Part> parts =
        query(
            connection,
            "SELECT k.index::text, k.name, k.plain FROM pg_catalog.pg_class c"
                + " LEFT JOIN LATERAL (SELECT i.indexrelid AS index, i.indisprimary AS first, p.n,"
                + " a.attname AS name, a.attnotnull AND p.coll = a.attcollation AND o.opcdefault"
                + " AND coalesce(to_json(a) ->> 'attgenerated', '') = '' AS plain"
                + " FROM pg_catalog.pg_index i"
                + " CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indclass::oid[],"
                + " i.indcollation::oid[]) WITH ORDINALITY AS p(att, class, coll, n)"
                + " JOIN pg_catalog.pg_attribute a"
                + " ON a.attrelid = i.indrelid AND a.attnum = p.att"
                + " JOIN pg_catalog.pg_opclass o ON o.oid = p.class"
                + " WHERE i.indrelid = c.oid AND i.indisunique AND i.indimmediate"
                + " AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL) k ON true"
                + " WHERE c.oid = ?::oid AND c.relkind = 'r'"
                + " AND NOT c.relhasrules AND NOT c.relhassubclass"
                + " AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t"
                + " WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)"
                + " AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint f"
                + " WHERE f.confrelid = c.oid AND f.contype = 'f'"
                + " AND f.confupdtype NOT IN ('a', 'r'))"
                + " ORDER BY NOT k.first, k.index, k.n",
            row -> new Part(text(row, 1), text(row, 2).toLowerCase(Locale.ROOT), row.getBoolean(3)),
            oid);
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    Map<String, List<String>> keys = new LinkedHashMap<>();
    Set<String> others = new HashSet<>();
    for (Part part : parts) {
      keys.computeIfAbsent(part.index(), index -> new ArrayList<>()).add(part.column());
      if (!part.plain()) {
        others.add(part.index()); // or there is no index
      }
    }
    keys.keySet().removeAll(others);
    return Optional.of(List.copyOf(keys.values()));
  }

  private static Kind kind(String schema, String relkind, String persistence) {
    if (schema.equals("pg_catalog")
        || schema.equals("information_schema")
        || schema.equals("pg_toast")) {
      return Kind.SYSTEM;
    }
    if (persistence.equals("t")) {
      return Kind.TEMPORARY;
    }
    return switch (relkind) {
      case "r", "p" -> Kind.TABLE;
      case "f" -> Kind.FOREIGN;
      default -> Kind.VIEW;
    };
  }

  /** By the size of its heap, for a count would read what is dead too. */
  @Override
  boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT NOT c.relhassubclass AND pg_catalog.pg_relation_size(c.oid) <= "
                + Catalog.SMALL_HEAP_BYTES
                + " FROM pg_catalog.pg_class c WHERE c.oid = ?::pg_catalog.regclass",
            row -> row.getBoolean(1),
            qualified(table))
        .get(0);
  }

  @Override
  List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT c.relname FROM pg_catalog.pg_class c"
            + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
            + " ORDER BY c.relispartition, c.relname",
        row -> text(row, 1),
        schema);
  }

  @Override
  boolean isPrepared(TableInfo table) {
    return usesSystemColumns
        ? table.systemVersions().flatMap(SystemVersions::key).isPresent()
        : hasColumns(table, true);
  }

  @Override
  boolean isCopied(TableInfo table) {
    return !usesSystemColumns && hasColumns(table, false);
  }

  private static boolean hasColumns(TableInfo table, boolean withDefault) {
    return table
            .column(ROW_ID)
            .filter(c -> c.type().equals("bigint"))
            .filter(
                c -> withDefault ? c.defaultValue().contains(SEQUENCE) : c.defaultValue().isEmpty())
            .isPresent()
        && table
            .column(WRITERS)
            .filter(c -> c.type().equals("character varying(" + WriterList.WINDOW_LENGTH + ")"))
            .isPresent();
  }

  @Override
  boolean auxiliaryVisible() {
    return !usesSystemColumns;
  }

  /** True if {@code prepare} has added columns to tables of a database. */
  static boolean hasPreparedTables(Connection connection) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM pg_catalog.pg_class WHERE relname = ? AND relkind = 'S' LIMIT 1",
            row -> 1,
            SEQUENCE)
        .isEmpty();
  }

  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException {
    List<String> owners =
        query(
            connection,
            "SELECT pg_get_userbyid(c.relowner) || ', this user is ' || current_user"
                + " FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ? AND NOT pg_has_role(c.relowner, 'USAGE')",
            row -> text(row, 1),
            table.schema(),
            table.name());
    if (!owners.isEmpty()) {
      return Optional.of("no rights: its owner is " + owners.get(0));
    }
    List<String> parents =
        query(
            connection,
            "SELECT p.relname FROM pg_catalog.pg_inherits i"
                + " JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " JOIN pg_catalog.pg_class p ON p.oid = i.inhparent"
                + " WHERE n.nspname = ? AND c.relname = ?",
            row -> text(row, 1),
            table.schema(),
            table.name());
    if (!parents.isEmpty()) {
      return Optional.of("it gets the columns from its parent " + parents.get(0));
    }
    List<String> kinds =
        query(
            connection,
            "WITH RECURSIVE family(oid) AS (SELECT ?::pg_catalog.regclass::oid"
                + " UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i"
                + " JOIN family f ON i.inhparent = f.oid)"
                + " SELECT CASE WHEN c.relkind = 'f' THEN 'its child ' || c.relname || ' is a foreign"
                + " table, whose server has no such columns'"
                + " ELSE 'it is a table of type ' || c.reloftype::regtype END"
                + " FROM pg_catalog.pg_class c JOIN family USING (oid)"
                + " WHERE c.relkind = 'f' OR c.reloftype <> 0",
            row -> text(row, 1),
            qualified(table));
    return kinds.stream().findFirst();
  }

  @Override
  List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    return PostgresDependents.of(connection, qualified(table));
  }

  @Override
  List<Step> prepare(Connection connection, TableInfo table) throws SQLException {
    List<Step> steps = new ArrayList<>();
    String sequence = sequence(table.schema());
    steps.add(Step.instant("SELECT pg_advisory_xact_lock(hashtext('txwatch prepare'))"));
    if (!sequenceExists(connection, table.schema())) {
      steps.add(Step.instant("CREATE SEQUENCE IF NOT EXISTS " + sequence + " AS bigint CACHE 100"));
      steps.add(Step.instant("GRANT USAGE ON SEQUENCE " + sequence + " TO PUBLIC"));
    }
    String name = qualified(table);
    String next = "nextval('" + sequence.replace("'", "''") + "')";
    if (isCopied(table)) {
      steps.add(
          Step.rewrite(
              "UPDATE " + name + " SET " + ROW_ID + " = " + next + ", " + WRITERS + " = ''"));
      steps.add(
          Step.instant(
              "ALTER TABLE "
                  + name
                  + (" ALTER " + ROW_ID + " SET DEFAULT " + next)
                  + (", ALTER " + WRITERS + " SET DEFAULT ''")));
      return steps;
    }
    // Nullable: a copy of the definition without the defaults (LIKE) must take rows all the same.
    steps.add(
        Step.rewrite(
            "ALTER TABLE "
                + name
                + (" ADD COLUMN " + ROW_ID + " bigint DEFAULT " + next)
                + (", ADD COLUMN " + WRITERS + " varchar(" + WriterList.WINDOW_LENGTH + ")")
                + " COLLATE \"C\" DEFAULT ''"));
    String comment = "COMMENT ON COLUMN " + name + ".";
    steps.add(Step.instant(comment + ROW_ID + " IS 'txwatch: row id'"));
    steps.add(Step.instant(comment + WRITERS + " IS 'txwatch: newest writers'"));
    return steps;
  }

  @Override
  List<Step> unprepare(Connection connection, TableInfo table) {
    return List.of(
        Step.instant(
            "ALTER TABLE "
                + qualified(table)
                + (" DROP COLUMN " + ROW_ID + ", DROP COLUMN " + WRITERS)));
  }

  /** The planner's estimate, which knows the table's present size and its children. */
  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
    List<String> plan =
        query(connection, "EXPLAIN SELECT 1 FROM " + qualified(table), row -> text(row, 1));
    Matcher rows = Pattern.compile("\\brows=(\\d+)").matcher(plan.get(0));
    return rows.find() ? Long.parseLong(rows.group(1)) : 0;
  }

  @Override
  int rowsPerSecond(Step.Work work) {
    return 200_000;
  }

  @Override
  List<String> cleanUp(Connection connection, String schema) throws SQLException {
    return sequenceExists(connection, schema)
        ? List.of("DROP SEQUENCE " + sequence(schema))
        : List.of();
  }

  private static boolean sequenceExists(Connection connection, String schema) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ? AND c.relkind = 'S'",
            row -> 1,
            schema,
            SEQUENCE)
        .isEmpty();
  }

  private static String sequence(String schema) {
    return NameFolding.quote(Dialect.POSTGRESQL, schema) + "." + SEQUENCE;
  }

  @Override
  String analyze(TableInfo table) {
    return "ANALYZE " + qualified(table);
  }

  @Override
  List<Step> lock(TableInfo table) {
    return List.of(Step.instant("LOCK TABLE " + qualified(table) + " IN ACCESS EXCLUSIVE MODE"));
  }

  /** To an older snapshot the rewritten table would be empty. */
  @Override
  boolean isInUse(Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                + " AND backend_type = 'client backend' AND backend_xmin IS NOT NULL"
                + " AND state LIKE 'idle in transaction%')",
            row -> row.getBoolean(1))
        .get(0);
  }

  @Override
  boolean ddlIsTransactional() {
    return true;
  }

  @Override
  List<String> bounds(Duration lock, Duration work) {
    return List.of(
        "SET lock_timeout = " + lock.toMillis(), "SET statement_timeout = " + work.toMillis());
  }

  @Override
  String lockNote(List<Step> steps) {
    return steps.stream().anyMatch(step -> step.work() == Step.Work.REWRITE)
        ? "rewrite: the table is written anew under ACCESS EXCLUSIVE: nobody reads or writes it"
            + " meanwhile; its size is known to the planner afterwards, also where no statistics were"
            + " ever taken, so that plans can change, and with them what SERIALIZABLE locks and how"
            + " often it aborts: --analyze takes all statistics"
        : "instant: the catalog alone changes, under ACCESS EXCLUSIVE";
  }
}
