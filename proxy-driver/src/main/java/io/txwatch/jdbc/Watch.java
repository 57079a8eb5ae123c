package io.txwatch.jdbc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.capture.CallSites;
import io.txwatch.capture.Pipeline;
import io.txwatch.capture.RunningSessions;
import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionNames;
import io.txwatch.capture.WriterTexts;
import io.txwatch.catalog.CatalogLog;
import io.txwatch.catalog.CatalogMode;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.catalog.SeparateConnectionException;
import io.txwatch.catalog.SessionView;
import io.txwatch.catalog.Uninterrupted;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.changes.ChangeReaders;
import io.txwatch.jdbc.changes.ChangeReading;
import io.txwatch.jdbc.changes.ChangesRequest;
import io.txwatch.jdbc.changes.modes.ChangesModes;
import io.txwatch.jdbc.log.Faults;
import io.txwatch.jdbc.log.Notices;
import io.txwatch.jdbc.session.ConnectionNumber;
import io.txwatch.jdbc.session.Levels;
import io.txwatch.jdbc.session.WatchedDatabase;
import io.txwatch.jdbc.session.WatchedSession;
import io.txwatch.jdbc.wrap.DriverInterfaces;
import io.txwatch.jdbc.wrap.WatchedConnection;
import io.txwatch.jdbc.xa.WatchedPooledConnection;
import io.txwatch.jdbc.xa.WatchedXaConnection;
import io.txwatch.plan.Planner;
import io.txwatch.product.WatchedProduct;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner;
import io.txwatch.rewrite.UntouchedPlanner;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.PooledConnection;
import javax.sql.XAConnection;
import org.jspecify.annotations.Nullable;

/**
 * The one way in: takes a connection that some driver opened and gives the watched one. The driver
 * behind {@code jdbc:txwatch:}, the data source and the agent all come through here.
 */
public final class Watch {

  private static final AtomicInteger SESSIONS = new AtomicInteger();
  private static final CatalogLog LOG =
      new CatalogLog() {
        @Override
        public void notice(String line) {
          Notices.print(line);
        }

        @Override
        public void fault(String line) {
          Faults.say(line);
        }

        @Override
        public void repeated(String line) {
          System.err.println("txwatch: " + line.replaceAll("\\s+", " "));
        }
      };

  /**
   * Databases that watched connections are open to: weak, so that nothing is kept of one whose
   * connections were closed or abandoned. One that is opened again is created again.
   */
  private static final Cache<String, WatchedDatabase> DATABASES =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  /** Threads that pools open connections on; the pool's name is in front. */
  private static final Pattern POOL_THREAD =
      Pattern.compile("(.+?)[: -](?:connection[ -]adder|housekeeper)");

  private Watch() {}

  /**
   * Sets where the names of transactions come from, which reports show.
   *
   * @param names returns what the application calls the transaction of the calling thread, such as
   *     {@code shop.OrderService.sell}, or null; called at the first statement of each. Its
   *     exceptions are ignored. Names should be few, since histories keep each
   */
  public static void nameTransactions(Supplier<@Nullable String> names) {
    TransactionNames.setSource(names);
  }

  /**
   * Watches a connection, sending its events to the {@linkplain Pipeline#of pipeline} that the
   * settings ask for.
   *
   * <p>Given back as it is are a connection that is watched already, by whatever wrapper, one whose
   * URL {@code txwatch.include} or {@code txwatch.exclude} leaves out, any connection if {@code
   * txwatch.instrument}, or what {@link ObservationLevel} has in its place, is {@code off}, and,
   * printed once, one to a DBMS that is not known. Never throws.
   *
   * @param real a connection that has just been opened and that no one has used
   * @param url the URL that it was opened with, as the real driver understands it
   * @param user the user that it was opened for; empty if the URL contains it
   * @param source opens another one of the same kind, not watched
   */
  public static Connection connection(
      Connection real, String url, String user, ConnectionSource source, Settings given) {
    Settings settings = ObservationLevel.applyTo(given);
    if (given.get(Setting.INSTRUMENT).equals(Setting.OFF)
            && settings.get(Setting.INSTRUMENT).equals(Setting.OFF)
        || isWatched(real)
        || !WatchedUrls.of(settings).contain(url)) {
      return real;
    }
    if (settings.get(Setting.INSTRUMENT).equals(Setting.OFF)) {
      ObservationLevel.leftUnwatched(real);
      return real;
    }
    try {
      return Uninterrupted.run(
          () -> connection(real, url, user, source, settings, Pipeline.of(settings)));
    } catch (RuntimeException | LinkageError e) {
      Faults.report(e);
      return real;
    }
  }

  /** The same with a pipeline of the caller's. */
  public static Connection connection(
      Connection real,
      String url,
      String user,
      ConnectionSource source,
      Settings settings,
      Pipeline pipeline) {
    return connection(real, url, user, source, settings, pipeline, UnaryOperator.identity());
  }

  /** The same with a planner that changes what the usual one plans. */
  static Connection connection(
      Connection real,
      String url,
      String user,
      ConnectionSource source,
      Settings settings,
      Pipeline pipeline,
      UnaryOperator<Planner> planner) {
    return session(real, url, user, source, settings, pipeline, planner)
        .map(session -> shown(real, session))
        .orElse(real);
  }

  private static Connection shown(Connection real, WatchedSession session) {
    try {
      return DriverInterfaces.show(new WatchedConnection(real, session, session::close));
    } catch (RuntimeException | LinkageError e) {
      session.close();
      throw e;
    }
  }

  /**
   * Watches a pooled connection: the handles that it gives out, and if it is an {@link
   * XAConnection}, the branches of distributed transactions. Nothing is done with it yet: whether
   * its handles can be watched is found out when the application takes the first one. Given back as
   * it is if it is watched already or {@code txwatch.instrument} is {@code off}. Never throws.
   *
   * @param real one that has just been opened and has not given out a handle yet
   * @param source opens another plain connection of the same kind, not watched; {@link
   *     ConnectionSource#NONE} if the data source is a pool, to which it returns with its handle
   */
  public static PooledConnection pooled(
      PooledConnection real,
      String user,
      ConnectionSource source,
      Settings given,
      Pipeline pipeline) {
    Settings settings = ObservationLevel.applyTo(given);
    if (settings.get(Setting.INSTRUMENT).equals(Setting.OFF)
        || real instanceof WatchedPooledConnection) {
      return real;
    }
    Function<Connection, Optional<WatchedSession>> opener =
        handle -> session(handle, user, source, settings, pipeline);
    boolean fromPool = source == ConnectionSource.NONE;
    return real instanceof XAConnection xa
        ? new WatchedXaConnection(xa, opener, fromPool)
        : new WatchedPooledConnection(real, opener, fromPool);
  }

  /** The same with the {@linkplain Pipeline#of pipeline} that the settings ask for. */
  public static PooledConnection pooled(
      PooledConnection real, String user, ConnectionSource source, Settings settings) {
    try {
      return pooled(real, user, source, settings, Uninterrupted.run(() -> Pipeline.of(settings)));
    } catch (RuntimeException | LinkageError e) {
      Faults.report(e);
      return real;
    }
  }

  /** A session on a pooled connection's handle. */
  private static Optional<WatchedSession> session(
      Connection handle,
      String user,
      ConnectionSource source,
      Settings settings,
      Pipeline pipeline) {
    if (isWatched(handle)) {
      return Optional.empty();
    }
    try {
      DatabaseMetaData metaData = handle.getMetaData();
      String url = Objects.requireNonNullElse(metaData == null ? null : metaData.getURL(), "");
      if (!WatchedUrls.of(settings).contain(url)) {
        return Optional.empty();
      }
      return session(handle, url, user, source, settings, pipeline, UnaryOperator.identity());
    } catch (SQLException | RuntimeException | LinkageError e) {
      Faults.report(e);
      return Optional.empty();
    }
  }

  /** A session on a connection; empty if it cannot be watched. Never throws. */
  private static Optional<WatchedSession> session(
      Connection real,
      String url,
      String user,
      ConnectionSource source,
      Settings settings,
      Pipeline pipeline,
      UnaryOperator<Planner> planner) {
    return Uninterrupted.run(() -> opened(real, url, user, source, settings, pipeline, planner));
  }

  private static Optional<WatchedSession> opened(
      Connection real,
      String url,
      String user,
      ConnectionSource source,
      Settings settings,
      Pipeline pipeline,
      UnaryOperator<Planner> planner) {
    JdbcCatalog catalog = null;
    ChangeReading changes = ChangeReading.NONE;
    if (!ValueHash.useInThisProcess(settings.get(Setting.VALUE_KEY))) {
      Notices.print(
          Setting.VALUE_KEY.key()
              + " has no effect: this process already hashes values with another key; set it for"
              + " the whole process, as in the environment");
    }
    try {
      Session session = new Session();
      catalog =
          JdbcCatalog.open(
              real,
              url,
              user,
              source,
              new CatalogMode(
                  Products.catalogs(),
                  settings.get(Setting.PREPARE).equals("auto")
                      ? Optional.of(Products::autoPreparation)
                      : Optional.empty(),
                  versions(settings),
                  !settings.get(Setting.INSTRUMENT).equals(Setting.INSTRUMENT.defaultValue())),
              session,
              LOG);
      Optional<Dialect> dialect = catalog.dialect();
      if (dialect.isEmpty()) {
        notWatched(catalog.database());
        catalog.close();
        return Optional.empty();
      }
      ProvokedDatabases.opened(catalog.database(), settings);
      ChangeReaders.Chosen chosen =
          ChangesModes.READERS.choose(
              catalog.versions(),
              new ChangesRequest(real, url, source, settings, pipeline, catalog));
      CatalogMode.Versions versions = chosen.versions();
      changes = chosen.reading();
      WatchedDatabase database =
          database(
              catalog,
              versions,
              Products.of(catalog.database().product()),
              url,
              user,
              settings,
              pipeline,
              planner);
      SessionTracker tracker = tracker(real, database, catalog);
      if (database.versions().areByValue()) {
        ChangeReading reading = changes;
        tracker.areByValue(ConnectionNumber.of(real), reading::ended);
        if (database.versions() == CatalogMode.Versions.STATEMENTS) {
          tracker.statesWrites();
        }
      }
      boolean readsWaits = settings.get(Setting.WAITS).equals("on");
      tracker.joins(
          RunningSessions.OF_THIS_PROCESS,
          ConnectionNumber.of(real),
          readsWaits ? catalog.waitReader(database.rules().waits()) : null);
      session.tracker = tracker;
      return Optional.of(new WatchedSession(database, tracker, catalog, changes, source));
    } catch (SeparateConnectionException e) {
      changes.close();
      if (catalog != null) {
        catalog.close();
      }
      Notices.print(
          "without a connection of its own txwatch does not watch others with txwatch.versions="
              + byValue(versions(settings)).name().toLowerCase(Locale.ROOT)
              + ": SQLState "
              + e.getSQLState()
              + ", code "
              + e.getErrorCode());
      return Optional.empty();
    } catch (SQLException | RuntimeException | LinkageError e) {
      if (!(e instanceof SQLException error && Products.isOfReplication(error))) {
        Faults.report(e);
      }
      changes.close();
      if (catalog != null) {
        catalog.close();
      }
      return Optional.empty();
    }
  }

  /** What is set, or else what takes its place on an old server. */
  private static CatalogMode.Versions byValue(CatalogMode.Versions versions) {
    return versions.areByValue() ? versions : CatalogMode.Versions.STATEMENTS;
  }

  private static CatalogMode.Versions versions(Settings settings) {
    return CatalogMode.Versions.valueOf(settings.get(Setting.VERSIONS).toUpperCase(Locale.ROOT));
  }

  /** True if a connection is watched, or is a pool's or a proxy's handle on one that is. */
  public static boolean isWatched(Connection connection) {
    try {
      return connection instanceof WatchedConnection
          || connection.isWrapperFor(WatchedConnection.class);
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      return false;
    }
  }

  /**
   * Forgets what is known of the tables that a watched connection sees, after somebody else has
   * changed them. Whatever is not watched is left alone.
   */
  public static void tablesChanged(Connection connection) {
    if (DriverInterfaces.behind(connection) instanceof WatchedConnection watched) {
      watched.context().plans().tablesChanged();
      watched.context().state().knownRows().forget();
    }
  }

  /** What the catalog may know of a session, which is still being set up at first. */
  private static final class Session implements SessionView {
    private volatile @org.jspecify.annotations.Nullable SessionTracker tracker;

    @Override
    public boolean isIdle() {
      SessionTracker known = tracker;
      return known != null && !known.inTransactionMode();
    }

    @Override
    public boolean hasBegun() {
      SessionTracker known = tracker;
      return known != null && known.open() != 0;
    }

    @Override
    public boolean keepsSnapshot() {
      SessionTracker known = tracker;
      return known == null || known.keepsSnapshot();
    }

    @Override
    public boolean holdsTableLocks() {
      SessionTracker known = tracker;
      return known != null && known.holdsTableLocks();
    }

    @Override
    public boolean holdsSnapshot() {
      SessionTracker known = tracker;
      return known != null && known.holdsSnapshot();
    }
  }

  private static WatchedDatabase database(
      JdbcCatalog catalog,
      CatalogMode.Versions versions,
      WatchedProduct product,
      String url,
      String user,
      Settings settings,
      Pipeline pipeline,
      UnaryOperator<Planner> planner) {
    Database database = catalog.database();
    String key =
        String.join(
                "\0",
                user,
                url,
                database.place(),
                settings.toString(),
                catalog.serverRun(),
                versions.name(),
                catalog.usesSystemColumns() ? "system" : "")
            + System.identityHashCode(pipeline);
    int mostRows = settings.number(Setting.VERSION_SET_ROWS);
    boolean recordsValues = settings.get(Setting.PREDICT).equals("on");
    WriterTexts texts =
        catalog.usesSystemColumns()
            ? WriterTexts.ofIds(catalog.serverRun())
            : WriterTexts.OF_COLUMNS;
    return DATABASES.get(
        key,
        k ->
            WatchedDatabase.of(
                database,
                product,
                settings.get(Setting.INSTRUMENT),
                level -> planner.apply(planner(level, product.sql(), versions, settings)),
                texts,
                versions,
                mostRows,
                settings.isTrue(Setting.REDACT),
                recordsValues,
                settings.get(Setting.CALL_SITES).equals("exact"),
                CallSites.of(settings.get(Setting.PACKAGES)),
                pipeline));
  }

  private static Planner planner(
      String level, DialectSql sql, CatalogMode.Versions versions, Settings settings) {
    boolean isOff = level.equals(Setting.OFF);
    boolean recordsValues = settings.get(Setting.PREDICT).equals("on");
    if (versions.areByValue()) {
      UntouchedPlanner byValue =
          new UntouchedPlanner(sql, versions.areRecorded(), recordsValues && !isOff);
      return isOff ? byValue.switchedOff() : byValue;
    }
    return isOff
        ? UntouchedPlanner.switchedOff(sql)
        : new RewritePlanner(
            sql,
            RewritePlanner.Level.valueOf(level.toUpperCase(Locale.ROOT)),
            settings.number(Setting.VERSION_SET_ROWS),
            recordsValues);
  }

  /** The number of databases with such a URL that something is kept of. */
  static long databases(String url) {
    return DATABASES.asMap().values().stream()
        .filter(kept -> kept.database().place().contains(url))
        .count();
  }

  private static SessionTracker tracker(
      Connection real, WatchedDatabase database, JdbcCatalog catalog) throws SQLException {
    return new SessionTracker(
        sessionName(),
        database.database(),
        database.rules(),
        isInAutocommit(real, database),
        Levels.of(
            database.versions().areByValue()
                ? catalog.levelAtFirst()
                : real.getTransactionIsolation()),
        Watch::micros,
        catalog::transactionEnded,
        database.pipeline());
  }

  private static boolean isInAutocommit(Connection real, WatchedDatabase database)
      throws SQLException {
    return (database.versions().areByValue()
            && Products.of(database.database().product()).asksForAutocommit(real))
        || real.getAutoCommit();
  }

  private static void notWatched(Database database) {
    Notices.print(
        "connections to "
            + database.product().displayName()
            + " are not watched: its SQL, or the mode that it is set to, is not one that txwatch"
            + " rewrites");
  }

  private static long micros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  private static String sessionName() {
    String thread = Thread.currentThread().getName();
    Matcher pool = POOL_THREAD.matcher(thread);
    return (pool.matches() ? pool.group(1) : thread) + "#" + SESSIONS.incrementAndGet();
  }
}
