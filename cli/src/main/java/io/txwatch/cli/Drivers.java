package io.txwatch.cli;

import io.txwatch.catalog.ShownUrl;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.registry.DbmsRegistry;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The vendors' JDBC drivers for the commands: those nested in {@code txwatch.jar}, and those of
 * {@code --driver-path}, in a class loader of their own.
 */
final class Drivers {

  static final String WATCHED = "jdbc:txwatch:";

  /** What is registered already: a process may execute many commands. */
  private static final Set<List<Path>> REGISTERED = ConcurrentHashMap.newKeySet();

  private Drivers() {}

  /** The URL of the real driver: without {@code txwatch:}. */
  static String unwatched(String url) {
    return url.startsWith(WATCHED) ? "jdbc:" + url.substring(WATCHED.length()) : url;
  }

  /**
   * Connects without watching.
   *
   * @throws CommandException if no driver accepts the URL, or the DBMS does not answer or refuses
   */
  static Connection connect(String url, DatabaseOptions options) {
    String real = unwatched(url);
    DbmsRegistry.prepare(real);
    if (!isKnown(real, options)) {
      throw CommandException.badInput(
          "no JDBC driver knows the URL "
              + shown(real)
              + "; expected "
              + CommandDbms.urls()
              + ", or --driver-path JAR");
    }
    try {
      return open(real, options);
    } catch (SQLException e) {
      throw CommandException.unreachable(
          "cannot connect to " + shown(real) + ": " + ConnectFailure.describe(real, e));
    } catch (LinkageError e) {
      throw CommandException.badInput(
          "the JDBC driver lacks the class "
              + firstLine(e.getMessage()).replace('/', '.')
              + ": name the jar that has it with another --driver-path");
    }
  }

  /** Registers the drivers for a URL. True if one of them accepts it. */
  static boolean isKnown(String url, DatabaseOptions options) {
    register(url, options.driverPath);
    try {
      DriverManager.getDriver(url);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * Connects again with a driver that {@link #connect} has registered: an in-process database is
   * shared only through the same driver.
   *
   * @throws SQLException the driver's, which a caller that knows the DBMS may interpret
   */
  static Connection reconnect(String url, DatabaseOptions options) throws SQLException {
    return open(unwatched(url), options);
  }

  /** Opens further connections to a database, with the user and the password of the options. */
  static Connector connector(DatabaseOptions options) {
    return new Connector() {
      @Override
      public Connection connect(String url) throws SQLException {
        return reconnect(url, options);
      }

      @Override
      public Properties credentials() {
        return options.credentials();
      }
    };
  }

  private static Connection open(String url, DatabaseOptions options) throws SQLException {
    Connection connection = openUnregistered(url, options);
    if (options.sessions != null) {
      options.sessions.add(connection, () -> openUnregistered(url, options));
    }
    return connection;
  }

  private static Connection openUnregistered(String url, DatabaseOptions options)
      throws SQLException {
    Properties credentials = options.credentials();
    try {
      return DriverManager.getConnection(url, credentials);
    } catch (SQLException e) {
      Optional<String> plain = ConnectFailure.withoutTls(url, e);
      if (plain.isEmpty()) {
        throw e;
      }
      return DriverManager.getConnection(plain.get(), credentials);
    }
  }

  /** Registers the drivers for a URL with {@link DriverManager}. */
  static void register(String url, List<Path> driverPath) {
    List<Path> wanted = new ArrayList<>(driverPath);
    CommandDbms.of(url).flatMap(CommandDbms::driverJar).map(Path::of).ifPresent(wanted::add);
    if (REGISTERED.contains(wanted)) {
      return;
    }
    List<Path> jars = new ArrayList<>();
    for (Path jar : driverPath) {
      if (!Files.isReadable(jar)) {
        throw CommandException.badInput("--driver-path: no such file: " + jar);
      }
      jars.add(jar);
    }
    jars.addAll(nestedFor(url)); // after the user's, which are preferred
    if (jars.isEmpty()) {
      return;
    }
    URL[] urls = jars.stream().map(Drivers::toUrl).toArray(URL[]::new);
    // Never closed: used until the process exits.
    @SuppressWarnings("resource")
    URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
      try {
        DriverManager.registerDriver(new Shim(driver));
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
    REGISTERED.add(wanted);
  }

  /** The unpacked jar for the URL's subprotocol; none if no nested jar has it. */
  static List<Path> nestedFor(String url) {
    return CommandDbms.of(url)
        .flatMap(CommandDbms::driverJar)
        .map(jar -> NestedJars.unpack("drivers", jar::equals))
        .orElse(List.of());
  }

  /** A URL without parameters, users and passwords. */
  static String shown(String url) {
    return ShownUrl.of(url).replaceAll("\\p{Cntrl}+", " ");
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "no reason given" : message.strip().lines().findFirst().orElse("");
  }

  private static URL toUrl(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * A driver of this class loader, since {@link DriverManager} returns only drivers of its
   * caller's.
   */
  private record Shim(Driver driver) implements Driver {

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
      return driver.connect(url, info);
    }

    @Override
    public boolean acceptsURL(String url) throws SQLException {
      return driver.acceptsURL(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
      return driver.getPropertyInfo(url, info);
    }

    @Override
    public int getMajorVersion() {
      return driver.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
      return driver.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
      return driver.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      return driver.getParentLogger();
    }
  }
}
