package io.txwatch.hazard;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A data source that does nothing but open connections. */
record OpeningDataSource(Twins.Connections connections) implements DataSource {

  @Override
  public Connection getConnection() throws SQLException {
    return connections.open();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return connections.open();
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
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
