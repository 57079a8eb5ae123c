package io.txwatch.bench.overhead;

import io.txwatch.bench.MarkdownTable;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/**
 * Measures the size of the auxiliary columns, as the server reports it, after each row was updated
 * once, ten times, a thousand times: neither the row nor the log of an update may grow with the
 * number of updates.
 */
final class RowGrowth {

  private static final int ROWS = 50;
  private static final int[] UPDATES = {0, 1, 10, 100, 1_000};

  private final ServerKind kind;

  RowGrowth(ServerKind kind) {
    this.kind = kind;
  }

  /** One measurement, in bytes; the table's size is in KiB. */
  private record Size(double row, double auxiliary, double loggedPerUpdate, double table) {}

  MarkdownTable measure(int maxUpdates) throws SQLException {
    MarkdownTable table =
        new MarkdownTable(
            "updates of each row",
            "bytes of a row, raw",
            "watched",
            "of these txw_rid, txw_wl",
            "log bytes of an update, raw",
            "watched",
            "table KiB, raw",
            "watched");
    try (Connection raw = open(Variant.RAW);
        Connection watched = open(Variant.INLINE_NONE);
        Connection watchedRaw = DriverManager.getConnection(watchedUrl)) {
      int done = 0;
      for (int updates : UPDATES) {
        if (updates > maxUpdates) {
          break;
        }
        double rawLog = update(raw, updates - done);
        double watchedLog = update(watched, updates - done);
        Size without = size(raw, rawLog, false);
        Size with = size(watchedRaw, watchedLog, true);
        table.row(
            Integer.toString(updates),
            bytes(without.row()),
            bytes(with.row()),
            bytes(with.auxiliary()),
            updates == 0 ? "" : bytes(without.loggedPerUpdate()),
            updates == 0 ? "" : bytes(with.loggedPerUpdate()),
            bytes(without.table()),
            bytes(with.table()));
        done = updates;
      }
    }
    return table;
  }

  private String watchedUrl = "";

  private Connection open(Variant variant) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE counter (id INT PRIMARY KEY, value INT, filler CHAR(100))");
      for (int i = 0; i < ROWS; i++) {
        statement.execute("INSERT INTO counter (id, value, filler) VALUES (" + i + ", 0, 'x')");
      }
    }
    if (variant.isPrepared()) {
      Databases.prepare(url);
      watchedUrl = url;
    }
    return variant.open(url);
  }

  /** Updates each row {@code times} times; returns the bytes logged per update. */
  private double update(Connection connection, int times) throws SQLException {
    double before = logged();
    connection.setAutoCommit(false);
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE counter SET value = value + 1 WHERE id = ?")) {
      for (int i = 0; i < times; i++) {
        for (int row = 0; row < ROWS; row++) {
          update.setInt(1, row);
          if (update.executeUpdate() != 1) {
            throw new IllegalStateException("row " + row + " was not updated");
          }
        }
        connection.commit();
      }
    }
    connection.setAutoCommit(true);
    return times == 0 ? 0 : (logged() - before) / ((double) times * ROWS);
  }

  /** The bytes of the server's redo log so far. */
  private double logged() throws SQLException {
    return switch (kind) {
      case MARIADB, MYSQL -> number("SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'", 2);
      case POSTGRESQL, H2, SQLITE -> throw new IllegalArgumentException(String.valueOf(kind));
    };
  }

  private double number(String sql, int column) throws SQLException {
    try (Connection connection = TestServers.of(kind).connect()) {
      return number(connection, sql, column);
    }
  }

  private static double number(Connection connection, String sql, int column) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getDouble(column);
    }
  }

  private Size size(Connection connection, double logged, boolean watched) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("OPTIMIZE TABLE counter");
    }
    String own = "4 + 4 + 100";
    String ours = "8 + length(txw_wl) + 1";
    return new Size(
        number(
            connection, "SELECT avg(" + own + (watched ? " + " + ours : "") + ") FROM counter", 1),
        watched ? number(connection, "SELECT avg(" + ours + ") FROM counter", 1) : 0,
        logged,
        number(
            connection,
            "SELECT (data_length + index_length) / 1024 FROM information_schema.tables"
                + " WHERE table_schema = DATABASE() AND table_name = 'counter'",
            1));
  }

  private static String bytes(double count) {
    return String.format(Locale.ROOT, "%.0f", count);
  }
}
