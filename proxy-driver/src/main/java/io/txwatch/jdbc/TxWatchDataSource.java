package io.txwatch.jdbc;

import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.DataSourceConnectionSource;
import io.txwatch.settings.SettingException;
import io.txwatch.settings.Settings;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source whose connections are watched: give it a URL, with or without {@code txwatch:} in
 * it, or another data source. Best placed behind a pool, so that a session is a physical
 * connection.
 *
 * <pre>{@code
 * TxWatchDataSource watched = new TxWatchDataSource(vendorDataSource);
 * watched.setProperty("txwatch.report", "anomalies.jsonl"); // before the first connection
 * hikariConfig.setDataSource(watched);
 * }</pre>
 *
 * <p>Settings {@code txwatch.*} are properties; the vendor's driver does not get them.
 */
public final class TxWatchDataSource implements DataSource {

  private @Nullable DataSource wrapped;
  private @Nullable String url;
  private final Properties properties = new Properties();

  /** A data source that has to be given a URL or another data source. */
  public TxWatchDataSource() {}

  /** Watches the connections of another data source. */
  public TxWatchDataSource(DataSource wrapped) {
    this.wrapped = wrapped;
  }

  /** The other data source. */
  public void setDataSource(DataSource dataSource) {
    this.wrapped = dataSource;
  }

  /** A JDBC URL, with or without {@code txwatch:}. */
  public void setUrl(String newUrl) {
    this.url = newUrl;
  }

  /** The URL as it was given. */
  public @Nullable String getUrl() {
    return url;
  }

  /** The database's user. */
  public void setUser(String user) {
    properties.setProperty("user", user);
  }

  /** The user's password. */
  public void setPassword(String password) {
    properties.setProperty("password", password);
  }

  /** A property for the driver, or a setting {@code txwatch.*}. */
  public void setProperty(String key, String value) {
    properties.setProperty(key, value);
  }

  @Override
  public Connection getConnection() throws SQLException {
    DataSource source = wrapped;
    return source == null
        ? open(properties)
        : watch(source, source.getConnection(), "", opening(source, null, null));
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    DataSource source = wrapped;
    if (source != null) {
      return watch(
          source, source.getConnection(user, password), user, opening(source, user, password));
    }
    Properties withUser = new Properties();
    withUser.putAll(properties);
    withUser.setProperty("user", user);
    withUser.setProperty("password", password);
    return open(withUser);
  }

  private static ConnectionSource opening(
      DataSource source, @Nullable String user, @Nullable String password) {
    return DataSourceConnectionSource.of(
        user,
        password,
        login ->
            login == null
                ? source.getConnection()
                : source.getConnection(login.user(), login.password()));
  }

  private Connection open(Properties with) throws SQLException {
    String given = url;
    if (given == null) {
      throw new SQLNonTransientConnectionException(
          "TxWatchDataSource: set a URL or a data source first", "08001");
    }
    String ours =
        TxWatchUrl.accepts(given) || !given.startsWith("jdbc:")
            ? given
            : TxWatchUrl.PREFIX + given.substring("jdbc:".length());
    Connection connection = new TxWatchDriver().connect(ours, with);
    if (connection == null) {
      throw new SQLNonTransientConnectionException(
          "TxWatchDataSource: the URL must begin with jdbc:", "08001");
    }
    return connection;
  }

  private Connection watch(DataSource from, Connection real, String user, ConnectionSource source)
      throws SQLException {
    Settings settings;
    try {
      settings = Settings.ofUrlProperties(properties);
    } catch (SettingException e) {
      real.close();
      throw new SQLNonTransientConnectionException("TxWatchDataSource: " + e.getMessage(), "08001");
    }
    return watch(real, from, user, source, settings);
  }

  /** Watches a connection of a data source. Never throws. */
  static Connection watch(
      Connection real, DataSource from, String user, ConnectionSource again, Settings settings) {
    return Watch.connection(
        real,
        url(real),
        user,
        DriverClasses.mayPool(from) ? ConnectionSource.NONE : again,
        settings);
  }

  /** The driver's message; empty if it has none. */
  private static String url(Connection real) {
    try {
      String known = real.getMetaData().getURL();
      return known == null ? "" : known;
    } catch (SQLException e) {
      return "";
    }
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return wrapped == null ? null : wrapped.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    if (wrapped != null) {
      wrapped.setLogWriter(out);
    }
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    if (wrapped == null) {
      DriverManager.setLoginTimeout(seconds);
    } else {
      wrapped.setLoginTimeout(seconds);
    }
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return wrapped == null ? DriverManager.getLoginTimeout() : wrapped.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("TxWatchDataSource does not log");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    DataSource source = wrapped;
    if (source == null) {
      throw new SQLException("TxWatchDataSource wraps no " + type.getName());
    }
    return type.isInstance(source) ? type.cast(source) : source.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    DataSource source = wrapped;
    return type.isInstance(this)
        || (source != null && (type.isInstance(source) || source.isWrapperFor(type)));
  }
}
