package org.example.loaders;

import java.sql.Connection;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** An application's class, in whatever class loader: opens a watched connection. */
public final class Opener implements Callable<Connection> {

  /** Called by reflection. */
  public Opener() {}

  @Override
  public Connection call() throws Exception {
    DataSource source =
        (DataSource)
            Class.forName("io.txwatch.jdbc.TxWatchDataSource").getConstructor().newInstance();
    source.getClass().getMethod("setUrl", String.class).invoke(source, "jdbc:h2:mem:shared");
    source
        .getClass()
        .getMethod("setProperty", String.class, String.class)
        .invoke(source, "txwatch.analyzer", "none");
    Connection connection = source.getConnection();
    Caller.deregister();
    return connection;
  }
}
