package io.txwatch.corpus.orm;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Data sources without a pool. */
final class DataSources {

  private DataSources() {}

  /** Opens connections. */
  interface Opener {
    Connection open() throws SQLException;
  }

  static DataSource of(Opener opener) {
    return new DataSource() {
      @Override
      public Connection getConnection() throws SQLException {
        return opener.open();
      }

      @Override
      public Connection getConnection(String user, String password) throws SQLException {
        return opener.open();
      }

      @Override
      public PrintWriter getLogWriter() {
        return new PrintWriter(System.err, true);
      }

      @Override
      public void setLogWriter(PrintWriter out) {}

      @Override
      public void setLoginTimeout(int seconds) {}

      @Override
      public int getLoginTimeout() {
        return 0;
      }

      @Override
      public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
      }

      @Override
      public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
      }

      @Override
      public boolean isWrapperFor(Class<?> type) {
        return false;
      }
    };
  }
}
