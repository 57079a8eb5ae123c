package io.txwatch.agent;

import io.txwatch.jdbc.ConnectionWatcher;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The calls of {@link Driver#connect} that are under way on each thread, and the decision which of
 * them gives the watched connection.
 *
 * <p>Drivers call drivers. A proxy ({@code jdbc:p6spy:…}) calls the real one: the innermost
 * driver's connection is watched, so that what the proxy adds stays outside and the real URL is
 * known. A driver calls its own superclass and may cast what it gets: a call on the same object is
 * part of the one outside it, and only that one's result is watched.
 */
public final class DriverCalls {

  private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

  private static volatile @Nullable ConnectionWatcher watcher;

  private DriverCalls() {}

  /**
   * A call under way.
   *
   * @see #exit
   */
  private static final class Call {
    private final Object driver;
    private final @Nullable Call outer;

    /** True if it is txwatch's own: nothing within it is watched. */
    private final boolean ours;

    /** True once a connection was watched within it. */
    private boolean done;

    Call(Object driver, @Nullable Call outer, boolean ours) {
      this.driver = driver;
      this.outer = outer;
      this.ours = ours;
    }
  }

  static void watchWith(ConnectionWatcher given) {
    watcher = given;
  }

  /** A driver's {@code connect} begins. Called by the advice. */
  public static void enter(Driver driver) {
    Call outer = CURRENT.get();
    CURRENT.set(new Call(driver, outer, outer != null && outer.ours));
  }

  /** It ends. Called by the advice; returns what it is to return. */
  public static @Nullable Connection exit(
      Driver driver, String url, @Nullable Properties info, @Nullable Connection connection) {
    Call call = CURRENT.get();
    if (call == null) {
      return connection;
    }
    leave(call);
    Call outer = call.outer;
    if (connection == null || call.ours || call.done) {
      return done(outer, call.done, connection);
    }
    ConnectionWatcher chosen = watcher;
    if (chosen == null || (outer != null && outer.driver == driver)) {
      return connection;
    }
    Properties own = copy(info);
    String user = own.getProperty("user", "");
    return done(
        outer, true, chosen.watch(connection, url, user, () -> unwatched(driver, url, own)));
  }

  private static @Nullable Connection done(
      @Nullable Call outer, boolean done, @Nullable Connection connection) {
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
    Call call = new Call(driver, CURRENT.get(), true);
    CURRENT.set(call);
    try {
      Connection connection = driver.connect(url, copy(info));
      if (connection == null) {
        throw new SQLException("the driver does not open its own URL a second time", "08001");
      }
      return connection;
    } finally {
      leave(call);
    }
  }

  /** Drivers may keep and change what they are given; defaults behind it are kept too. */
  private static Properties copy(@Nullable Properties info) {
    Properties copy = new Properties();
    if (info != null) {
      info.stringPropertyNames().forEach(key -> copy.setProperty(key, info.getProperty(key)));
      copy.putAll(info);
    }
    return copy;
  }
}
