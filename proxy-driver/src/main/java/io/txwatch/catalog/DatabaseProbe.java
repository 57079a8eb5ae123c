package io.txwatch.catalog;

import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.product.postgresql.PgCatalogNames;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What DBMS stands behind a connection.
 *
 * <p>To be called with a connection that has just been opened, before the application gets it: it
 * is then in no transaction, and one or two small queries disturb nothing.
 *
 * @param database the DBMS, with the settings that change its guarantees
 * @param dialect the SQL it speaks; empty if it is none that can be rewritten, or is set to a
 *     lexical mode that our tokenizer does not follow (MySQL's {@code ANSI_QUOTES} and {@code
 *     NO_BACKSLASH_ESCAPES}, PostgreSQL's {@code standard_conforming_strings=off}; {@link
 *     SessionSqlMode})
 */
public record DatabaseProbe(Database database, Optional<Dialect> dialect) {

  private static final List<String> MYSQL_SETTINGS =
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
  private static final Set<String> MYSQL_SWITCHES =
      Set.of(
          "innodb_snapshot_isolation",
          "log_bin",
          "innodb_rollback_on_timeout",
          "wsrep_on",
          "group_replication_single_primary_mode");

  /** The error of a query that {@code max_join_size} forbids. */
  private static final int TOO_BIG_SELECT = 1104;

  private static final int UNKNOWN_VARIABLE = 1193;

  private static final String H2_SETTINGS =
      "SELECT SETTING_NAME, SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS"
          + " WHERE SETTING_NAME IN ('MODE', 'MV_STORE')";

  private static final Pattern PARAMETERS = Pattern.compile("[?;].*", Pattern.DOTALL);
  private static final Pattern PRIVATE =
      Pattern.compile("jdbc:(h2:mem:|sqlite:(:memory:)?)", Pattern.CASE_INSENSITIVE);

  private static final String UNNAMED = "an unnamed DBMS";

  /** Those that have a dialect of their own, unless they are set to another lexical mode. */
  private static final Set<String> OURS =
      Set.of("PostgreSQL", "CockroachDB", "openGauss", "MySQL", "MariaDB", "TiDB", "OceanBase");

  private static final Set<String> BY_VALUE = Set.of("MySQL", "MariaDB", "H2", "SQLite");

  private static final AtomicLong PRIVATE_COUNT = new AtomicLong();

  /**
   * Asks a connection.
   *
   * @param url the URL it was opened with; what it states of user and password is not kept
   * @throws SQLException if the DBMS does not even return its name
   */
  public static DatabaseProbe of(Connection connection, String url) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String driverSays =
        orElse(metaData == null ? null : metaData.getDatabaseProductName(), UNNAMED);
    String name = driverSays.toLowerCase(Locale.ROOT);
    if (name.contains("postgresql") || name.contains("cockroach") || name.contains("gauss")) {
      return postgres(connection, url);
    }
    if (name.contains("mysql") || name.contains("mariadb") || name.contains("oceanbase")) {
      return mysql(connection, url);
    }
    String version = orElse(metaData == null ? null : metaData.getDatabaseProductVersion(), "");
    if (name.equals("h2")) {
      Map<String, String> settings = pairs(connection, H2_SETTINGS);
      return new DatabaseProbe(
          new Database(new Product("H2", firstWord(version)), settings, place(url)),
          Optional.of(Dialect.H2));
    }
    if (name.equals("sqlite")) {
      Map<String, String> settings = new TreeMap<>();
      settings.put("journal_mode", single(connection, "PRAGMA journal_mode"));
      return new DatabaseProbe(
          new Database(new Product("SQLite", version), settings, place(url)),
          Optional.of(Dialect.SQLITE));
    }
    return new DatabaseProbe(
        new Database(
            new Product(driverSays, version.strip().split("\\s-\\s|\\R", 2)[0]),
            Map.of(),
            place(url)),
        Optional.empty());
  }

  /**
   * True if versions can come by value there while nothing is set, as far as the driver shows
   * without a query.
   */
  static boolean mayBeByValue(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String name = orElse(metaData == null ? null : metaData.getDatabaseProductName(), UNNAMED);
    return BY_VALUE.contains(name);
  }

  /** The same after a query of the DBMS: forks show the product that they are compatible with. */
  boolean mayBeByValue() {
    return dialect.isPresent() && BY_VALUE.contains(database.product().name());
  }

  /**
   * The same where statements are not rewritten: any other DBMS is taken to speak standard SQL, but
   * for one of ours that is set to another lexical mode, and a driver that names none: a stub.
   */
  public DatabaseProbe notRewritten() {
    boolean isUnnamed =
        database.product().name().isBlank() || database.product().name().equals(UNNAMED);
    return dialect.isPresent() || isUnnamed || OURS.contains(database.product().name())
        ? this
        : new DatabaseProbe(database, Optional.of(Dialect.OTHER));
  }

  /** What a driver gives, which may be a stub that gives nothing. */
  private static String orElse(@Nullable String given, String instead) {
    return given == null ? instead : given;
  }

  /**
   * True for the error by which PostgreSQL's WAL sender refuses the first statements of a session.
   * It serves a replication connection, carries no transaction of an application, and is left
   * unwatched. A physical one executes no SQL at all (0A000); a logical one does not know {@code
   * SHOW TRANSACTION ISOLATION LEVEL} (42601), with which the driver reads the level.
   */
  public static boolean isOfReplication(SQLException error) {
    return error.getClass().getName().startsWith("org.postgresql.")
        && ("0A000".equals(error.getSQLState()) || "42601".equals(error.getSQLState()));
  }

  private static DatabaseProbe postgres(Connection connection, String url) throws SQLException {
    Map<String, String> settings = new TreeMap<>();
    String version;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                PgCatalogNames.qualify(
                    "SELECT version(), current_setting('default_transaction_isolation'),"
                        + " current_setting('standard_conforming_strings')"))) {
      row.next();
      version = row.getString(1);
      settings.put("default_transaction_isolation", row.getString(2));
      if (!"on".equals(row.getString(3))) {
        settings.put("standard_conforming_strings", row.getString(3));
      }
    }
    Product product = ofPostgresVersion(version);
    return new DatabaseProbe(
        new Database(product, settings, place(url)),
        settings.containsKey("standard_conforming_strings")
            ? Optional.empty()
            : Optional.of(Dialect.POSTGRESQL));
  }

  private static DatabaseProbe mysql(Connection connection, String url) throws SQLException {
    String version;
    String comment;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT VERSION(), @@version_comment LIMIT 1")) {
      row.next();
      version = row.getString(1);
      comment = Optional.ofNullable(row.getString(2)).orElse("");
    }
    Map<String, String> settings = mySqlSettings(connection);
    Product product = ofMySqlVersion(version, comment);
    String mode = settings.getOrDefault("sql_mode", "");
    boolean otherLexis = SessionSqlMode.isOther(mode);
    Dialect dialect = product.is("MariaDB") ? Dialect.MARIADB : Dialect.MYSQL;
    return new DatabaseProbe(
        new Database(product, settings, place(url)),
        otherLexis ? Optional.empty() : Optional.of(dialect));
  }

  /**
   * The settings that a server has. A session may begin with limits for its queries: SHOW then
   * fails ({@code max_join_size}) or gives no row ({@code sql_select_limit}).
   */
  private static Map<String, String> mySqlSettings(Connection connection) throws SQLException {
    try {
      String names = "('" + String.join("', '", MYSQL_SETTINGS) + "')";
      Map<String, String> settings =
          pairs(connection, "SHOW VARIABLES WHERE Variable_name IN " + names);
      if (!settings.isEmpty()) {
        return settings;
      }
    } catch (SQLException e) {
      if (e.getErrorCode() != TOO_BIG_SELECT) {
        throw e;
      }
    }
    Map<String, String> settings = new TreeMap<>();
    for (String name : MYSQL_SETTINGS) {
      try {
        String value = single(connection, "SELECT @@" + name + " LIMIT 1");
        settings.put(name, MYSQL_SWITCHES.contains(name) ? onOrOff(value) : value);
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

  /** Reads what {@code SELECT version()} states behind a PostgreSQL driver. */
  static Product ofPostgresVersion(String text) {
    for (String name : new String[] {"CockroachDB", "openGauss", "PostgreSQL"}) {
      Matcher found =
          Pattern.compile(name + "\\D{0,12}([0-9][0-9A-Za-z.]*)", Pattern.CASE_INSENSITIVE)
              .matcher(text);
      if (found.find()) {
        return new Product(name, found.group(1));
      }
    }
    return new Product("PostgreSQL", text);
  }

  /** Reads what {@code SELECT VERSION()} states behind a MySQL or MariaDB driver. */
  static Product ofMySqlVersion(String text, String comment) {
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

  /**
   * The URL without parameters and credentials. A database in memory that has no name belongs to
   * its one connection: each is a place of its own.
   */
  static String place(String url) {
    String bare = ShownUrl.of(url);
    return PRIVATE.matcher(bare).matches() ? bare + "#" + PRIVATE_COUNT.incrementAndGet() : bare;
  }

  /** True if only the one connection that has this URL reaches its database. */
  static boolean isPrivate(String url) {
    return PRIVATE.matcher(PARAMETERS.matcher(url).replaceFirst("")).matches();
  }

  /** The same, seen by a session whose names without a schema mean that one's tables. */
  Database databaseAt(String schema) {
    return schema.isEmpty() ? database : database.at(database.place() + "#" + schema);
  }

  private static Map<String, String> pairs(Connection connection, String sql) throws SQLException {
    Map<String, String> pairs = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        pairs.put(rows.getString(1), Optional.ofNullable(rows.getString(2)).orElse(""));
      }
    }
    return pairs;
  }

  private static String single(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? Optional.ofNullable(rows.getString(1)).orElse("") : "";
    }
  }

  private static String firstWord(String text) {
    return text.strip().split("\\s", 2)[0];
  }
}
