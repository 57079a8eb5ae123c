package io.txwatch.jdbc;

import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.DriverConnectionSource;
import io.txwatch.jdbc.gate.GateListener;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import javax.sql.CommonDataSource;
import javax.sql.DataSource;
import javax.sql.PooledConnection;

/**
 * Watches connections as one set of settings asks for: what the agent holds, which knows no
 * settings.
 */
public final class ConnectionWatcher {

  private final Settings settings;

  private ConnectionWatcher(Settings settings) {
    this.settings = settings;
  }

  /**
   * The watcher that an agent's arguments ask for, the other places of settings read too.
   *
   * @return empty if nothing is to be watched
   * @throws IllegalArgumentException if a setting cannot hold; the message is a line for people
   */
  public static Optional<ConnectionWatcher> ofAgentArguments(String arguments) {
    Settings settings = Settings.ofAgentArguments(arguments);
    return settings.get(Setting.INSTRUMENT).equals("off")
        ? Optional.empty()
        : Optional.of(new ConnectionWatcher(settings));
  }

  /**
   * True if the agent must start or end the JVM.
   *
   * @see Settings#isStrict
   */
  public static boolean isStrict(String arguments) {
    return Settings.isStrict(arguments);
  }

  /**
   * Changes the level of all connections, of open ones from their next transaction on.
   *
   * @param arguments an agent's, of which only {@code instrument} can be changed
   * @return the level
   * @throws IllegalArgumentException for another setting or value; the message is a line for people
   */
  public static String changeLevel(String arguments) {
    return ObservationLevel.change(Settings.changedLevel(arguments));
  }

  /** A line about connections that do not follow a changed level; empty if all do. */
  public static String exceptionsFromLevel() {
    return ObservationLevel.exceptions();
  }

  /**
   * Opens the gate of this process to a controller, if {@code txwatch.gate} is set. Returns at once
   * and never throws; a gate that cannot be opened is reported on standard error.
   */
  public void openGate() {
    if (settings.get(Setting.GATE).isEmpty()) {
      return;
    }
    try {
      ServiceLoader.load(GateListener.class, GateListener.class.getClassLoader())
          .findFirst()
          .ifPresentOrElse(
              listener -> listener.open(settings, ConnectionWatcher::print),
              () -> print("there is no interleaver on the class path"));
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      print("there is no gate: " + e);
    }
  }

  private static void print(String line) {
    System.err.println(
        "txwatch: " + (Setting.GATE.key() + ": " + line).strip().replaceAll("\\s+", " "));
  }

  /**
   * Watches a pooled connection, or one that takes part in distributed transactions.
   *
   * @param from the data source that gave it
   * @param again opens another one
   * @see Watch#pooled(PooledConnection, String, ConnectionSource, Settings)
   */
  public PooledConnection watch(
      PooledConnection real,
      CommonDataSource from,
      String user,
      TxWatchXADataSource.PooledSource again) {
    return Watch.pooled(real, user, TxWatchXADataSource.plain(from, again), settings);
  }

  /**
   * Watches a connection of a driver.
   *
   * @param info the properties that it was opened with
   * @param again opens another one
   * @see Watch#connection(Connection, String, String, ConnectionSource, Settings)
   */
  public Connection watch(
      Connection real, String url, Properties info, DriverConnectionSource.Opener again) {
    return Watch.connection(
        real,
        url,
        info.getProperty("user", ""),
        new DriverConnectionSource(url, info, again),
        settings);
  }

  /**
   * Watches a connection of a data source.
   *
   * @param from the data source that gave it
   * @param user the user that it was requested for; empty if the data source knows the user
   * @param again requests another one
   */
  public Connection watch(Connection real, DataSource from, String user, ConnectionSource again) {
    return TxWatchDataSource.watch(real, from, user, again, settings);
  }

  /** True if a class, by its full name, is in a package of one of these drivers. */
  public static boolean isDriverClass(String className) {
    return DriverClasses.isDriverClass(className);
  }

  /**
   * True if an object is of a class, or of a subclass of one, that belongs to the driver of a DBMS
   * whose SQL is rewritten; false for those of pools and proxies.
   */
  public static boolean isDrivers(Object object) {
    return DriverClasses.isDrivers(object);
  }

  /**
   * True if two objects are of one vendor's making, so that one may cast what it gets from the
   * other to a class of their own.
   */
  public static boolean areOfOneVendor(Object one, Object other) {
    return DriverClasses.areOfOneVendor(one, other);
  }
}
