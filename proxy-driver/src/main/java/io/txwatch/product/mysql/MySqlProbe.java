package io.txwatch.product.mysql;

import io.txwatch.catalog.CatalogProduct.Probed;
import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.SessionSqlMode;
import io.txwatch.history.Product;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what MySQL, or a DBMS with its protocol, returns of itself. */
final class MySqlProbe {

  private static final List<String> SETTINGS =
      List.of(
          "innodb_snapshot_isolation",
          "transaction_isolation",
          "tx_isolation",
          "log_bin",
          "binlog_format",
          "sql_mode",
          "character_set_connection",
          "lower_case_table_names",
          "innodb_rollback_on_timeout",
          "tidb_txn_mode",
          "wsrep_on",
          "group_replication_single_primary_mode");

  /** Those that SHOW gives as ON or OFF, and SELECT as 1 or 0. */
  private static final Set<String> SWITCHES =
      Set.of(
          "innodb_snapshot_isolation",
          "log_bin",
          "innodb_rollback_on_timeout",
          "wsrep_on",
          "group_replication_single_primary_mode");

  /** The error of a query that {@code max_join_size} forbids. */
  private static final int TOO_BIG_SELECT = 1104;

  private static final int UNKNOWN_VARIABLE = 1193;

  private MySqlProbe() {}

  static Probed probe(Connection connection) throws SQLException {
    String version;
    String comment;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT VERSION(), @@version_comment LIMIT 1")) {
      row.next();
      version = row.getString(1);
      comment = Optional.ofNullable(row.getString(2)).orElse("");
    }
    Map<String, String> settings = settings(connection);
    boolean otherLexis = SessionSqlMode.isOther(settings.getOrDefault("sql_mode", ""));
    return new Probed(ofVersion(version, comment), settings, !otherLexis);
  }

  /**
   * The settings that a server has. A session may begin with limits for its queries: SHOW then
   * fails ({@code max_join_size}) or gives no row ({@code sql_select_limit}).
   */
  private static Map<String, String> settings(Connection connection) throws SQLException {
    try {
      String names = "('" + String.join("', '", SETTINGS) + "')";
      Map<String, String> settings =
          CatalogQueries.pairs(connection, "SHOW VARIABLES WHERE Variable_name IN " + names);
      if (!settings.isEmpty()) {
        return settings;
      }
    } catch (SQLException e) {
      if (e.getErrorCode() != TOO_BIG_SELECT) {
        throw e;
      }
    }
    Map<String, String> settings = new TreeMap<>();
    for (String name : SETTINGS) {
      try {
        String value = CatalogQueries.single(connection, "SELECT @@" + name + " LIMIT 1");
        settings.put(name, SWITCHES.contains(name) ? onOrOff(value) : value);
      } catch (SQLException e) {
        if (e.getErrorCode() != UNKNOWN_VARIABLE) {
          throw e;
        }
      }
    }
    return settings;
  }

  private static String onOrOff(String value) {
    return value.equals("1") ? "ON" : value.equals("0") ? "OFF" : value;
  }

  /** Reads what {@code SELECT VERSION()} states behind a MySQL or MariaDB driver. */
  static Product ofVersion(String text, String comment) {
    Matcher forked = Pattern.compile("(TiDB|OceanBase)(?:_CE)?[- ]v?([0-9.]+)").matcher(text);
    if (!forked.find()) {
      forked = Pattern.compile("(OceanBase)(?:_CE)? v?([0-9.]+)").matcher(comment);
    }
    if (forked.reset().find()) {
      return new Product(forked.group(1), forked.group(2));
    }
    Matcher number = Pattern.compile("(?:5\\.5\\.5-)?([0-9]+(?:\\.[0-9]+)*)").matcher(text);
    String version = number.find() ? number.group(1) : text;
    return new Product(text.contains("MariaDB") ? "MariaDB" : "MySQL", version);
  }
}
