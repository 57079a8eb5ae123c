package org.example.app;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import javax.sql.ConnectionEventListener;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import javax.sql.StatementEventListener;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteDataSource;

/**
 * An application without any reference to txwatch or its packages. It prints the classes of its
 * connections.
 */
public final class Application {

  private Application() {}

  public static void main(String[] ways) throws Exception {
    for (String way : ways) {
      switch (way) {
        case "driver-manager" -> {
          try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:a")) {
            use(way, connection);
          }
        }
        case "hikari" -> {
          HikariConfig config = new HikariConfig();
          config.setJdbcUrl("jdbc:h2:mem:b");
          config.setMaximumPoolSize(2);
          try (HikariDataSource pool = new HikariDataSource(config);
              Connection connection = pool.getConnection()) {
            use(way, connection);
          }
        }
        case "delegating" -> {
          DriverManager.registerDriver(new DelegatingDriver());
          try (Connection connection = DriverManager.getConnection("jdbc:outer:h2:mem:c")) {
            use(way, connection);
          }
        }
        case "casting" -> {
          Connection connection = new CastingDriver().connect("jdbc:h2:mem:d", new Properties());
          use(way, connection);
          connection.close();
        }
        case "txwatch" -> {
          try (Connection connection = DriverManager.getConnection("jdbc:txwatch:h2:mem:e")) {
            use(way, connection);
          }
        }
        case "wrong-password" -> {
          try (Connection first = DriverManager.getConnection("jdbc:h2:mem:f", "sa", "right")) {
            DriverManager.getConnection("jdbc:h2:mem:f", "sa", "wrong").close();
          } catch (SQLException e) {
            System.out.println(way + ": " + e.getErrorCode());
          }
        }
        case "isolated" -> {
          URL h2 = org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation();
          try (BundleLoader loader = new BundleLoader(h2)) {
            Driver driver =
                (Driver) loader.loadClass("org.h2.Driver").getConstructor().newInstance();
            Connection connection = driver.connect("jdbc:h2:mem:g", new Properties());
            use(way, connection);
            connection.close();
            DataSource source =
                (DataSource)
                    loader.loadClass("org.h2.jdbcx.JdbcDataSource").getConstructor().newInstance();
            source.getClass().getMethod("setURL", String.class).invoke(source, "jdbc:h2:mem:i");
            try (Connection plain = source.getConnection()) {
              use(way, plain);
            }
            distributed(way, (XADataSource) source);
            try {
              driver.connect("jdbc:h2:mem:i;NO_SUCH_SETTING=1", new Properties()).close();
            } catch (SQLException e) {
              System.out.println(way + ": " + e.getErrorCode());
            }
          }
        }
        case "xa" -> {
          JdbcDataSource h2 = new JdbcDataSource();
          h2.setURL("jdbc:h2:mem:x");
          distributed(way, h2);
        }
        case "h2-source" -> {
          JdbcDataSource h2 = new JdbcDataSource();
          h2.setURL("jdbc:h2:mem:s");
          try (Connection connection = h2.getConnection()) {
            use(way, connection);
          }
        }
        case "h2-pool" -> {
          JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:p", "sa", "");
          pool.getConnection().close();
          try (Connection connection = pool.getConnection()) {
            use(way, connection);
          }
          pool.dispose();
        }
        case "sqlite-source" -> {
          SQLiteDataSource sqlite = new SQLiteDataSource();
          sqlite.setUrl("jdbc:sqlite::memory:");
          try (Connection connection = sqlite.getConnection()) {
            use(way, connection);
          }
        }
        case "pools-own" -> {
          PooledConnection pooled = new PoolsOwnDataSource("jdbc:h2:mem:y").getPooledConnection();
          PoolsOwnConnection own = (PoolsOwnConnection) pooled;
          use(way, own.getConnection());
          own.close();
        }
        default -> throw new IllegalArgumentException(way);
      }
    }
  }

  /** A loader as that of an OSGi bundle: only packages of the JDK come from its parent. */
  private static final class BundleLoader extends URLClassLoader {

    BundleLoader(URL jar) {
      super(new URL[] {jar}, ClassLoader.getSystemClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("java.") || name.startsWith("javax.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }

  private static void distributed(String way, XADataSource source) throws Exception {
    XAConnection xa = source.getXAConnection();
    System.out.println(way + ": " + xa.getClass().getSimpleName());
    try (Connection connection = xa.getConnection()) {
      use(way, connection);
    }
    xa.close();
  }

  private static void use(String way, Connection connection) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.executeUpdate("INSERT INTO account VALUES (1, 10)");
      statement.executeUpdate("UPDATE account SET balance = balance + 1");
      try (ResultSet rows = statement.executeQuery("SELECT * FROM account")) {
        rows.next();
        System.out.println(
            way
                + ": "
                + layers(connection)
                + ", "
                + rows.getMetaData().getColumnCount()
                + " columns, balance "
                + rows.getInt(2));
      }
    }
  }

  /** The simple class names from the outside in, read out of the objects. */
  private static String layers(Object connection) throws IllegalAccessException {
    if (Proxy.isProxyClass(connection.getClass())) {
      return "Proxy > " + layers(((Handler) Proxy.getInvocationHandler(connection)).real);
    }
    Object inner = delegate(connection);
    String name = connection.getClass().getSimpleName();
    return inner == null ? name : name + " > " + layers(inner);
  }

  private static @Nullable Object delegate(Object connection) throws IllegalAccessException {
    for (Class<?> type = connection.getClass(); type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals("delegate")) {
          field.setAccessible(true);
          return field.get(connection);
        }
      }
    }
    return null;
  }

  /** A logging driver: delegates to another driver and wraps its results. */
  static final class DelegatingDriver extends org.h2.Driver {
    @Override
    public boolean acceptsURL(String url) {
      return url.startsWith("jdbc:outer:");
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      Connection real = DriverManager.getConnection(url.replace("outer:", ""), info);
      return (Connection)
          Proxy.newProxyInstance(
              Application.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              new Handler(real));
    }
  }

  /** A handler whose {@code isWrapperFor} is always false. */
  record Handler(Connection real) implements java.lang.reflect.InvocationHandler {
    @Override
    public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments)
        throws Throwable {
      if (method.getName().equals("isWrapperFor")) {
        return false;
      }
      try {
        return method.invoke(real, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  /** A pool's internal data source, whose connections have a class of the pool (c3p0, DBCP). */
  record PoolsOwnDataSource(String url) implements ConnectionPoolDataSource {
    @Override
    public PooledConnection getPooledConnection() throws SQLException {
      return new PoolsOwnConnection(DriverManager.getConnection(url));
    }

    @Override
    public PooledConnection getPooledConnection(String user, String password) throws SQLException {
      return getPooledConnection();
    }

    @Override
    public java.io.@Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(java.io.PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public java.util.logging.Logger getParentLogger() {
      return java.util.logging.Logger.getGlobal();
    }
  }

  record PoolsOwnConnection(Connection physical) implements PooledConnection {
    @Override
    public Connection getConnection() {
      return physical;
    }

    @Override
    public void close() throws SQLException {
      physical.close();
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {}

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {}

    @Override
    public void addStatementEventListener(StatementEventListener listener) {}

    @Override
    public void removeStatementEventListener(StatementEventListener listener) {}
  }

  /** A driver that needs what its superclass made. */
  static final class CastingDriver extends org.h2.Driver {
    @Override
    public Connection connect(String url, Properties info) throws SQLException {
      JdbcConnection mine = (JdbcConnection) super.connect(url, info);
      return mine;
    }
  }
}
