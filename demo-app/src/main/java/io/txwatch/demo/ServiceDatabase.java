package io.txwatch.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's database: a pool, and transactions that are retried after serialization failures
 * and deadlocks.
 */
final class ServiceDatabase implements AutoCloseable {

  /** What a transaction does. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  /** What a row of a result becomes. */
  interface Row<T> {
    T of(ResultSet rows) throws SQLException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(ServiceDatabase.class);
  private static final int MAX_ATTEMPTS = 10;

  /** H2's constant for snapshot isolation; JDBC has none. */
  static final int H2_SNAPSHOT = 6;

  private final HikariDataSource pool;
  private final String product;
  private final String version;
  private final int defaultLevel;
  private final AtomicInteger committed = new AtomicInteger();
  private final AtomicInteger retried = new AtomicInteger();

  /**
   * Opens a pool.
   *
   * @throws SQLException if the DBMS cannot be reached or does not let this user in
   */
  ServiceDatabase(String url, String user, String password) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setPoolName("demo");
    config.setJdbcUrl(url);
    if (!user.isEmpty()) { // else the URL names the user
      config.setUsername(user);
      config.setPassword(password);
    }
    config.setMaximumPoolSize(4);
    config.setAutoCommit(false);
    if (url.contains(":sqlite:")) {
      config.addDataSourceProperty("journal_mode", "WAL");
    }
    pool = open(config);
    try (Connection connection = pool.getConnection()) {
      DatabaseMetaData metaData = connection.getMetaData();
      product = metaData.getDatabaseProductName();
      version = metaData.getDatabaseProductVersion();
      defaultLevel = connection.getTransactionIsolation();
      connection.rollback();
    } catch (SQLException | RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private static HikariDataSource open(HikariConfig config) throws SQLException {
    try {
      return new HikariDataSource(config);
    } catch (RuntimeException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new SQLException(cause.getMessage(), e);
    }
  }

  /** Runs a transaction at the pool's level. */
  <T> T transaction(Work<T> work) throws SQLException {
    return transaction(defaultLevel, work);
  }

  /**
   * Runs a transaction, and retries it if the DBMS aborted it in favour of another one.
   *
   * @param level one of the constants of {@link Connection}
   * @throws SQLException what the work throws, or the last refusal
   */
  <T> T transaction(int level, Work<T> work) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = pool.getConnection()) {
        try {
          if (level != defaultLevel) {
            connection.setTransactionIsolation(level);
          }
          T result = work.run(connection);
          connection.commit();
          committed.incrementAndGet();
          return result;
        } catch (SQLException e) {
          rollBack(connection, e);
          if (!isWorthAnotherTry(e) || attempt == MAX_ATTEMPTS) {
            throw e;
          }
          retried.incrementAndGet();
          LOG.debug("run again after {}", e.getMessage());
        }
      }
    }
  }

  private static void rollBack(Connection connection, SQLException cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  /** Serialization failures, deadlocks, and SQLite's equivalents. */
  private boolean isWorthAnotherTry(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    boolean recordChanged = isMySqlFamily() && e.getErrorCode() == 1020;
    boolean sqliteBusy = isSqlite() && (e.getErrorCode() & 0xff) == 5;
    return state.startsWith("40") || recordChanged || sqliteBusy;
  }

  /** Runs statements one after another, each committed: what creates the tables. */
  void script(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
        connection.commit();
      }
    }
  }

  void insert(String sql, Object[]... rows) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert = connection.prepareStatement(sql)) {
      for (Object[] row : rows) {
        for (int i = 0; i < row.length; i++) {
          insert.setObject(i + 1, row[i]);
        }
        insert.executeUpdate();
      }
      connection.commit();
    }
  }

  /** All rows of a query, at the pool's level and in a transaction of its own. */
  <T> List<T> list(String sql, Row<T> row) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(sql)) {
      List<T> all = new ArrayList<>();
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          all.add(row.of(rows));
        }
      }
      connection.commit();
      return all;
    }
  }

  /**
   * What locks the rows that a SELECT reads; SQLite has no such clause, and one writer at a time.
   */
  String forUpdate() {
    return isSqlite() ? "" : " FOR UPDATE";
  }

  boolean isSqlite() {
    return product.equals("SQLite");
  }

  boolean isH2() {
    return product.equals("H2");
  }

  boolean isHsqldb() {
    return product.equals("HSQL Database Engine");
  }

  boolean isPostgres() {
    return product.equals("PostgreSQL");
  }

  boolean isMySqlFamily() {
    return product.equals("MariaDB") || product.equals("MySQL");
  }

  int defaultLevel() {
    return defaultLevel;
  }

  /** The number of committed transactions of the service. */
  int committed() {
    return committed.get();
  }

  /** The number of retries after an abort by the DBMS. */
  int retried() {
    return retried.get();
  }

  String displayName() {
    return product + " " + version;
  }

  /** A level by its name: {@code READ_COMMITTED}. */
  static String levelName(int level) {
    return switch (level) {
      case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ_UNCOMMITTED";
      case Connection.TRANSACTION_READ_COMMITTED -> "READ_COMMITTED";
      case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE_READ";
      case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
      case H2_SNAPSHOT -> "SNAPSHOT";
      default -> String.format(Locale.ROOT, "LEVEL_%d", level);
    };
  }

  @Override
  public void close() {
    pool.close();
  }
}
