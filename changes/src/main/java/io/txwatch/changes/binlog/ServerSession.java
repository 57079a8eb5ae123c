package io.txwatch.changes.binlog;

import io.txwatch.changes.LogPosition;
import io.txwatch.changes.Probe;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The source's own JDBC connection: catalog, position and identity. Opened when needed, again after
 * a failure. Thread-safe.
 */
final class ServerSession implements AutoCloseable {

  private static final int ACCESS_DENIED = 1227;
  private static final int PREVENTED_BY_OPTION = 1290;
  private static final int QUERY_TIMEOUT_SECONDS = 10;

  /** Opens a connection that txwatch does not watch. */
  interface Opener {
    Connection open() throws SQLException;
  }

  /** A question to the server. */
  private interface Query<T> {
    T ask(Connection connection) throws SQLException;
  }

  /** Which server it is, so that another one is noticed. */
  record Identity(String server, long serverId) {}

  private final Opener opener;
  private @Nullable Connection connection;

  /** The query for the end of the log; null until that connection was first queried for it. */
  private @Nullable String endOfLogQuery;

  ServerSession(Opener opener) {
    this.opener = opener;
  }

  Map<String, TableDescription> describe(String schema, Collection<String> tables)
      throws IOException {
    return ask(connection -> TableCatalog.read(connection, schema, tables));
  }

  Collection<String> tables(String schema) throws IOException {
    return ask(connection -> TableCatalog.tables(connection, schema));
  }

  LogPosition endOfLog() throws IOException {
    return ask(this::endOfLog);
  }

  Probe probe() throws IOException {
    return ask(ServerSession::probe);
  }

  Identity identity() throws IOException {
    return ask(
        connection -> {
          long id = Long.parseLong(variable(connection, "server_id").orElse("0"));
          return new Identity(
              variable(connection, "server_uuid")
                  .or(() -> Optional.of(Long.toString(id)))
                  .orElseThrow(),
              id);
        });
  }

  private synchronized <T> T ask(Query<T> query) throws IOException {
    SQLException first = null;
    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        if (connection == null) {
          connection = opener.open();
          // Each statement sees the present.
          connection.setAutoCommit(true);
        }
        return query.ask(connection);
      } catch (SQLException e) {
        close();
        if (first != null || e.getErrorCode() == ACCESS_DENIED) {
          throw new IOException(e.getMessage(), e);
        }
        first = e;
      }
    }
    throw new IOException(first);
  }

  @Override
  public synchronized void close() {
    Connection open = connection;
    connection = null;
    endOfLogQuery = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        // It was of no use any more.
      }
    }
  }

  private static Optional<String> variable(Connection connection, String name) throws SQLException {
    try (Statement statement = statement(connection);
        ResultSet rows = statement.executeQuery("SHOW GLOBAL VARIABLES LIKE '" + name + "'")) {
      return rows.next() ? Optional.ofNullable(rows.getString(2)) : Optional.empty();
    }
  }

  private static Statement statement(Connection connection) throws SQLException {
    Statement statement = connection.createStatement();
    statement.setQueryTimeout(QUERY_TIMEOUT_SECONDS);
    return statement;
  }

  /** Evaluated whenever tables were described, and whenever the log was read: in one query. */
  private LogPosition endOfLog(Connection connection) throws SQLException {
    String known = endOfLogQuery;
    if (known == null) {
      known = statusQuery(connection);
      endOfLogQuery = known;
    }
    try (Statement statement = statement(connection);
        ResultSet rows = statement.executeQuery(known)) {
      if (!rows.next()) {
        throw new SQLException("the server has no binary log");
      }
      return new LogPosition(rows.getString(1), rows.getLong(2));
    }
  }

  /** MySQL renamed it in 8.2 and removed the old name in 8.4. */
  private static String statusQuery(Connection connection) throws SQLException {
    return isMariaDb(connection)
            || connection.getMetaData().getDatabaseMajorVersion() < 8
            || connection.getMetaData().getDatabaseMajorVersion() == 8
                && connection.getMetaData().getDatabaseMinorVersion() < 2
        ? "SHOW MASTER STATUS"
        : "SHOW BINARY LOG STATUS";
  }

  private static boolean isMariaDb(Connection connection) throws SQLException {
    return connection
            .getMetaData()
            .getDatabaseProductVersion()
            .toLowerCase(Locale.ROOT)
            .contains("mariadb")
        || variable(connection, "version").orElse("").toLowerCase(Locale.ROOT).contains("mariadb");
  }

  private static Probe probe(Connection connection) throws SQLException {
    List<String> limits = new ArrayList<>();
    String missing = missing(connection);
    if (variable(connection, "binlog_row_image")
        .filter(v -> !v.equalsIgnoreCase("FULL"))
        .isPresent()) {
      limits.add(
          "binlog_row_image is not FULL: columns that a statement did not change may be missing");
    }
    if (variable(connection, "binlog_order_commits").filter(v -> v.equals("OFF")).isPresent()) {
      limits.add("binlog_order_commits is OFF: the log's order need not be that of the commits");
    }
    if (variable(connection, "binlog_row_value_options").filter(v -> !v.isEmpty()).isPresent()) {
      limits.add("binlog_row_value_options is set: UPDATEs of JSON values are not read");
    }
    return new Probe(missing, limits);
  }

  private static String missing(Connection connection) throws SQLException {
    boolean maria = isMariaDb(connection);
    if (!variable(connection, "log_bin").orElse("OFF").equals("ON")) {
      return "the binary log is off: start the server with log_bin"
          + (maria ? " and binlog_format=ROW" : "");
    }
    if (variable(connection, "binlog_checksum").isEmpty()) {
      return "its binary log has the form of MySQL before 5.6, which is not read";
    }
    String format = variable(connection, "binlog_format").orElse("ROW");
    if (!format.equalsIgnoreCase("ROW")) {
      return "binlog_format is " + format + ": SET GLOBAL binlog_format = ROW, and reconnect";
    }
    String user = user(connection);
    String position = maria ? "BINLOG MONITOR" : "REPLICATION CLIENT";
    List<String> rights = new ArrayList<>();
    if (!mayRead(connection, maria)) {
      rights.add("REPLICATION SLAVE");
    }
    if (isDenied(connection, statusQuery(connection))) {
      rights.add(position);
    }
    if (!rights.isEmpty()) {
      return "the user may not read the log: GRANT "
          + String.join(", ", rights)
          + " ON *.* TO "
          + user;
    }
    // MySQL renamed it, and the statement, in 8.0.26, and removed the old names in 8.4.
    boolean isRenamed = variable(connection, "log_replica_updates").isPresent();
    String setting = isRenamed ? "log_replica_updates" : "log_slave_updates";
    String status =
        isRenamed ? "SHOW REPLICA STATUS" : maria ? "SHOW ALL SLAVES STATUS" : "SHOW SLAVE STATUS";
    boolean logsAll = variable(connection, setting).filter(v -> v.equals("OFF")).isEmpty();
    return logsAll || !isReplica(connection, status)
        ? ""
        : "the server is a replica and does not log what it receives: start it with " + setting;
  }

  /**
   * True if the server applies the changes of other servers, or if it may do so, where the user has
   * no right to see that.
   */
  private static boolean isReplica(Connection connection, String status) throws SQLException {
    if (variable(connection, "wsrep_on").filter(v -> v.equals("ON")).isPresent()) {
      return true;
    }
    try (Statement statement = statement(connection);
        ResultSet rows = statement.executeQuery(status)) {
      return rows.next();
    } catch (SQLException e) {
      if (e.getErrorCode() != ACCESS_DENIED) {
        throw e;
      }
      return variable(connection, "read_only").filter(v -> !v.equals("OFF")).isPresent();
    }
  }

  private static boolean mayRead(Connection connection, boolean maria) throws SQLException {
    if (!maria) {
      return !isDenied(connection, "SHOW BINLOG EVENTS LIMIT 1");
    }
    try (Statement statement = statement(connection);
        ResultSet rows = statement.executeQuery("SHOW GRANTS")) {
      while (rows.next()) {
        String grant = rows.getString(1).toUpperCase(Locale.ROOT);
        if (grant.contains(" ON *.*")
            && (grant.contains("REPLICATION SLAVE,")
                || grant.contains("REPLICATION SLAVE ON")
                || grant.contains("ALL PRIVILEGES"))) {
          return true;
        }
      }
      return false;
    } catch (SQLException e) {
      if (e.getErrorCode() == PREVENTED_BY_OPTION) {
        return true; // the server runs with skip-grant-tables: there are no rights
      }
      throw e;
    }
  }

  private static boolean isDenied(Connection connection, String query) throws SQLException {
    try (Statement statement = statement(connection);
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return false;
    } catch (SQLException e) {
      if (e.getErrorCode() == ACCESS_DENIED) {
        return true;
      }
      throw e;
    }
  }

  private static String user(Connection connection) throws SQLException {
    try (Statement statement = statement(connection);
        ResultSet rows = statement.executeQuery("SELECT CURRENT_USER()")) {
      rows.next();
      String account = rows.getString(1);
      int at = account.lastIndexOf('@');
      return "'" + account.substring(0, at) + "'@'" + account.substring(at + 1) + "'";
    }
  }
}
