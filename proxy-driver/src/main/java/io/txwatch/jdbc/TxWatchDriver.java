package io.txwatch.jdbc;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.DriverConnectionSource;
import io.txwatch.catalog.ShownUrl;
import io.txwatch.settings.Setting;
import io.txwatch.settings.SettingException;
import io.txwatch.settings.Settings;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The driver behind {@code jdbc:txwatch:<the rest of any JDBC URL>}: opens the connection with the
 * driver that the rest names, and watches it. Settings {@code txwatch.*} may stand among the URL's
 * parameters or in the properties; the real driver never sees them.
 *
 * <p>An error of the real driver comes through as it is. Errors of our own are connection
 * exceptions (SQLState 08001) of one line that states what to do.
 */
public final class TxWatchDriver implements Driver {

  // A container that stops an application deregisters its drivers, then closes its class loader.
  static {
    try {
      DriverManager.registerDriver(new TxWatchDriver(), Pipeline::endAll);
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The real driver of the URL that was accepted last; weak, so that it can be unloaded. */
  private volatile WeakReference<@Nullable Driver> latest = new WeakReference<>(null);

  @Override
  public boolean acceptsURL(@Nullable String url) {
    if (url == null || !TxWatchUrl.accepts(url)) {
      return false;
    }
    DriverFinder.find(TxWatchUrl.parse(url).real())
        .ifPresent(driver -> latest = new WeakReference<>(driver));
    return true;
  }

  @Override
  public @Nullable Connection connect(@Nullable String url, @Nullable Properties info)
      throws SQLException {
    if (url == null || !TxWatchUrl.accepts(url)) {
      return null;
    }
    TxWatchUrl parsed = TxWatchUrl.parse(url);
    Settings settings = settings(parsed, info);
    Driver driver = driver(parsed.real());
    latest = new WeakReference<>(driver);
    Properties rest = withoutOurs(info);
    Connection real = open(driver, parsed.real(), rest);
    return Watch.connection(
        real,
        parsed.real(),
        rest.getProperty("user", ""),
        new DriverConnectionSource(parsed.real(), rest, (toUrl, with) -> open(driver, toUrl, with)),
        settings);
  }

  private static Connection open(Driver driver, String url, Properties info) throws SQLException {
    Connection connection = driver.connect(url, copy(info));
    if (connection == null) {
      throw complaint("no driver opened " + ShownUrl.of(url));
    }
    return connection;
  }

  /** Drivers may keep and change what they are given. */
  private static Properties copy(Properties properties) {
    Properties copy = new Properties();
    copy.putAll(properties);
    return copy;
  }

  /** The settings that a URL and properties ask for. */
  static Settings settings(TxWatchUrl url, @Nullable Properties info) throws SQLException {
    Properties ours = new Properties();
    if (info != null) {
      for (String key : info.stringPropertyNames()) {
        if (isOurs(key)) {
          ours.setProperty(key, info.getProperty(key));
        }
      }
    }
    ours.putAll(url.properties());
    try {
      return Settings.ofUrlProperties(ours);
    } catch (SettingException e) {
      throw complaint(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isOurs(Object key) {
    return key instanceof String text && text.startsWith("txwatch.");
  }

  /** The properties that are the real driver's. */
  static Properties withoutOurs(@Nullable Properties info) {
    Properties rest = new Properties();
    if (info != null) {
      for (String key : info.stringPropertyNames()) {
        rest.setProperty(key, info.getProperty(key));
      }
      rest.putAll(info);
      rest.keySet().removeIf(TxWatchDriver::isOurs);
    }
    return rest;
  }

  /**
   * The driver for a URL.
   *
   * @throws SQLException if there is none
   */
  static Driver driver(String url) throws SQLException {
    return DriverFinder.find(url)
        .orElseThrow(
            () ->
                complaint(
                    "no JDBC driver for "
                        + ShownUrl.of(url)
                        + ": put the database's driver on the class path, and check the URL, which"
                        + " is jdbc:txwatch: with what stands behind jdbc: in the original one"));
  }

  private static SQLException complaint(String message) {
    return new SQLNonTransientConnectionException("jdbc:txwatch: " + message, "08001");
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(@Nullable String url, @Nullable Properties info)
      throws SQLException {
    List<DriverPropertyInfo> all = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      DriverPropertyInfo property =
          new DriverPropertyInfo(
              setting.key(),
              info == null
                  ? setting.defaultValue()
                  : info.getProperty(setting.key(), setting.defaultValue()));
      property.description = setting.help() + " (" + setting.accepted() + ")";
      all.add(property);
    }
    if (url != null && acceptsURL(url)) {
      String real = TxWatchUrl.parse(url).real();
      all.addAll(Arrays.asList(driver(real).getPropertyInfo(real, withoutOurs(info))));
    }
    return all.toArray(DriverPropertyInfo[]::new);
  }

  @Override
  public int getMajorVersion() {
    return 0;
  }

  @Override
  public int getMinorVersion() {
    return 1;
  }

  /** That of the real driver of the URL that was last accepted or opened. */
  @Override
  public boolean jdbcCompliant() {
    Driver real = latest.get();
    return real != null && real.jdbcCompliant();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("jdbc:txwatch: does not log");
  }
}
