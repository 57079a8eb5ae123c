package io.txwatch.agent;

import io.txwatch.catalog.DataSourceConnectionSource;
import io.txwatch.catalog.Login;
import io.txwatch.jdbc.ConnectionWatcher;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.CommonDataSource;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the active calls of {@link Driver#connect} and of data sources on each thread, and decides
 * which of them returns a watched connection.
 *
 * <p>Drivers call drivers. A proxy ({@code jdbc:p6spy:…}) calls the real driver: the innermost
 * driver's connection is watched, so that the proxy stays outside and the real URL is known. A
 * driver may call its own superclass and cast the result: a nested call on the same object is part
 * of the outer call, and only the outer result is watched.
 *
 * <p>A vendor's data source for pooled and distributed connections casts the connections of its own
 * driver: a connection opened within such a call is not watched, the data source's result is. A
 * pool's data source (c3p0's, DBCP's) implements the same interfaces and casts its own connections:
 * it is not watched, a connection that a driver opens within its call is. {@link ConnectionWatcher}
 * distinguishes them.
 *
 * <p>A vendor's plain data source opens connections through its driver (PostgreSQL, MySQL), where
 * they are watched, or by itself (H2, MariaDB, SQLite): then its result is watched.
 */
public final class DriverCalls {

  private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

  private static volatile @Nullable ConnectionWatcher watcher;

  private DriverCalls() {}

  /** What is called. */
  private enum Kind {
    DRIVER,
    PLAIN_SOURCE,
    POOLED_SOURCE;

    static Kind of(String method) {
      return switch (method) {
        case "connect" -> DRIVER;
        case "getConnection" -> PLAIN_SOURCE;
        default -> POOLED_SOURCE;
      };
    }
  }

  /**
   * An active call.
   *
   * @see #isWatchedElsewhere
   */
  private static final class Call {
    private final Kind kind;

    /** The driver or the data source. */
    private final Object opener;

    private final @Nullable Call outer;

    /** True if it is txwatch's own call, within which nothing is watched. */
    private final boolean isInternal;

    /** True once a connection was watched within it. */
    private boolean done;

    Call(Kind kind, Object opener, @Nullable Call outer, boolean isInternal) {
      this.kind = kind;
      this.opener = opener;
      this.outer = outer;
      this.isInternal = isInternal;
    }
  }

  static void setWatcher(ConnectionWatcher given) {
    watcher = given;
  }

  /** A call of a method that opens connections begins. Called by the advice. */
  public static void enter(String method, Object opener) {
    Call outer = CURRENT.get();
    CURRENT.set(new Call(Kind.of(method), opener, outer, outer != null && outer.isInternal));
  }

  /** The call ends. Called by the advice; returns what the method is to return. */
  public static @Nullable Object exit(
      String method, Object opener, Object[] arguments, @Nullable Object opened) {
    return switch (Kind.of(method)) {
      case DRIVER ->
          exitDriver(
              (Driver) opener,
              (String) arguments[0],
              (Properties) arguments[1],
              (Connection) opened);
      case PLAIN_SOURCE -> exitPlain((DataSource) opener, arguments, (Connection) opened);
      case POOLED_SOURCE ->
          exitPooled((CommonDataSource) opener, arguments, (PooledConnection) opened);
    };
  }

  private static @Nullable Connection exitDriver(
      Driver driver, String url, @Nullable Properties info, @Nullable Connection connection) {
    return exit(
        connection,
        (chosen, opened) -> {
          return chosen.watch(
              opened, url, copy(info), (toUrl, with) -> unwatched(driver, toUrl, with));
        });
  }

  private static @Nullable Connection exitPlain(
      DataSource source, Object[] arguments, @Nullable Connection connection) {
    return exit(
        connection,
        (chosen, opened) ->
            chosen.watch(
                opened,
                source,
                user(arguments),
                DataSourceConnectionSource.of(
                    arguments.length == 2 ? (String) arguments[0] : null,
                    arguments.length == 2 ? (String) arguments[1] : null,
                    login -> unwatched(source, login))));
  }

  /** Another connection of a data source, for txwatch itself. */
  private static Connection unwatched(DataSource source, @Nullable Login login)
      throws SQLException {
    return internally(
        Kind.PLAIN_SOURCE,
        source,
        () ->
            login == null
                ? source.getConnection()
                : source.getConnection(login.user(), login.password()));
  }

  private static @Nullable PooledConnection exitPooled(
      CommonDataSource source, Object[] arguments, @Nullable PooledConnection pooled) {
    return exit(
        pooled,
        (chosen, opened) -> {
          boolean distributed = opened instanceof XAConnection;
          return chosen.watch(
              opened, source, user(arguments), () -> unwatched(source, arguments, distributed));
        });
  }

  /** Another pooled connection, for txwatch itself. */
  private static PooledConnection unwatched(
      CommonDataSource source, Object[] arguments, boolean distributed) throws SQLException {
    boolean named = arguments.length == 2;
    String user = named ? (String) arguments[0] : "";
    String password = named ? (String) arguments[1] : "";
    return internally(
        Kind.POOLED_SOURCE,
        source,
        () -> {
          if (distributed) {
            XADataSource xa = (XADataSource) source;
            return named ? xa.getXAConnection(user, password) : xa.getXAConnection();
          }
          ConnectionPoolDataSource pool = (ConnectionPoolDataSource) source;
          return named ? pool.getPooledConnection(user, password) : pool.getPooledConnection();
        });
  }

  private static String user(Object[] arguments) {
    return arguments.length == 2 && arguments[0] != null ? (String) arguments[0] : "";
  }

  /** Watches what a call has opened. */
  private interface Watching<T> {
    T watch(ConnectionWatcher chosen, T opened);
  }

  /** The innermost call ends: watches what it has opened, unless another call does. */
  private static <T> @Nullable T exit(@Nullable T opened, Watching<T> watching) {
    Call call = CURRENT.get();
    if (call == null) {
      return opened;
    }
    leave(call);
    if (opened == null || call.isInternal || call.done) {
      return done(call.outer, call.done, opened);
    }
    ConnectionWatcher chosen = watcher;
    if (chosen == null || isWatchedElsewhere(call)) {
      return opened;
    }
    return done(call.outer, true, watching.watch(chosen, opened));
  }

  /** Whether an outer call's result is watched instead, or, of a pool, an inner call's. */
  private static boolean isWatchedElsewhere(Call call) {
    Call outer = call.outer;
    if (outer != null && outer.opener == call.opener) {
      return true;
    }
    if (call.kind == Kind.POOLED_SOURCE) {
      return !ConnectionWatcher.isDrivers(call.opener);
    }
    for (Call each = outer; each != null; each = each.outer) {
      if (each.kind == Kind.POOLED_SOURCE
          && ConnectionWatcher.areOfOneVendor(each.opener, call.opener)) {
        return true;
      }
    }
    return false;
  }

  private static <T> @Nullable T done(@Nullable Call outer, boolean done, @Nullable T connection) {
    if (outer != null && connection != null) {
      outer.done |= done;
    }
    return connection;
  }

  private static void leave(Call call) {
    if (call.outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(call.outer);
    }
  }

  /** Another connection of the same kind, for txwatch itself. */
  private static Connection unwatched(Driver driver, String url, Properties info)
      throws SQLException {
    return internally(
        Kind.DRIVER,
        driver,
        () -> {
          Connection connection = driver.connect(url, copy(info));
          if (connection == null) {
            throw new SQLException("the driver does not open its own URL a second time", "08001");
          }
          return connection;
        });
  }

  /** Opens something. */
  private interface Opening<T> {
    T open() throws SQLException;
  }

  /** Opens something for txwatch itself: nothing is watched meanwhile. */
  private static <T> T internally(Kind kind, Object opener, Opening<T> opening)
      throws SQLException {
    Call call = new Call(kind, opener, CURRENT.get(), true);
    CURRENT.set(call);
    try {
      return opening.open();
    } finally {
      leave(call);
    }
  }

  /** Copies properties with their defaults, since drivers may keep and change them. */
  private static Properties copy(@Nullable Properties info) {
    Properties copy = new Properties();
    if (info != null) {
      info.stringPropertyNames().forEach(key -> copy.setProperty(key, info.getProperty(key)));
      copy.putAll(info);
    }
    return copy;
  }
}
