package io.txwatch.jdbc.changes;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.catalog.Login;
import io.txwatch.changes.Probe;
import io.txwatch.changes.binlog.BinaryLogSource;
import io.txwatch.changes.binlog.ServerAddress;
import io.txwatch.changes.h2.TriggerSource;
import io.txwatch.changes.sqlite.RowIdListener;
import io.txwatch.history.Database;
import io.txwatch.jdbc.log.Notices;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The readers of this process, one a server, or a database in memory. */
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
  public static ChangeReading ofLog(
      String url,
      ConnectionSource source,
      ClassLoader loader,
      Settings settings,
      Pipeline pipeline,
      Dialect dialect,
      Database database,
      String home) {
    if (!dialect.select(false, true, true, false, false, false)) {
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
            new BinaryLog(address.get(), opener),
            pipeline,
            database,
            home);
    lease.await(MAX_WAIT_MILLIS);
    return lease;
  }

  /**
   * Reads the changes of a connection's database by triggers, if it is one of H2 in memory; waits
   * at most two seconds until all tables have one. Otherwise the reason is printed. Nothing is
   * executed on the connection. Never throws.
   *
   * @param real the driver's connection, or a pool's handle on it
   * @param home the schema whose tables the connection names without it
   */
  public static ChangeReading ofTriggers(
      Connection real, Pipeline pipeline, Dialect dialect, Database database, String home) {
    if (!dialect.select(false, false, false, true, false, false)) {
      if (isListenedTo(dialect)) {
        Notices.print(
            "no row versions come from triggers: they are used for H2 in memory only; with"
                + " txwatch.versions=statements the rows are known that statements write on SQLite");
        return ChangeReading.NONE;
      }
      return withoutTriggers(
          "triggers are used for H2 in memory only, not for " + database.displayName());
    }
    try {
      return ofTriggers(h2(real), pipeline, database, home);
    } catch (SQLException | RuntimeException | LinkageError e) {
      return withoutTriggers("txwatch cannot use the classes of this H2: " + e);
    }
  }

  private static ChangeReading ofTriggers(
      Connection own, Pipeline pipeline, Database database, String home) {
    Probe probe = TriggerSource.probe(own);
    if (!probe.isReadable()) {
      return withoutTriggers(probe.missing());
    }
    TriggerSource source = TriggerSource.of(own);
    Triggers triggers = new Triggers("the H2 database " + source.database(), source);
    ChangeReader.Lease lease = acquire("H2\0" + database.run(), triggers, pipeline, database, home);
    lease.await(MAX_WAIT_MILLIS);
    return lease.record() instanceof Triggers shared
        ? new TriggersReading(lease, shared, TriggerSource.sessionId(own))
        : lease;
  }

  /**
   * The rows that a connection writes, if its driver gives them: SQLite's does. Nothing is executed
   * on the connection. Never throws.
   *
   * @param real the driver's connection, or a pool's handle on it
   */
  public static ChangeReading ofListener(Connection real, Dialect dialect, JdbcCatalog catalog) {
    if (!isListenedTo(dialect)) {
      return ChangeReading.NONE;
    }
    try {
      RowIdListener listener = RowIdListener.to(real);
      return listener == null ? ChangeReading.NONE : new ListenedWrites(listener, catalog);
    } catch (LinkageError e) {
      return ChangeReading.NONE; // a driver in a class loader of its own
    }
  }

  private static boolean isListenedTo(Dialect dialect) {
    return dialect.select(false, false, false, false, true, false);
  }

  /** H2's own connection behind a pool's handle. */
  private static Connection h2(Connection connection) throws SQLException {
    return connection.getClass().getName().startsWith("org.h2.")
        ? connection
        : connection.unwrap(Connection.class);
  }

  private static ChangeReading withoutTriggers(String why) {
    Notices.print(
        "no row versions come from triggers: "
            + why
            + "; what is read and written is recorded and not resolved, as with"
            + " txwatch.versions=statements; txwatch.versions=columns is the way that works there");
    return ChangeReading.NONE;
  }

  private static ChangeReader.Lease acquire(
      String key, ChangeRecord record, Pipeline pipeline, Database database, String home) {
    synchronized (READERS) {
      ChangeReader reader = READERS.get(key);
      ChangeReader.Lease known = reader == null ? null : reader.acquire(pipeline, database, home);
      if (known != null) {
        return known;
      }
      READERS.values().removeIf(ChangeReader::hasEnded);
      ChangeReader created = new ChangeReader(record);
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
