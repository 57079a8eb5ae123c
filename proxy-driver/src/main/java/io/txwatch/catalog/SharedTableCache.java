package io.txwatch.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.capture.WaitReader;
import io.txwatch.capture.WaitSource;
import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.Catalog.Table;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one URL and user know of its tables: a cache, filled on {@linkplain
 * SeparateConnection a connection of our own}, and, with {@code txwatch.prepare=auto}, the
 * preparation of tables at first sight. Thread-safe.
 *
 * <p>Every invalidation replaces {@linkplain KnownTables what is known} and with it the {@link
 * #version}; an answer that was on its way meanwhile is given but not found again. A lookup that
 * failed, as it may on a machine under load, is given as one that failed, is not kept, and raises
 * the version a little later, so that it is tried again. Connections of a pool have no other one
 * beside them: there a lookup waits for the next connection, and is made before that one is handed
 * out.
 */
final class SharedTableCache {

  /**
   * Those in use. A connection that the application abandons without closing it must not be kept
   * from here, nor its driver's class loader.
   */
  private static final Cache<String, SharedTableCache> OPEN =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  /** Those of {@link #OPEN} that no session uses and that are kept nevertheless. */
  private static final Cache<String, SharedTableCache> KEPT =
      Caffeine.newBuilder().expireAfterWrite(Duration.ofMinutes(1)).executor(Runnable::run).build();

  private static final AtomicLong PRIVATE_COUNT = new AtomicLong();

  private static final long RETRY_NANOS = 2_000_000_000L;

  private static final long SIZE_NANOS = 60_000_000_000L;

  private static final LookupLog LOOKUPS = new LookupLog(System::nanoTime);

  /** So long new sessions are taken to begin as one did. */
  private static final long BEGINNING_NANOS = 10_000_000_000L;

  private final String key;
  private final DatabaseProbe probe;
  private final @Nullable SchemaReader reader;
  private final CatalogMode.Versions versions;
  private final boolean usesSystemColumns;
  private final SchemaChangeGate snapshots;
  private final boolean isEmbedded;
  private final boolean byValue;
  private final @Nullable TablePreparer preparer;
  private final CatalogLog log;

  /** The connection that the catalog is read on; null if there is none beside the application's. */
  private final @Nullable SeparateConnection separate;

  private @Nullable WaitReader waitReader;

  /** True once the server refused to state its status. */
  private volatile boolean isStatusRefused;

  /** Lookups on that connection; null if there is none, or the DBMS is not known. */
  private final @Nullable JointLookups lookups;

  private volatile @Nullable Beginning beginning;

  private final AtomicReference<KnownTables> known = new AtomicReference<>(new KnownTables());
  private volatile long retryAt;
  private final AtomicLong compilations = new AtomicLong();

  private volatile boolean retryWanted;

  /** How many changes of tables what is known accounts for. */
  private volatile long seenChanges;

  private int sessions;

  private SharedTableCache(
      String key,
      Connection connection,
      String url,
      ConnectionSource source,
      CatalogMode mode,
      CatalogLog log)
      throws SQLException {
    this.key = key;
    this.log = log;
    ProbeResult asked = ProbeResult.of(connection, url, source, mode, log);
    this.versions = asked.versions();
    this.probe = asked.probe();
    SeparateConnection own = asked.own();
    this.separate = own;
    this.byValue =
        versions != CatalogMode.Versions.SYSTEM && versions != CatalogMode.Versions.COLUMNS;
    this.snapshots = SchemaChangeGate.of(probe.database().place());
    boolean autoPrepare = mode.preparer().isPresent() && !byValue;
    if (!probe.isRead()) {
      this.usesSystemColumns = false;
      this.reader = null;
      this.lookups = null;
      this.isEmbedded = false;
      this.preparer = null;
    } else {
      this.usesSystemColumns = versions == CatalogMode.Versions.SYSTEM;
      this.reader =
          own == null || !byValue
              ? probe.product().reader(probe.database(), connection, usesSystemColumns)
              : own.use(probe::reader);
      this.lookups = own == null ? null : new JointLookups(reader, own);
      this.isEmbedded = reader.sql().driver().isEmbedded();
      if (own != null) {
        own.of(reader);
      }
      if (byValue) {
        if (probe.product().statesWritesAlone()) {
          log.notice(
              probe.database().product().displayName()
                  + ", by the statement: of writes, only what their statements state is known"
                  + " (txwatch.versions=statements)");
        }
        if (mode.products().isPrivate(url)) {
          log.notice(
              "a database that has one connection only: with txwatch.versions="
                  + versions.name().toLowerCase(Locale.ROOT)
                  + " its tables are not known, and rows are not observed");
        }
      }
      this.preparer =
          autoPrepare && !usesSystemColumns && (own != null || isEmbedded)
              ? mode.preparer()
                  .orElseThrow()
                  .create(
                      probe.database(),
                      reader,
                      new DedicatedConnection(source, reader),
                      own == null,
                      snapshots,
                      log::notice)
              : null;
      if (autoPrepare && preparer == null && !usesSystemColumns) {
        log.notice(
            "tables are not prepared at first sight through a pool's own connections, where waiting"
                + " for a lock would be the application's: prepare them beforehand");
      }
    }
  }

  /**
   * What the DBMS is, and where versions come from.
   *
   * @param own the connection that tables are looked up on; null if there is none beside the
   *     application's
   */
  private record ProbeResult(
      CatalogMode.Versions versions, DatabaseProbe probe, @Nullable SeparateConnection own) {

    static ProbeResult of(
        Connection connection,
        String url,
        ConnectionSource source,
        CatalogMode mode,
        CatalogLog log)
        throws SQLException {
      CatalogMode.Versions wanted = mode.versions();
      if (wanted.areByValue()) {
        return byValue(wanted, url, source, mode);
      }
      boolean hasOthers = source != ConnectionSource.NONE && !mode.products().isPrivate(url);
      if (wanted == CatalogMode.Versions.AUTO
          && !mode.needsColumns()
          && hasOthers
          && mode.products().supportsVersionsByValue(connection)) {
        ProbeResult unprepared = unprepared(url, source, mode, log);
        if (unprepared != null) {
          return unprepared;
        }
      }
      DatabaseProbe probe = mode.products().probe(connection, url);
      CatalogMode.Versions available = available(mode, probe, log);
      return available.areByValue()
          ? byValue(available, url, source, mode)
          : new ProbeResult(available, probe, hasOthers ? new SeparateConnection(source) : null);
    }

    private static ProbeResult byValue(
        CatalogMode.Versions versions, String url, ConnectionSource source, CatalogMode mode)
        throws SeparateConnectionException {
      SeparateConnection own = new SeparateConnection(source);
      return new ProbeResult(versions, SharedTableCache.probe(own, url, mode), own);
    }

    /** Null if the tables have auxiliary columns, or versions cannot come by value. */
    private static @Nullable ProbeResult unprepared(
        String url, ConnectionSource source, CatalogMode mode, CatalogLog log) {
      SeparateConnection own = new SeparateConnection(source);
      try {
        DatabaseProbe probe = SharedTableCache.probe(own, url, mode);
        if (probe.supportsVersionsByValue()) {
          SchemaReader reader = own.use(probe::reader);
          own.of(reader);
          if (!own.use(reader::hasPrepared)) {
            return new ProbeResult(CatalogMode.Versions.AUTO, probe, own);
          }
          log.notice(
              "row versions come from the columns that prepare has added; tables without them are"
                  + " not observed");
        }
      } catch (SQLException e) {
        log.notice(
            "row versions come from the columns that prepare adds, since txwatch could not use a"
                + " connection of its own: SQLState "
                + e.getSQLState()
                + ", code "
                + e.getErrorCode());
      }
      own.close();
      return null;
    }
  }

  private static DatabaseProbe probe(SeparateConnection own, String url, CatalogMode mode)
      throws SeparateConnectionException {
    try {
      return own.use(connection -> mode.products().probe(connection, url).notRewritten());
    } catch (SQLException e) {
      own.close();
      throw new SeparateConnectionException(e);
    }
  }

  /** The name that an identifier means. */
  String fold(String identifier) {
    return reader == null ? identifier : reader.folding().fold(identifier);
  }

  /**
   * Where names are looked up once a session has set its path to these schemas. Queried on the
   * connection of our own; empty if that is not known.
   *
   * @param names as stored, first first
   */
  List<String> schemas(List<String> names) {
    SeparateConnection own = separate;
    SchemaReader reading = reader;
    if (reading == null || (own == null && reading.readsPaths())) {
      return List.of();
    }
    KnownTables at = known();
    List<String> before = at.paths.get(names);
    if (before != null) {
      return before;
    }
    try {
      List<String> found =
          own != null && reading.readsPaths()
              ? own.use(c -> reading.path(c, names))
              : List.copyOf(names);
      at.paths.put(names, found);
      return found;
    } catch (SQLException | RuntimeException e) {
      return List.of();
    }
  }

  /**
   * For one more session. The first session of a URL and user asks the DBMS what it is, the others
   * take over what it stated.
   */
  static SharedTableCache enter(
      Connection connection,
      String url,
      String user,
      ConnectionSource source,
      CatalogMode mode,
      CatalogLog log)
      throws SQLException {
    String used =
        String.join(
                "\0",
                user,
                url,
                mode.preparer().isPresent() ? "auto" : "off",
                mode.versions().name(),
                mode.needsColumns() ? "columns" : "",
                // It opens connections by the driver of the session that made it: web applications
                // with copies of a driver must not share it, or one keeps the other's classes.
                String.valueOf(System.identityHashCode(connection.getClass().getClassLoader())))
            + (source == ConnectionSource.NONE ? "\0pool" : "")
            + (mode.products().isPrivate(url) ? "\0" + PRIVATE_COUNT.incrementAndGet() : "");
    // Somebody may still have connections to a database of that name that is closed.
    String key = used + "\0" + mode.products().runOf(url, connection);
    synchronized (OPEN) {
      SharedTableCache known = OPEN.getIfPresent(key);
      if (known != null) {
        known.joinedBy(source);
        return known;
      }
    }
    SharedTableCache made = new SharedTableCache(key, connection, url, source, mode, log);
    SharedTableCache shared;
    synchronized (OPEN) {
      shared = OPEN.get(key, k -> made);
      shared.joinedBy(source);
    }
    if (shared != made) {
      made.closeSeparate();
    }
    return shared;
  }

  /** One more session, opened in this way, uses what is known. Called with the lock of all. */
  private void joinedBy(ConnectionSource source) {
    sessions++;
    if (separate != null) {
      separate.alsoOpenedBy(source);
    }
  }

  /** Where versions come from on a DBMS, if that is the setting. */
  private static CatalogMode.Versions available(
      CatalogMode mode, DatabaseProbe probe, CatalogLog log) {
    CatalogMode.Versions wanted = mode.versions();
    if (!probe.isRead()) {
      return probe.notRewritten().isRead()
          ? CatalogMode.Versions.STATEMENTS
          : CatalogMode.Versions.COLUMNS;
    }
    DialectSql sql = probe.product().sql();
    if (!sql.hasSystemVersions() && !sql.hasAuxiliaryColumns()) {
      if (wanted != CatalogMode.Versions.AUTO || mode.needsColumns()) {
        log.notice(
            "row versions come from the statements (txwatch.versions=statements): "
                + probe.database().product().name()
                + " has no invisible columns, so its tables are not prepared");
      }
      return CatalogMode.Versions.STATEMENTS;
    }
    if (!sql.hasSystemVersions()) {
      return CatalogMode.Versions.COLUMNS;
    }
    Optional<String> obstacle = probe.product().obstacleToSystemVersions(probe.database());
    if (obstacle.isPresent()) {
      log.notice(
          probe.database().product().displayName()
              + " "
              + obstacle.get()
              + ", so txwatch.versions=statements is used instead of "
              + wanted.name().toLowerCase(Locale.ROOT));
      return CatalogMode.Versions.STATEMENTS;
    }
    if (wanted == CatalogMode.Versions.COLUMNS) {
      log.notice(
          probe.database().product().displayName()
              + " has no invisible columns, so txwatch.versions=system is used instead of columns");
    }
    return CatalogMode.Versions.SYSTEM;
  }

  /**
   * Where versions come from; {@link CatalogMode.Versions#AUTO} if it is by value, from whichever
   * source can be had.
   */
  CatalogMode.Versions versions() {
    return versions;
  }

  /** True if versions are read from the DBMS's system columns. */
  boolean usesSystemColumns() {
    return usesSystemColumns;
  }

  DatabaseProbe probe() {
    return probe;
  }

  Optional<DialectSql> sql() {
    return probe.sql();
  }

  Optional<Dialect> dialect() {
    return probe.dialect();
  }

  /**
   * One session is gone; with the last one, what is known of the tables. Of a pool without a
   * connection of our own it is kept for a while: all its sessions may have been given back, and
   * what the next ones need could be looked up only on one after them.
   */
  void leave() {
    boolean isLast;
    synchronized (OPEN) {
      sessions--;
      isLast = sessions == 0;
      if (isLast && separate == null && !isEmbedded) {
        KEPT.put(key, this);
      } else if (isLast) {
        OPEN.asMap().remove(key, this);
      }
    }
    if (isLast) {
      closeSeparate();
    }
  }

  private void closeSeparate() {
    if (separate != null) {
      separate.close();
    }
  }

  private KnownTables known() {
    return Objects.requireNonNull(known.get());
  }

  long version() {
    if (retryWanted && System.nanoTime() - retryAt >= 0) {
      retryWanted = false;
      tryAgain();
    }
    if (preparer != null) {
      long changes = snapshots.changes();
      if (changes != seenChanges) {
        invalidate();
        // Last: until then anyone who comes in between forgets what is known, too.
        seenChanges = changes;
      } else if (preparer.canRetry()) {
        tryAgain();
      }
    }
    return known().version;
  }

  private void tryAgain() {
    known.updateAndGet(KnownTables::withoutPostponed);
  }

  /** Statements that were prepared are compiled again when they are next executed. */
  void compiledAnew() {
    compilations.incrementAndGet();
  }

  long compilations() {
    return compilations.get();
  }

  void invalidate() {
    known.updateAndGet(KnownTables::forgotten);
  }

  /** How the session on that connection begins. */
  InitialSessionState opened(Connection connection) throws SQLException {
    InitialSessionState state = byValue ? begin().state() : openedOn(connection);
    lookUpWaiting(connection);
    return reader == null ? state : state.in(reader.runOf(connection, state.serverRun()));
  }

  /** JDBC's number of the isolation level with which a session begins. */
  int levelAtFirst() throws SQLException {
    return begin().level();
  }

  /**
   * How sessions begin, seen on the connection of our own.
   *
   * @param at when that was queried: {@link System#nanoTime}
   */
  private record Beginning(InitialSessionState state, int level, long at) {}

  private Beginning begin() throws SQLException {
    Beginning known = beginning;
    if (known == null || System.nanoTime() - known.at() > BEGINNING_NANOS) {
      known =
          Objects.requireNonNull(separate)
              .use(
                  own ->
                      new Beginning(
                          openedOn(own), own.getTransactionIsolation(), System.nanoTime()));
      beginning = known;
    }
    return known;
  }

  private InitialSessionState openedOn(Connection connection) throws SQLException {
    return reader == null ? new InitialSessionState(List.of(), false) : reader.opened(connection);
  }

  /** Makes the lookups that wait, on a pool's connection that the application has not got yet. */
  private void lookUpWaiting(Connection fresh) {
    SchemaReader reading = reader;
    KnownTables at = known();
    if (reading == null || at.waiting.isEmpty()) {
      return;
    }
    try {
      CatalogQueries.outsideOfTransactions(
          fresh,
          connection -> {
            for (Map.Entry<String, KnownTables.Waiting> entry : at.waiting.entrySet()) {
              KnownTables.Waiting wanted = entry.getValue();
              Optional<TableInfo> found = reading.find(connection, wanted.path(), wanted.parts());
              at.tables.put(entry.getKey(), found.map(info -> table(reading, wanted.home(), info)));
              at.waiting.remove(entry.getKey());
            }
            return true;
          });
    } catch (SQLException | RuntimeException e) {
      failed(e);
    }
    known.updateAndGet(KnownTables::withMore);
  }

  /** The snapshots of the sessions to this database. */
  SchemaChangeGate snapshots() {
    return snapshots;
  }

  /** True if tables are prepared at first sight. */
  boolean preparesTables() {
    return preparer != null;
  }

  /**
   * Looks a name up.
   *
   * @param home the schema whose tables are named without it
   * @param path where the session looks
   */
  Optional<Table> find(String home, List<String> path, List<String> parts, LookupContext context) {
    if (reader == null) {
      return Optional.empty();
    }
    if (separate != null && context.hasOpenDdl() && context.view().hasBegun()) {
      return Optional.of(notLookedUp(parts)); // what it has changed, it sees alone
    }
    String asked = home + "\0\0" + String.join("\0", path) + "\0\0" + String.join("\0", parts);
    KnownTables at = known();
    Optional<Table> before = at.tables.get(asked);
    if (before != null) {
      return before;
    }
    if (separate == null && !isEmbedded) {
      at.waiting.put(asked, new KnownTables.Waiting(home, path, parts));
      return Optional.of(notLookedUp(parts));
    }
    try {
      if (separate != null && isEmbedded && context.connection().isClosed()) {
        return Optional.of(notLookedUp(parts)); // another connection would make the database again
      }
      Optional<TableInfo> info = ask(reader, path, parts, context);
      boolean later = false;
      if (info.isPresent() && preparer != null && lacksColumns(reader, info.get())) {
        TablePreparer.Outcome outcome = preparer.prepare(info.get(), context);
        if (outcome == TablePreparer.Outcome.PREPARED) {
          invalidate();
          at = known();
          info = ask(reader, path, parts, context);
        }
        later = outcome == TablePreparer.Outcome.LATER;
      }
      Optional<Table> table = info.map(found -> table(reader, home, found));
      if (later && isEmbedded) {
        retryLater();
      } else if (table.isPresent()) {
        if (later) { // until then each text would look it up once more, by several round trips
          at.putOff.add(asked);
          retryLater();
        }
        at.tables.put(asked, table);
      }
      return table;
    } catch (SQLException | RuntimeException e) {
      failed(e);
      return Optional.of(notLookedUp(parts));
    }
  }

  /** A table of which nothing is known. */
  static Table notLookedUp(List<String> parts) {
    return new Table(String.join(".", parts), Status.LOOKUP_FAILED, List.of());
  }

  private Optional<TableInfo> ask(
      SchemaReader reading, List<String> path, List<String> parts, LookupContext context)
      throws SQLException {
    return lookups != null
        ? lookups.find(path, parts)
        : reading.find(context.connection(), path, parts);
  }

  /** A lookup failed. It is logged by what a driver returns that contains no SQL. */
  private void failed(Exception error) {
    retryLater();
    String cause =
        error.getClass().getSimpleName()
            + (error instanceof SQLException e
                ? ", SQLState " + e.getSQLState() + ", code " + e.getErrorCode()
                : "");
    LOOKUPS.log(
        key + cause,
        "a look-up of tables failed and is tried again; until then their statements are sent as"
            + " they are, or not at all where columns of ours might show (LOOKUP_FAILED): "
            + cause,
        log::repeated);
  }

  /**
   * True if a table is known to be small.
   *
   * @param path where the session looks
   */
  boolean isSmall(List<String> path, List<String> parts, LookupContext context) {
    if (reader == null || (separate == null && !isEmbedded)) {
      return false;
    }
    KnownTables at = known();
    String asked = String.join("\0", path) + "\0\0" + String.join("\0", parts);
    KnownTables.Size before = at.sizes.get(asked);
    long now = System.nanoTime();
    if (before != null && now - before.atNanos() < SIZE_NANOS) {
      return before.small();
    }
    if (context.view().holdsTableLocks()) {
      return false; // only the session itself may read it
    }
    try {
      boolean small =
          separate == null
              ? isSmall(reader, context.connection(), path, parts)
              : separate.use(connection -> isSmall(reader, connection, path, parts));
      at.sizes.put(asked, new KnownTables.Size(small, now));
      return small;
    } catch (SQLException | RuntimeException e) {
      failed(e);
      return false;
    }
  }

  /** The last column of the first row of a query on the connection of our own. */
  Optional<String> status(String query) {
    SeparateConnection own = separate;
    if (own == null || isStatusRefused) {
      return Optional.empty();
    }
    try {
      return own.use(
          connection -> {
            try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
              return rows.next()
                  ? Optional.ofNullable(rows.getString(rows.getMetaData().getColumnCount()))
                  : Optional.<String>empty();
            }
          });
    } catch (SQLException e) {
      isStatusRefused = String.valueOf(e.getSQLState()).startsWith("42"); // lacks a privilege
      return Optional.empty();
    }
  }

  /**
   * Reads who waits for whom, on the connection of our own; null if there is none.
   *
   * @param source the first of its queries that the server accepts is used
   */
  @Nullable WaitReader waitReader(WaitSource source) {
    SeparateConnection own = separate;
    if (own == null || source.queries().isEmpty()) {
      return null;
    }
    synchronized (this) {
      WaitReader known = waitReader;
      if (known == null) {
        WaitQueries queries = new WaitQueries(source, own, probe.database().product(), log);
        known = new WaitReader(queries::waits);
        waitReader = known;
      }
      return known;
    }
  }

  private static boolean isSmall(
      SchemaReader reader, Connection connection, List<String> path, List<String> parts)
      throws SQLException {
    Optional<TableInfo> table = reader.find(connection, path, parts);
    return table.isPresent() && reader.isSmall(connection, table.get());
  }

  private void retryLater() {
    retryAt = System.nanoTime() + RETRY_NANOS;
    retryWanted = true;
  }

  private static boolean lacksColumns(SchemaReader reader, TableInfo info) {
    return reader.status(info) == Status.NOT_PREPARED;
  }

  private static Table table(SchemaReader reader, String home, TableInfo info) {
    return new Table(
        info.schema().equals(home) ? info.name() : info.schema() + "." + info.name(),
        reader.status(info),
        info.applicationColumns(reader.sql().hasAuxiliaryColumns()),
        info.traits(),
        List.of(info.schema(), info.name()),
        info.starColumns(reader.sql().hasAuxiliaryColumns()),
        info.systemVersions().flatMap(TableInfo.SystemVersions::key));
  }
}
