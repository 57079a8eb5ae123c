package io.txwatch.corpus.sent;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;

/**
 * The general query log of a server of MySQL or MariaDB: each command that it received, by
 * connection and in order. Of a prepared statement it has the text, and for each execution the text
 * with the values.
 *
 * <p>It is written to the table {@code mysql.general_log} while this is open. The account needs the
 * right to set global variables.
 */
public final class GeneralLog implements AutoCloseable {

  private final Connection own;
  private final long ownNumber;

  private GeneralLog(Connection own) throws SQLException {
    this.own = own;
    this.ownNumber = numberOf(own);
  }

  /**
   * Begins a log.
   *
   * @param own a connection that nobody else uses; closed with this
   */
  public static GeneralLog begin(Connection own) throws SQLException {
    GeneralLog log = new GeneralLog(own);
    log.clear();
    log.execute("SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = ON");
    return log;
  }

  /** The number by which the server knows a connection. */
  public static long numberOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Removes what the log contains. */
  public void clear() throws SQLException {
    execute("TRUNCATE TABLE mysql.general_log");
  }

  /**
   * What the server received from each connection but this one; the key is its number. When a
   * connection was opened or closed is not part of it: the latter is written at some time
   * afterwards.
   */
  public Map<Long, List<String>> commands() throws SQLException {
    Map<Long, List<String>> commands = new TreeMap<>();
    try (Statement statement = own.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT thread_id, command_type, HEX(argument) FROM mysql.general_log"
                    + " WHERE thread_id <> "
                    + ownNumber
                    + " AND command_type NOT IN ('Connect', 'Quit')")) {
      while (rows.next()) {
        String text =
            new String(HexFormat.of().parseHex(rows.getString(3)), StandardCharsets.ISO_8859_1);
        commands
            .computeIfAbsent(rows.getLong(1), number -> new ArrayList<>())
            .add((rows.getString(2) + " " + text).strip());
      }
    }
    return commands;
  }

  /**
   * Waits until the server has ended a connection: then it has written all that it received from
   * it. It does not answer that a statement is closed, so that this may be written later.
   */
  public void awaitEnd(long connection) {
    Awaitility.await()
        .until(
            () -> {
              try (Statement statement = own.createStatement();
                  ResultSet row =
                      statement.executeQuery(
                          "SELECT COUNT(*) FROM information_schema.processlist WHERE id = "
                              + connection)) {
                row.next();
                return row.getInt(1) == 0;
              }
            });
  }

  private void execute(String... statements) throws SQLException {
    try (Statement statement = own.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    try (own) {
      execute("SET GLOBAL general_log = OFF");
      clear();
    }
  }
}
