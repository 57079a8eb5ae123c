package io.txwatch.interleave.state;

import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.gate.GatedCall;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The views, triggers and routines of a schema, because of which statements use other tables than
 * their texts name.
 */
final class SchemaObjects {

  /** Triggers of txwatch itself. */
  private static final String OWN_TRIGGERS = "TXWATCH_";

  /** Functions that read no rows. They may draw keys, whose values are renamed. */
  private static final Set<String> WITHOUT_ROWS =
      Set.of(
          "nextval",
          "currval",
          "lastval",
          "setval",
          "last_insert_id",
          "identity",
          "scope_identity",
          "connection_id",
          "pg_backend_pid",
          "session_id",
          "database",
          "schema",
          "current_database",
          "current_schema",
          "current_setting",
          "set_config",
          "version",
          "now",
          "sysdate",
          "uuid",
          "gen_random_uuid",
          "random_uuid",
          "row_count",
          "cast",
          "coalesce",
          "values");

  /** Functions by which sessions lock something that is no row. */
  private static final Set<String> LOCKS =
      Set.of("get_lock", "release_lock", "release_all_locks", "is_free_lock", "is_used_lock");

  private static final String LOCK_PREFIX = "pg_advisory";
  private static final String TRY_LOCK_PREFIX = "pg_try_advisory";

  /** In front of a table, of a query whose text was not parsed as well. */
  private static final Pattern TABLE =
      Pattern.compile("\\bFROM\\s+(?!DUAL\\b)|\\bTABLE\\b", Pattern.CASE_INSENSITIVE);

  /** Statements that begin and end transactions. */
  private static final Set<String> TRANSACTIONS =
      Set.of("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release");

  /** Statements that change the settings of their session. */
  private static final Set<String> SETTINGS = Set.of("set", "reset", "show");

  private final Map<String, String> views = new HashMap<>();
  private final Set<String> withTriggers = new HashSet<>();
  private final Set<String> routines = new HashSet<>();

  private SchemaObjects() {}

  /** Those of a connection's schema. */
  static SchemaObjects read(Connection connection) throws SQLException {
    SchemaObjects objects = new SchemaObjects();
    String schema = connection.getSchema();
    String name = schema == null ? connection.getCatalog() : schema;
    query(
        connection,
        "SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = ?",
        name,
        row -> objects.views.put(lower(row.getString(1)), lower(row.getString(2))));
    query(
        connection,
        "SELECT event_object_table, trigger_name FROM information_schema.triggers"
            + " WHERE event_object_schema = ?",
        name,
        row -> {
          if (!String.valueOf(row.getString(2)).startsWith(OWN_TRIGGERS)) {
            objects.withTriggers.add(lower(row.getString(1)));
          }
        });
    query(
        connection,
        "SELECT routine_name FROM information_schema.routines WHERE routine_schema = ?",
        name,
        row -> objects.routines.add(lower(row.getString(1))));
    return objects;
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private static void query(Connection connection, String sql, String schema, RowReader reader)
      throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, schema);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          reader.read(rows);
        }
      }
    }
  }

  private static String lower(String name) {
    return String.valueOf(name).toLowerCase(Locale.ROOT);
  }

  /** The query of a view, in lower case; null if it is none. */
  @Nullable String view(String name) {
    return views.get(lower(name.substring(name.lastIndexOf('.') + 1)));
  }

  /** The names of the views, in lower case. */
  Set<String> views() {
    return views.keySet();
  }

  /** True if a table has triggers. */
  boolean hasTriggers(String name) {
    return withTriggers.contains(lower(name.substring(name.lastIndexOf('.') + 1)));
  }

  /** True if a statement calls a routine of the schema. */
  boolean callsRoutine(GatedCall.Statement statement) {
    return statement.functions().stream().anyMatch(routines::contains);
  }

  /** True if a statement that names no table reads and writes no row, and locks nothing. */
  static boolean isWithoutRows(GatedCall.Statement statement) {
    return SETTINGS.contains(statement.verb())
        || (statement.kind() == StatementKind.SELECT
            && WITHOUT_ROWS.containsAll(statement.functions())
            && !TABLE.matcher(statement.sql()).find());
  }

  /** True if a statement that names no table locks something that is no row, and does no more. */
  static boolean onlyLocks(GatedCall.Statement statement) {
    return !statement.functions().isEmpty()
        && statement.functions().stream().allMatch(f -> isLock(f) || WITHOUT_ROWS.contains(f));
  }

  /** True if a statement locks something that is no row. */
  static boolean locks(GatedCall.Statement statement) {
    return statement.functions().stream().anyMatch(SchemaObjects::isLock);
  }

  /** True for a text that begins or ends a transaction, or a part of one, and does no more. */
  static boolean isTransactionControl(GatedCall.Statement statement) {
    String text = statement.sql().strip();
    int end = text.indexOf(';');
    return TRANSACTIONS.contains(statement.verb()) && (end < 0 || end == text.length() - 1);
  }

  private static boolean isLock(String function) {
    return LOCKS.contains(function)
        || function.startsWith(LOCK_PREFIX)
        || function.startsWith(TRY_LOCK_PREFIX);
  }
}
