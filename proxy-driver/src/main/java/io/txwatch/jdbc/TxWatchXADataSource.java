package io.txwatch.jdbc;

import io.txwatch.catalog.ConnectionSource;
import io.txwatch.jdbc.wrap.OwningConnection;
import io.txwatch.settings.SettingException;
import io.txwatch.settings.Settings;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.CommonDataSource;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.jspecify.annotations.Nullable;

/**
 * Watches the connections of another data source that gives {@link XAConnection}s to a transaction
 * manager, or {@link PooledConnection}s to a pool. Distributed transactions are watched through the
 * two phases of their commit: what is prepared is neither committed nor aborted.
 */
public final class TxWatchXADataSource implements XADataSource, ConnectionPoolDataSource {

  private @Nullable CommonDataSource wrapped;
  private final Properties properties = new Properties();

  /** A data source that has to be given another. */
  public TxWatchXADataSource() {}

  /**
   * Watches the connections of another data source.
   *
   * @param wrapped an {@link XADataSource} or a {@link ConnectionPoolDataSource}, or both
   */
  public TxWatchXADataSource(CommonDataSource wrapped) {
    this.wrapped = wrapped;
  }

  /** The other data source. */
  public void setDataSource(CommonDataSource dataSource) {
    this.wrapped = dataSource;
  }

  /** A setting {@code txwatch.*}. */
  public void setProperty(String key, String value) {
    properties.setProperty(key, value);
  }

  @Override
  public XAConnection getXAConnection() throws SQLException {
    XADataSource source = of(XADataSource.class);
    return (XAConnection) watched("", source::getXAConnection);
  }

  @Override
  public XAConnection getXAConnection(String user, String password) throws SQLException {
    XADataSource source = of(XADataSource.class);
    return (XAConnection) watched(user, () -> source.getXAConnection(user, password));
  }

  @Override
  public PooledConnection getPooledConnection() throws SQLException {
    ConnectionPoolDataSource source = of(ConnectionPoolDataSource.class);
    return watched("", source::getPooledConnection);
  }

  @Override
  public PooledConnection getPooledConnection(String user, String password) throws SQLException {
    ConnectionPoolDataSource source = of(ConnectionPoolDataSource.class);
    return watched(user, () -> source.getPooledConnection(user, password));
  }

  private PooledConnection watched(String user, PooledSource opener) throws SQLException {
    Settings settings;
    try {
      settings = Settings.ofUrlProperties(properties);
    } catch (SettingException e) {
      throw new SQLNonTransientConnectionException(
          "TxWatchXADataSource: " + e.getMessage(), "08001");
    }
    ConnectionSource plain = plain(of(CommonDataSource.class), opener);
    return Watch.pooled(opener.open(), user, plain, settings);
  }

  /**
   * Opens plain connections, each of which closes the pooled one that it is the handle of.
   *
   * @param opened the data source that the pooled ones come from: of a pool, there are none
   */
  static ConnectionSource plain(CommonDataSource opened, PooledSource source) {
    if (DriverClasses.mayPool(opened)) {
      return ConnectionSource.NONE;
    }
    return () -> {
      PooledConnection pooled = source.open();
      try {
        return new OwningConnection(pooled.getConnection(), pooled);
      } catch (SQLException | RuntimeException e) {
        pooled.close();
        throw e;
      }
    };
  }

  /** Opens a pooled connection. */
  public interface PooledSource {
    /** Opens one. */
    PooledConnection open() throws SQLException;
  }

  private <T> T of(Class<T> type) throws SQLException {
    CommonDataSource source = wrapped;
    if (!type.isInstance(source)) {
      throw new SQLNonTransientConnectionException(
          "TxWatchXADataSource: set a " + type.getSimpleName() + " as the data source first",
          "08001");
    }
    return type.cast(source);
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
    if (wrapped != null) {
      wrapped.setLoginTimeout(seconds);
    }
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return wrapped == null ? 0 : wrapped.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("TxWatchXADataSource does not log");
  }
}
