package io.txwatch.product.postgresql;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.text;
import static io.txwatch.plan.Catalog.Traits.UNKNOWN;
import static io.txwatch.product.postgresql.PostgresQueries.query;
import static io.txwatch.product.postgresql.PostgresQueries.view;

import io.txwatch.catalog.InitialSessionState;
import io.txwatch.catalog.NameColumns;
import io.txwatch.catalog.NameFolding;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.catalog.TableInfo.Column;
import io.txwatch.catalog.TableInfo.Kind;
import io.txwatch.catalog.TableInfo.SystemVersions;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Cluster;
import io.txwatch.history.Database;
import io.txwatch.history.WriterList;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.plan.SystemColumnKey.Replaced;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * PostgreSQL: versions are identified by the system columns, or not at all. All schema reads are of
 * {@code pg_catalog}, which takes no lock that anybody waits for and is never predicate-locked.
 */
public final class PostgresSchemaReader extends SchemaReader {

  /**
   * The names of the schemas in the session's path. {@code current_schemas} creates the session's
   * temporary schema if the path begins with {@code pg_temp}, after which a transaction that should
   * fail at PREPARE TRANSACTION does not. As long as there is none, the path is read from the
   * setting.
   */
  private static final String PATH =
      "CASE WHEN pg_my_temp_schema() = 0"
          + " AND strpos(lower(current_setting('search_path')), 'pg_temp') > 0"
          + " THEN array_append(ARRAY(SELECT n.nspname"
          + " FROM unnest(string_to_array(current_setting('search_path'), ','))"
          + " WITH ORDINALITY AS e(name, at)"
          + " JOIN pg_catalog.pg_namespace n ON n.nspname = (CASE"
          + " WHEN replace(btrim(e.name), '\"', '') = '$user' THEN current_user::text"
          + " WHEN left(btrim(e.name), 1) = '\"' THEN replace(btrim(e.name), '\"', '')"
          + " ELSE lower(btrim(e.name)) END)::name"
          + " WHERE has_schema_privilege(n.oid, 'USAGE') ORDER BY e.at), 'pg_catalog'::name)"
          + " ELSE current_schemas(true) END";

  private static final String START = "extract(epoch FROM pg_postmaster_start_time())::text";

  /**
   * From version 17 on, a process that lives as long as the server's shared memory: in the places
   * after those of sessions and workers (their number is that of {@code InitializeMaxBackends}) an
   * I/O worker is the first, or else the checkpointer and the background writer are the first two
   * or, after a crash, among the first three. Every role may see its number.
   */
  private static final String LASTING_PROCESS =
      "(SELECT pg_stat_get_backend_pid(i) FROM pg_stat_get_backend_idset() AS s(i)"
          + " WHERE i >= (CASE WHEN current_setting('io_method', true) <> 'worker' THEN 3 ELSE 2 END"
          + " + current_setting('max_connections')::int"
          + " + coalesce(current_setting('autovacuum_worker_slots', true),"
          + " current_setting('autovacuum_max_workers'))::int"
          + " + current_setting('max_worker_processes')::int"
          + " + current_setting('max_wal_senders')::int) ORDER BY i LIMIT 1)";

  /** Up to version 16: a crash resets all statistics, a reset by hand those of one kind. */
  private static String firstReset(int version) {
    return "extract(epoch FROM least(pg_stat_get_bgwriter_stat_reset_time(),"
        + (version >= 13 ? " (SELECT min(stats_reset) FROM pg_stat_slru)," : "")
        + (version >= 14 ? " (SELECT stats_reset FROM pg_stat_wal)," : "")
        + " (SELECT stats_reset FROM pg_stat_archiver)))";
  }

  /**
   * The run of the server. The postmaster survives the crash of a session's process, but then
   * starts its other processes again and discards the statistics, as it does after its own crash. A
   * standby that is promoted continues.
   */
  private static String run(int version) {
    return "concat_ws(' ', "
        + START
        + ", "
        + (version >= 17 ? LASTING_PROCESS : firstReset(version))
        + ", CASE WHEN pg_is_in_recovery() THEN 'standby' END)";
  }

  /**
   * The cluster and the database in it: the same on a primary and its standbys, until one of them
   * is promoted, which begins a timeline.
   */
  private static final String CLUSTER =
      "(SELECT concat_ws('/', s.system_identifier, c.timeline_id,"
          + " (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))"
          + " FROM pg_control_system() AS s, pg_control_checkpoint() AS c)";

  /** Every role may call these functions, unless that was revoked. */
  private static final String MAY_READ_CLUSTER =
      "has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')"
          + " AND has_function_privilege('pg_catalog.pg_control_checkpoint()', 'EXECUTE')";

  /** The id after the last one that was given, with its epoch above the 32 bits of {@code xmin}. */
  private static final String NEXT_ID = "pg_snapshot_xmax(pg_current_snapshot())::text";

  /** True if RETURNING can return the replaced row. */
  private final boolean returnsOld;

  private final boolean hasSystemVersions;

  /** True if the crash of a session's process can be recognized. */
  private final boolean identifiesRuns;

  private final boolean usesSystemColumns;

  private final int version;

  /** Of other DBMSs with its protocol nothing is assumed beyond what they return. */
  public PostgresSchemaReader(Database database, boolean usesSystemColumns) {
    this.hasSystemVersions = hasSystemVersions(database);
    this.identifiesRuns = database.product().is("PostgreSQL");
    this.returnsOld = database.product().is("PostgreSQL") && majorVersion(database) >= 18;
    this.usesSystemColumns = usesSystemColumns;
    this.version = majorVersion(database);
  }

  /** True if all that txwatch needs of system columns is there: PostgreSQL 14. */
  public static boolean hasSystemVersions(Database database) {
    return database.product().is("PostgreSQL") && majorVersion(database) >= 14;
  }

  private static int majorVersion(Database database) {
    String digits = database.product().version().replaceAll("\\D.*", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  @Override
  public DialectSql sql() {
    return PostgresSql.INSTANCE;
  }

  @Override
  public NameFolding folding() {
    return NameFolding.POSTGRESQL;
  }

  @Override
  public List<String> path(Connection connection) throws SQLException {
    return query(
        connection,
        "SELECT s FROM unnest("
            + PATH
            + ") WITH ORDINALITY AS p(s, i)"
            + " ORDER BY (s = 'pg_catalog'), i",
        row -> text(row, 1));
  }

  @Override
  public boolean readsPaths() {
    return true;
  }

  /** A schema that the user may not use is passed over; one that is not there yet may come. */
  @Override
  public List<String> path(Connection connection, List<String> names) throws SQLException {
    List<String> path = new ArrayList<>();
    for (String name : names) {
      if (!name.startsWith("pg_temp")) { // a temporary table hides others wherever it is looked up
        path.addAll(
            query(
                connection,
                "SELECT e.name FROM (SELECT CASE ? WHEN '$user' THEN current_user::text"
                    + " ELSE ?::text END) AS e(name)"
                    + " WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace n"
                    + " WHERE n.nspname = e.name AND NOT has_schema_privilege(n.oid, 'USAGE'))",
                row -> text(row, 1),
                name,
                name));
      }
    }
    if (!path.contains("pg_catalog")) {
      path.add("pg_catalog");
    }
    return path;
  }

  @Override
  public InitialSessionState opened(Connection connection) throws SQLException {
    if (!identifiesRuns) {
      return opened(connection, START);
    }
    try {
      return opened(connection, run(version));
    } catch (SQLException e) { // a role that may not read it
      return opened(connection, "''");
    }
  }

  /** Which cluster the server is part of; it is read once for each physical connection. */
  private Cluster cluster(Connection connection) throws SQLException {
    if (!identifiesRuns || !usesSystemColumns || !hasSystemVersions) {
      return Cluster.UNKNOWN;
    }
    try {
      boolean mayRead =
          query(connection, "SELECT " + MAY_READ_CLUSTER, row -> row.getBoolean(1)).contains(true);
      return mayRead
          ? query(
                  connection,
                  "SELECT " + CLUSTER + ", pg_is_in_recovery()",
                  row -> new Cluster(text(row, 1), row.getBoolean(2)))
              .get(0)
          : Cluster.UNKNOWN;
    } catch (SQLException e) { // a server that has no such functions: Aurora, for example
      return Cluster.UNKNOWN;
    }
  }

  private InitialSessionState opened(Connection connection, String run) throws SQLException {
    List<String> conforming = new ArrayList<>();
    List<String> runs = new ArrayList<>();
    Map<String, String> settings = new HashMap<>();
    List<String> path =
        query(
            connection,
            "SELECT s, current_setting('standard_conforming_strings'), "
                + run
                + ", "
                + (hasSystemVersions ? NEXT_ID : "'0'")
                + " FROM unnest("
                + PATH
                + ") WITH ORDINALITY AS p(s, i)"
                + " ORDER BY (s = 'pg_catalog'), i",
            row -> {
              conforming.add(text(row, 2));
              runs.add(text(row, 3));
              long epoch = Long.parseUnsignedLong(text(row, 4)) >>> Integer.SIZE;
              if (epoch > 0) {
                settings.put("xid_epoch", String.valueOf(epoch));
              }
              return text(row, 1);
            });
    String readRun = runs.isEmpty() ? "" : runs.get(0);
    return new InitialSessionState(
        path,
        conforming.contains("off"),
        false,
        readRun,
        settings,
        readRun.isEmpty() ? Cluster.UNKNOWN : cluster(connection));
  }

  @Override
  public Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException {
    List<Found> found =
        query(
            connection,
            "SELECT c.oid::text, c.relkind::text, c.relpersistence::text"
                + " FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ?"
                + " AND c.relkind = ANY ('{r,p,v,m,f}')",
            row -> new Found(text(row, 1), kind(schema, text(row, 2), text(row, 3))),
            schema,
            name);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Set<String> changing = new HashSet<>();
    Set<String> primaryKey = new HashSet<>();
    AtomicBoolean deletesAllMatches = new AtomicBoolean();
    Map<Integer, Optional<KeyColumn>> nameColumns = new TreeMap<>();
    List<Column> columns =
        query(
            connection,
            "SELECT a.attname, "
                + type("a.atttypmod")
                + ","
                + " pg_get_expr(d.adbin, d.adrelid),"
                + " has_column_privilege(a.attrelid, a.attnum, 'SELECT'),"
                + " has_column_privilege(a.attrelid, a.attnum, 'INSERT'),"
                + " has_column_privilege(a.attrelid, a.attnum, 'UPDATE'),"
                + " coalesce(to_json(a) ->> 'attgenerated', '') <> '' OR EXISTS (SELECT 1"
                // A trigger BEFORE UPDATE, FOR EACH ROW.
                + " FROM pg_catalog.pg_trigger t WHERE t.tgrelid = a.attrelid"
                + " AND (t.tgtype & 19) = 19), (SELECT k.n FROM pg_catalog.pg_index i"
                + " CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(att, n)"
                + " WHERE i.indrelid = a.attrelid AND i.indisprimary AND k.att = a.attnum"
                // An index includes columns that are no part of the key from version 11 on.
                + " AND k.n <= coalesce((to_json(i) ->> 'indnkeyatts')::int, k.n)"
                // A deferred key may be there twice for a while; of the rows of tables that inherit
                // from this one, which are its rows as well, it is no key.
                + " AND i.indimmediate AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_inherits h"
                + " JOIN pg_catalog.pg_class c ON c.oid = h.inhrelid"
                + " WHERE h.inhparent = a.attrelid AND NOT coalesce((to_json(c) ->> 'relispartition')::boolean, false))),"
                + " coalesce((SELECT to_json(l) ->> 'collisdeterministic'"
                + " FROM pg_catalog.pg_collation l WHERE l.oid = a.attcollation), 'true'),"
                // A trigger BEFORE DELETE, FOR EACH ROW; the rows of other tables that are its own.
                + " NOT EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = a.attrelid"
                + " AND (t.tgtype & 11) = 11) AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite w"
                + " WHERE w.ev_class = a.attrelid) AND NOT EXISTS (SELECT 1"
                + " FROM pg_catalog.pg_inherits h WHERE h.inhparent = a.attrelid OR h.inhrelid = a.attrelid)"
                + " AND (SELECT (to_json(c) ->> 'relrowsecurity') = 'false'"
                + " FROM pg_catalog.pg_class c WHERE c.oid = a.attrelid)"
                + " FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d"
                + " ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
                + " WHERE a.attrelid = ?::oid AND a.attnum > 0 AND NOT a.attisdropped"
                + " ORDER BY a.attnum",
            row -> {
              if (row.getBoolean(7)) {
                changing.add(text(row, 1).toLowerCase(Locale.ROOT));
              }
              deletesAllMatches.set(row.getBoolean(10));
              if (row.getInt(8) > 0) {
                boolean isDeterministic = text(row, 9).equals("true");
                primaryKey.add(text(row, 1).toLowerCase(Locale.ROOT));
                nameColumns.put(
                    row.getInt(8),
                    PostgresNameColumns.of(text(row, 1), text(row, 2), isDeterministic));
              }
              return new Column(
                  text(row, 1),
                  text(row, 2),
                  text(row, 3),
                  true,
                  row.getBoolean(4),
                  row.getBoolean(5),
                  row.getBoolean(6),
                  "");
            },
            found.get(0).oid);
    // Without a path every name in it has its schema.
    Catalog.Traits traits =
        switch (found.get(0).kind) {
          case VIEW ->
              view(
                  connection,
                  "SELECT pg_get_viewdef(c.oid)"
                      + " FROM set_config('search_path', 'pg_catalog', true),"
                      + " pg_catalog.pg_class c WHERE c.oid = ?::oid AND c.relkind = 'v'",
                  found.get(0).oid);
          case TABLE ->
              differInCaseOnly(columns)
                  ? UNKNOWN
                  : traits(changing, primaryKey, nameColumns.values())
                      .deletingAllMatches(deletesAllMatches.get());
          default -> UNKNOWN;
        };
    Optional<SystemVersions> versions =
        usesSystemColumns && found.get(0).kind == Kind.TABLE
            ? Optional.of(systemVersions(connection, found.get(0).oid))
            : Optional.empty();
    return Optional.of(new TableInfo(schema, name, found.get(0).kind, columns, traits, versions));
  }

  /**
   * A type of {@code pg_catalog} without its schema, any other one with it. PostgreSQL itself adds
   * schemas depending on the session's path.
   */
  private static String type(String modifier) {
    return "(SELECT CASE WHEN m.nspname = 'pg_catalog'"
        + (" THEN replace(format_type(a.atttypid, " + modifier + "), 'pg_catalog.', '')")
        + " ELSE concat(m.nspname, '.', y.typname) END FROM pg_catalog.pg_type y"
        + " JOIN pg_catalog.pg_namespace m ON m.oid = y.typnamespace WHERE y.oid = a.atttypid)";
  }

  private Catalog.Traits traits(
      Set<String> changing, Set<String> key, Collection<Optional<KeyColumn>> nameColumns) {
    // With system columns a row with another key is another row.
    boolean keepsKey = usesSystemColumns || key.stream().noneMatch(changing::contains);
    return new Catalog.Traits(Map.of(), Set.copyOf(changing), false, List.of(), Set.copyOf(key))
        .namedBy(keepsKey ? NameColumns.known(nameColumns) : List.of());
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
   * alone are tables where RETURNING can fail or see something else: those with rules, row
   * security, foreign children or another access method than the heap.
   */
  private SystemVersions systemVersions(Connection connection, String oid) throws SQLException {
    record Part(
        String index,
        String column,
        String type,
        boolean isNotNull,
        Status status,
        boolean bindsAllRows,
        boolean isPartitioned,
        boolean maySetSettings) {}
    List<Part> parts =
        query(
            connection,
            "WITH RECURSIVE family(oid) AS (SELECT ?::oid UNION"
                + " SELECT h.inhrelid FROM pg_catalog.pg_inherits h"
                + " JOIN family f ON h.inhparent = f.oid)"
                + " SELECT i.indexrelid::text, a.attname,"
                // NOT NULL … NOT VALID states nothing about the rows that were there before.
                + " "
                + type("NULL")
                + ", a.attnotnull AND NOT EXISTS"
                + " (SELECT 1 FROM pg_catalog.pg_constraint n WHERE n.conrelid = c.oid"
                + " AND n.contype = 'n' AND NOT n.convalidated AND n.conkey[1] = a.attnum),"
                + " CASE WHEN NOT has_table_privilege(c.oid, 'SELECT') THEN 'NO_RIGHTS'"
                + " WHEN c.relrowsecurity OR c.relhasrules"
                + " OR EXISTS (SELECT 1 FROM family JOIN pg_catalog.pg_class p ON p.oid = family.oid"
                + " WHERE p.relkind = 'f' OR (p.relkind = 'r' AND p.relam <> ALL"
                + " (SELECT m.oid FROM pg_catalog.pg_am m WHERE m.amname = 'heap')))"
                + " THEN 'NOT_A_BASE_TABLE'"
                + " ELSE 'SYSTEM_COLUMNS' END, NOT (c.relkind = 'r' AND c.relhassubclass),"
                + " c.relkind = 'p', has_function_privilege("
                + "'pg_catalog.set_config(pg_catalog.text, pg_catalog.text, boolean)', 'EXECUTE')"
                + " AND has_function_privilege("
                + "'pg_catalog.current_setting(pg_catalog.text, boolean)', 'EXECUTE')"
                + " FROM pg_catalog.pg_class c LEFT JOIN (pg_catalog.pg_index i"
                + " CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(att, n)"
                + " JOIN pg_catalog.pg_attribute a"
                + " ON a.attrelid = i.indrelid AND a.attnum = k.att AND k.n <= i.indnkeyatts)"
                + " ON i.indrelid = c.oid AND i.indisunique AND i.indimmediate AND i.indisvalid"
                + " AND i.indpred IS NULL AND i.indexprs IS NULL"
                + " WHERE c.oid = ?::oid"
                + " ORDER BY NOT i.indisprimary, i.indexrelid, k.n",
            row ->
                new Part(
                    text(row, 1),
                    text(row, 2),
                    text(row, 3),
                    row.getBoolean(4),
                    Status.valueOf(text(row, 5)),
                    row.getBoolean(6),
                    row.getBoolean(7),
                    row.getBoolean(8)),
            oid,
            oid);
    Status status = parts.get(0).status();
    if (status != Status.SYSTEM_COLUMNS) {
      return new SystemVersions(status, Optional.empty());
    }
    Set<Replaced> replaced = EnumSet.noneOf(Replaced.class);
    if (returnsOld) {
      replaced.add(Replaced.RETURNED);
    }
    if (parts.get(0).maySetSettings()) {
      replaced.add(Replaced.KEPT);
    }
    Set<String> partitionedBy =
        parts.get(0).isPartitioned() ? partitionedBy(connection, oid) : Set.of();
    Map<String, List<Part>> keys = new LinkedHashMap<>();
    parts.forEach(p -> keys.computeIfAbsent(p.index(), i -> new ArrayList<>()).add(p));
    for (List<Part> key : keys.values()) {
      if (key.stream()
          .allMatch(p -> p.bindsAllRows() && p.isNotNull() && KEY_TYPES.contains(p.type()))) {
        boolean isInteger = key.size() == 1 && INTEGER_TYPES.contains(key.get(0).type());
        List<String> columns = key.stream().map(Part::column).toList();
        return new SystemVersions(
            Status.SYSTEM_COLUMNS,
            Optional.of(new SystemColumnKey(columns, isInteger, replaced, partitionedBy)));
      }
    }
    return new SystemVersions(
        Status.SYSTEM_COLUMNS,
        Optional.of(new SystemColumnKey(List.of(), false, replaced, partitionedBy)));
  }

  /**
   * The columns that decide in which partition a row is, at every level; all columns if an
   * expression or a trigger decides, too.
   */
  private static Set<String> partitionedBy(Connection connection, String oid) throws SQLException {
    List<String> columns =
        query(
            connection,
            "WITH RECURSIVE family(oid) AS (SELECT ?::oid UNION"
                + " SELECT h.inhrelid FROM pg_catalog.pg_inherits h"
                + " JOIN family f ON h.inhparent = f.oid),"
                + " decides(oid, att) AS (SELECT p.partrelid, k.att FROM family f"
                + " JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = f.oid"
                + " CROSS JOIN LATERAL unnest(p.partattrs::int2[]) AS k(att))"
                + " SELECT DISTINCT a.attname FROM pg_catalog.pg_attribute a"
                + " WHERE a.attnum > 0 AND NOT a.attisdropped AND ((a.attrelid, a.attnum) = ANY"
                + " (SELECT d.oid, d.att FROM decides d)"
                + " OR (a.attrelid = ?::oid AND (EXISTS"
                + " (SELECT 1 FROM decides d WHERE d.att = 0) OR EXISTS"
                // A trigger BEFORE UPDATE, FOR EACH ROW.
                + " (SELECT 1 FROM pg_catalog.pg_trigger t JOIN family f ON t.tgrelid = f.oid"
                + " WHERE (t.tgtype & 19) = 19))))",
            row -> text(row, 1),
            oid,
            oid);
    return Set.copyOf(columns);
  }

  private record Found(String oid, Kind kind) {}

  /** {@code "Id"} beside {@code id}. */
  private static boolean differInCaseOnly(List<Column> columns) {
    return columns.stream().map(column -> column.name().toLowerCase(Locale.ROOT)).distinct().count()
        < columns.size();
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
  public boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT NOT c.relhassubclass AND pg_relation_size(c.oid) <= "
                + Catalog.SMALL_HEAP_BYTES
                + " FROM pg_catalog.pg_class c WHERE c.oid = ?::regclass",
            row -> row.getBoolean(1),
            qualified(table))
        .get(0);
  }

  @Override
  public List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT c.relname FROM pg_catalog.pg_class c"
            + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE n.nspname = ? AND c.relkind = ANY ('{r,p,v,m,f}')"
            + " ORDER BY c.relispartition, c.relname",
        row -> text(row, 1),
        schema);
  }

  @Override
  public boolean isPrepared(TableInfo table) {
    return table.systemVersions().flatMap(SystemVersions::key).isPresent();
  }

  /** The columns that an earlier version of txwatch has added; a copy's have no defaults. */
  @Override
  public boolean isOurs(TableInfo table) {
    return table
            .column(ROW_ID)
            .filter(c -> c.type().equals("bigint"))
            .filter(c -> c.defaultValue().contains(SEQUENCE) || c.defaultValue().isEmpty())
            .isPresent()
        && table
            .column(WRITERS)
            .filter(c -> c.type().equals("character varying(" + WriterList.WINDOW_LENGTH + ")"))
            .isPresent();
  }

  @Override
  public List<String> bounds(Duration lock, Duration work) {
    return List.of(
        "SET lock_timeout = " + lock.toMillis(), "SET statement_timeout = " + work.toMillis());
  }
}
