package io.txwatch.jdbc.changes;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.CatalogMode.Versions;
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
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The readers of this process, one a server, or a database in memory. */
public final class ChangeReaders {

  /** How long a connection that is opened waits until the log is read. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

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
    Log log = log(url, source, loader, settings, dialect, database);
    ChangeRecord record = log.record();
    if (record == null) {
      return without(log.missing());
    }
    ChangeReader.Lease lease = acquire(log.key(), record, pipeline, database, home, false);
    lease.await(MAX_WAIT);
    return lease;
  }

  /**
   * A server's log.
   *
   * @param key equal for connections that share a reader
   * @param missing why it has no record
   */
  private record Log(String key, @Nullable ChangeRecord record, String missing) {
    static Log missing(String why) {
      return new Log("", null, why);
    }
  }

  private static Log log(
      String url,
      ConnectionSource source,
      ClassLoader loader,
      Settings settings,
      Dialect dialect,
      Database database) {
    if (!dialect.select(false, true, true, false, false, false)) {
      return Log.missing(database.product().displayName() + " has no log that is read");
    }
    String user = settings.get(Setting.LOG_USER);
    Optional<Login> login =
        user.isEmpty()
            ? source.login()
            : Optional.of(new Login(user, settings.get(Setting.LOG_PASSWORD)));
    if (login.isEmpty()) {
      return Log.missing(
          "the data source keeps its password to itself; give txwatch.log-user and"
              + " txwatch.log-password");
    }
    Optional<ServerAddress> address = LogAddress.of(url, source.properties(), login.get());
    if (address.isEmpty()) {
      return Log.missing("the URL does not name one host and port");
    }
    BinaryLogSource.ConnectionOpener opener =
        user.isEmpty() ? source::open : () -> source.openAs(login.get());
    return new Log(
        address.get() + "\0" + System.identityHashCode(loader),
        new BinaryLog(address.get(), opener),
        "");
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
          "triggers are used for H2 in memory only, not for " + database.product().displayName());
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
    ChangeReader.Lease lease =
        acquire("H2\0" + database.run(), triggers, pipeline, database, home, false);
    lease.await(MAX_WAIT);
    return lease.record() instanceof Triggers shared
        ? new TriggersReading(lease, shared, TriggerSource.sessionId(own))
        : lease;
  }

  /**
   * Where versions come from, and a connection's share in it.
   *
   * @param versions from the log, from triggers, or from the statements
   */
  public record Chosen(Versions versions, ChangeReading reading) {}

  /**
   * The best source for a database that is watched by value without being set: its log or its
   * triggers if they can be read within two seconds, else the statements, which is printed with the
   * reason. The choice holds until the database's last watched connection is closed.
   *
   * @param real the driver's connection, or a pool's handle on it
   * @param url the real URL
   * @param source opens connections that are not watched
   */
  public static Chosen best(
      Connection real,
      String url,
      ConnectionSource source,
      Settings settings,
      Pipeline pipeline,
      Dialect dialect,
      JdbcCatalog catalog) {
    Database database = catalog.database();
    ClassLoader loader = real.getClass().getClassLoader();
    SourceChoice choice =
        SourceChoice.enter(
            String.join(
                "\0",
                String.valueOf(System.identityHashCode(pipeline)),
                database.scope(),
                dialect.select("", "", "", database.run(), "", "")));
    boolean isChosen = false;
    try {
      Versions versions =
          choice.versions(
              () ->
                  dialect
                      .<Supplier<Versions>>select(
                          () -> Versions.STATEMENTS,
                          () -> tryLog(url, source, loader, settings, pipeline, dialect, catalog),
                          () -> tryLog(url, source, loader, settings, pipeline, dialect, catalog),
                          () -> tryTriggers(real, pipeline, catalog),
                          ChangeReaders::ofSqlite,
                          () -> Versions.STATEMENTS)
                      .get());
      ChangeReading reading =
          switch (versions) {
            case LOG ->
                ofLog(url, source, loader, settings, pipeline, dialect, database, catalog.home());
            case TRIGGERS -> ofTriggers(real, pipeline, dialect, database, catalog.home());
            default -> ofListener(real, dialect, catalog);
          };
      isChosen = true;
      return new Chosen(versions, new ClosingReading(reading, choice::leave));
    } finally {
      if (!isChosen) {
        choice.leave();
      }
    }
  }

  private static Versions tryLog(
      String url,
      ConnectionSource source,
      ClassLoader loader,
      Settings settings,
      Pipeline pipeline,
      Dialect dialect,
      JdbcCatalog catalog) {
    Log log = log(url, source, loader, settings, dialect, catalog.database());
    ChangeRecord record = log.record();
    return record == null
        ? statements("a log", "a log", log.missing())
        : tried(Versions.LOG, log.key(), record, pipeline, catalog);
  }

  private static Versions tryTriggers(Connection real, Pipeline pipeline, JdbcCatalog catalog) {
    try {
      Connection own = h2(real);
      Probe probe = TriggerSource.probe(own);
      if (!probe.isReadable()) {
        return statements("triggers", "triggers", probe.missing());
      }
      TriggerSource source = TriggerSource.of(own);
      Triggers triggers = new Triggers("the H2 database " + source.database(), source);
      String key = "H2\0" + catalog.database().run();
      return tried(Versions.TRIGGERS, key, triggers, pipeline, catalog);
    } catch (SQLException | RuntimeException | LinkageError e) {
      return statements("triggers", "triggers", "txwatch cannot use the classes of this H2: " + e);
    }
  }

  private static Versions tried(
      Versions versions, String key, ChangeRecord record, Pipeline pipeline, JdbcCatalog catalog) {
    ChangeReader.Lease lease =
        acquire(key, record, pipeline, catalog.database(), catalog.home(), true);
    String missing = lease.tried(MAX_WAIT);
    lease.close();
    return missing.isEmpty() ? versions : statements(record.kind(), record.name(), missing);
  }

  private static Versions statements(String kind, String other, String why) {
    Notices.printFirst(
        kind + " not used: " + why,
        "no row versions come from "
            + other
            + ", so that writes are known as far as their statements state them: "
            + why
            + "; or prepare the tables");
    return Versions.STATEMENTS;
  }

  private static Versions ofSqlite() {
    Notices.print(
        "row versions come from the statements, and from the rows that SQLite's driver shows of"
            + " their writes");
    return Versions.STATEMENTS;
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
    Notices.printFirst(
        "triggers: " + why,
        "no row versions come from triggers: "
            + why
            + "; what is read and written is recorded and not resolved, as with"
            + " txwatch.versions=statements; txwatch.versions=columns is the way that works there");
    return ChangeReading.NONE;
  }

  private static ChangeReader.Lease acquire(
      String key,
      ChangeRecord record,
      Pipeline pipeline,
      Database database,
      String home,
      boolean isTrial) {
    synchronized (READERS) {
      ChangeReader reader = READERS.get(key);
      ChangeReader.Lease known =
          reader == null ? null : reader.acquire(pipeline, database, home, isTrial);
      if (known != null) {
        return known;
      }
      READERS.values().removeIf(ChangeReader::hasEnded);
      ChangeReader created = new ChangeReader(record);
      READERS.put(key, created);
      ChangeReader.Lease lease = created.acquire(pipeline, database, home, isTrial);
      created.start();
      return java.util.Objects.requireNonNull(lease);
    }
  }

  private static ChangeReading without(String why) {
    Notices.printFirst(
        "a log: " + why,
        "no row versions come from a log, so that what is read and written is recorded and not"
            + " resolved: "
            + why);
    return ChangeReading.NONE;
  }
}
