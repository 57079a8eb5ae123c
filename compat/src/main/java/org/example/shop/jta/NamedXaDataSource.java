package org.example.shop.jta;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Objects;
import java.util.logging.Logger;
import javax.sql.CommonDataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;

/** The data source of a driver, chosen by its URL, as a pool sets it. */
public final class NamedXaDataSource implements XADataSource {

  private @Nullable XADataSource driver;

  /** Sets the URL. */
  public void setUrl(String url) throws SQLException {
    driver = of(url);
  }

  /** The data source for a URL: for that of txwatch, its own around the driver's. */
  static XADataSource of(String url) throws SQLException {
    if (url.startsWith("jdbc:txwatch:")) {
      XADataSource real = of("jdbc:" + url.substring("jdbc:txwatch:".length()));
      try {
        return (XADataSource)
            Class.forName("io.txwatch.jdbc.TxWatchXADataSource")
                .getConstructor(CommonDataSource.class)
                .newInstance(real);
      } catch (ReflectiveOperationException e) {
        throw new SQLException(e);
      }
    }
    if (url.startsWith("jdbc:postgresql:")) {
      PGXADataSource source = new PGXADataSource();
      source.setUrl(url);
      return source;
    }
    if (url.startsWith("jdbc:mariadb:")) {
      return new MariaDbDataSource(url);
    }
    JdbcDataSource source = new JdbcDataSource();
    source.setUrl(url);
    return source;
  }

  private XADataSource driver() {
    return Objects.requireNonNull(driver);
  }

  @Override
  public XAConnection getXAConnection() throws SQLException {
    return driver().getXAConnection();
  }

  @Override
  public XAConnection getXAConnection(String user, String password) throws SQLException {
    return driver().getXAConnection(user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return driver().getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    driver().setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    driver().setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return driver().getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }
}
