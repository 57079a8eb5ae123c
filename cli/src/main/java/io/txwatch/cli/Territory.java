package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.WaitMonitor;
import io.txwatch.dbms.Workspace;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Where {@code fuzz} and {@code replay} may work: in a database that holds nobody's tables, as a
 * user who may make room there. It makes a mess of a server, and may bring it down.
 */
final class Territory {

  /** Schemas and databases that come with a DBMS, or that an earlier run of ours left behind. */
  private static final Set<String> SYSTEM =
      Set.of("mysql", "sys", "performance_schema", "information_schema", "pg_catalog");

  private static final String OURS = "txwatch_";

  private Territory() {}

  /**
   * Looks whether the database that a connection leads to is empty.
   *
   * @param shown its URL, for people
   * @throws CommandException if somebody's tables are in it
   */
  static void requireEmpty(Connection connection, String shown) throws SQLException {
    String database = connection.getCatalog();
    boolean isNone = database == null || database.isEmpty(); // MySQL's, when the URL names none
    boolean isMySql = connection.getMetaData().getURL().matches("jdbc:(mysql|mariadb):.*");
    if (isMySql && (isNone || isNobodys(database))) {
      return;
    }
    String first = "";
    int count = 0;
    try (ResultSet tables = connection.getMetaData().getTables(database, null, "%", null)) {
      while (tables.next()) {
        String schema = Objects.requireNonNullElse(tables.getString("TABLE_SCHEM"), "");
        String type = Objects.requireNonNullElse(tables.getString("TABLE_TYPE"), "");
        if (type.matches("(BASE |PARTITIONED )?TABLE") && !isNobodys(schema)) {
          first = count++ == 0 ? tables.getString("TABLE_NAME") : first;
        }
      }
    }
    if (count > 0) {
      throw CommandException.badInput(
          shown
              + " is not empty, and not ours: it holds the table "
              + first
              + (count == 1 ? "" : " and " + (count - 1) + " more")
              + "; name a database without tables, on a server that may go down");
    }
  }

  private static boolean isNobodys(String name) {
    String small = name.toLowerCase(Locale.ROOT);
    return SYSTEM.contains(small) || small.startsWith(OURS);
  }

  /**
   * Looks whether the user may do what a campaign does.
   *
   * @param shown the URL, for people
   * @return what people should know of how waits are found out; empty if nothing
   * @throws CommandException if not
   */
  static Optional<String> requireRights(Dbms dbms, String shown) {
    try (Workspace workspace = dbms.newWorkspace();
        Connection session = workspace.connect();
        WaitMonitor monitor = workspace.newMonitor()) {
      monitor.sessionId(session);
      monitor.waitGraph();
      return monitor.note();
    } catch (SQLException e) {
      throw CommandException.unreachable(
          shown
              + ": the user may not do what it takes, to make a schema of its own and to see who"
              + " waits for whom: "
              + String.valueOf(e.getMessage()).strip().lines().findFirst().orElse(""));
    }
  }
}
