package org.example.loaders;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** An application's class, in whatever class loader: opens a watched connection and closes it. */
public final class Caller implements Callable<String> {

  private final String history;

  /**
   * Called by reflection.
   *
   * @param history the file that its history goes to
   */
  public Caller(String history) {
    this.history = history;
  }

  /** Gives the simple name of the connection's class, and what it reads. */
  @Override
  public String call() throws Exception {
    // As containers do with what an application has registered; none is left for DriverManager.
    deregister();
    DataSource source =
        (DataSource)
            Class.forName("io.txwatch.jdbc.TxWatchDataSource").getConstructor().newInstance();
    source.getClass().getMethod("setUrl", String.class).invoke(source, "jdbc:h2:mem:loaders");
    source
        .getClass()
        .getMethod("setProperty", String.class, String.class)
        .invoke(source, "txwatch.history", history);
    String seen = "";
    for (int i = 0; i < 2; i++) {
      try (Connection connection = source.getConnection();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT 42")) {
        row.next();
        seen += connection.getClass().getSimpleName() + " " + row.getInt(1) + ";";
      }
    }
    deregister();
    return seen;
  }

  static void deregister() throws SQLException {
    for (Driver driver : Collections.list(DriverManager.getDrivers())) {
      DriverManager.deregisterDriver(driver);
    }
  }
}
