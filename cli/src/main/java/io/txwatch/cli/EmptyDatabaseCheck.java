package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Restricts the commands that execute generated or given SQL to empty databases and users with
 * sufficient privileges: they may crash a server and leave objects behind.
 */
final class EmptyDatabaseCheck {

  private static final String OWN_PREFIX = "txwatch_";

  private EmptyDatabaseCheck() {}

  /**
   * Requires that the database of a connection is empty.
   *
   * @param shown its URL, for display
   * @throws CommandException if it contains tables
   */
  static void requireEmpty(Connection connection, String shown) throws SQLException {
    String database = connection.getCatalog();
    boolean isNone = database == null || database.isEmpty(); // when the URL names none
    boolean isServer =
        CommandDbms.of(connection.getMetaData().getURL())
            .filter(CommandDbms::isConnectedToServer)
            .isPresent();
    if (isServer && (isNone || isIgnored(database))) {
      return;
    }
    String first = "";
    int count = 0;
    try (ResultSet tables = connection.getMetaData().getTables(database, null, "%", null)) {
      while (tables.next()) {
        String schema = Objects.requireNonNullElse(tables.getString("TABLE_SCHEM"), "");
        String type = Objects.requireNonNullElse(tables.getString("TABLE_TYPE"), "");
        if (type.matches("(BASE |PARTITIONED )?TABLE") && !isIgnored(schema)) {
          first = count++ == 0 ? tables.getString("TABLE_NAME") : first;
        }
      }
    }
    if (count > 0) {
      throw CommandException.badInput(
          shown
              + " is not empty: it contains the table "
              + first
              + (count == 1 ? "" : " and " + (count - 1) + " more")
              + "; use a database without tables, on a server that may crash");
    }
  }

  private static boolean isIgnored(String name) {
    String small = name.toLowerCase(Locale.ROOT);
    return CommandDbms.isSystemSchema(small) || small.startsWith(OWN_PREFIX);
  }

  /**
   * Requires the privileges that a campaign needs.
   *
   * @param shown the URL, for display
   * @return a note on how waits are detected; empty if none
   * @throws CommandException if a privilege is missing
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
              + ": the user lacks a privilege, to create a schema or to see which sessions wait for"
              + " which: "
              + String.valueOf(e.getMessage()).strip().lines().findFirst().orElse(""));
    }
  }
}
