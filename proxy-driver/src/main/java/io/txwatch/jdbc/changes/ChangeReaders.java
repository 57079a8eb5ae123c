package io.txwatch.jdbc.changes;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.Login;
import io.txwatch.changes.binlog.BinaryLogSource;
import io.txwatch.changes.binlog.ServerAddress;
import io.txwatch.history.Database;
import io.txwatch.jdbc.log.Notices;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.dialect.Dialect;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The readers of this process, one a server. */
public final class ChangeReaders {

  /** How long a connection that is opened waits until the log is read. */
  private static final long MAX_WAIT_MILLIS = 2_000;

  private static final Map<String, ChangeReader> READERS = new HashMap<>();

  private ChangeReaders() {}

  /**
   * Reads the binary log of a connection's server, if its DBMS has one; waits at most two seconds
   * until it is read. What is missing is printed. Never throws.
   *
   * @param url the real URL
   * @param source opens connections that are not watched
   * @param loader of the driver: web applications with copies of it share no reader
   * @param home the schema whose tables the connection names without it
   */
  public static ChangeReading acquire(
      String url,
      ConnectionSource source,
      ClassLoader loader,
      Settings settings,
      Pipeline pipeline,
      Dialect dialect,
      Database database,
      String home) {
    if (!dialect.select(false, true, true, false, false)) {
      return without(database.displayName() + " has no log that is read");
    }
    String user = settings.get(Setting.LOG_USER);
    Optional<Login> login =
        user.isEmpty()
            ? source.login()
            : Optional.of(new Login(user, settings.get(Setting.LOG_PASSWORD)));
    if (login.isEmpty()) {
      return without(
          "the data source keeps its password to itself; give txwatch.log-user and"
              + " txwatch.log-password");
    }
    Optional<ServerAddress> address = LogAddress.of(url, source.properties(), login.get());
    if (address.isEmpty()) {
      return without("the URL does not name one host and port");
    }
    BinaryLogSource.ConnectionOpener opener =
        user.isEmpty() ? source::open : () -> source.openAs(login.get());
    ChangeReader.Lease lease =
        acquire(
            address.get() + "\0" + System.identityHashCode(loader),
            address.get(),
            opener,
            pipeline,
            database,
            home);
    lease.await(MAX_WAIT_MILLIS);
    return lease;
  }

  private static ChangeReader.Lease acquire(
      String key,
      ServerAddress address,
      BinaryLogSource.ConnectionOpener opener,
      Pipeline pipeline,
      Database database,
      String home) {
    synchronized (READERS) {
      ChangeReader reader = READERS.get(key);
      ChangeReader.Lease known = reader == null ? null : reader.acquire(pipeline, database, home);
      if (known != null) {
        return known;
      }
      READERS.values().removeIf(ChangeReader::hasEnded);
      ChangeReader created = new ChangeReader(address, opener);
      READERS.put(key, created);
      ChangeReader.Lease lease = created.acquire(pipeline, database, home);
      created.start();
      return java.util.Objects.requireNonNull(lease);
    }
  }

  private static ChangeReading without(String why) {
    Notices.print(
        "no row versions come from a log, so that what is read and written is recorded and not"
            + " resolved: "
            + why);
    return ChangeReading.NONE;
  }
}
