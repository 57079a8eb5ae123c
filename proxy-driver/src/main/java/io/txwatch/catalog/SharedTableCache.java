package io.txwatch.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.Catalog.Table;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one URL and user know of its tables: a cache, filled through {@linkplain
 * CatalogAccess the sessions themselves}, and, with {@code txwatch.prepare=auto}, the preparation
 * of tables at first sight. Thread-safe.
 *
 * <p>Every invalidation replaces {@linkplain KnownTables what is known} and with it the {@link
 * #version}; an answer that was on its way meanwhile is given but not found again. A lookup that
 * failed, as it may on a machine under load, is given as one that failed, is not kept, and raises
 * the version a little later, so that it is tried again. A look-up that would leave a trace in the
 * session at its moment waits until some session is about to send a statement at a better one.
 */
final class SharedTableCache {

  /**
   * Those in use. A connection that the application abandons without closing it must not be kept
   * from here, nor its driver's class loader.
   */
  private static final Cache<String, SharedTableCache> OPEN =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  private static final AtomicLong PRIVATE_COUNT = new AtomicLong();

  private static final long RETRY_NANOS = 2_000_000_000L;

  private static final long SIZE_NANOS = 60_000_000_000L;

  private static final int MAX_READ_AHEAD = 100;

  private static final LookupLog LOOKUPS = new LookupLog(System::nanoTime);

  /** So long new sessions are taken to begin as one did. */
  private static final long BEGINNING_NANOS = 10_000_000_000L;

  private final String key;
  private final DatabaseProbe probe;
  private final @Nullable SchemaReader reader;
  private final CatalogMode.Versions versions;
  private final boolean usesSystemColumns;
  private final SchemaChangeGate snapshots;
  private final @Nullable CatalogAccess access;
  private final @Nullable TablePreparer preparer;
  private final CatalogLog log;
  private final TableUsage usage;
  private final long readAheadNanos;

  /** The connection that the catalog is read on; null if the application's own are. */
  private final @Nullable SeparateConnection separate;

  /** Look-ups on that connection; null if there is none, or the DBMS is not known. */
  private final @Nullable JointLookups lookups;

  private volatile @Nullable Beginning beginning;

  private final AtomicReference<KnownTables> known = new AtomicReference<>(new KnownTables());
  private volatile long retryAt;
  private final AtomicLong compilations = new AtomicLong();

  private volatile boolean retryWanted;

  /** How many changes of tables what is known accounts for. */
  private volatile long seenChanges;

  /** Schemas whose tables have been read ahead, and those whose tables are to be. */
  private final Set<String> readHomes = ConcurrentHashMap.newKeySet();

  private final Set<String> wantedHomes = ConcurrentHashMap.newKeySet();

  /** True once the names of a schema's tables were read. */
  private volatile boolean listed;

  /** Tables that were to be read ahead when the time was over. */
  private final Set<String> unread = ConcurrentHashMap.newKeySet();

  private int sessions;

  private SharedTableCache(
      String key,
      String used,
      Connection connection,
      String url,
      ConnectionSource source,
      CatalogMode mode,
      CatalogLog log)
      throws SQLException {
    this.key = key;
    this.usage = TableUsage.of(used, MAX_READ_AHEAD);
    this.readAheadNanos = mode.readAhead().toNanos();
    this.log = log;
    Asked asked = Asked.of(connection, url, source, mode, log);
    this.versions = asked.versions();
    this.probe = asked.probe();
    SeparateConnection own = asked.own();
    this.separate = own;
    // For want of another one; a server's tables are looked up there in any case.
    boolean onApplication = DatabaseProbe.isPrivate(url) || source == ConnectionSource.NONE;
    this.snapshots = SchemaChangeGate.of(probe.database().place());
    Dialect dialect = probe.dialect().orElse(null);
    boolean autoPrepare = mode.preparer().isPresent() && own == null;
    if (dialect == null) {
      this.usesSystemColumns = false;
      this.reader = null;
      this.lookups = null;
      this.access = null;
      this.preparer = null;
    } else {
      this.usesSystemColumns = versions == CatalogMode.Versions.SYSTEM;
      this.reader =
          own == null
              ? SchemaReaders.of(dialect, probe.database(), connection, usesSystemColumns)
              : own.use(c -> SchemaReaders.of(dialect, probe.database(), c, false));
      this.lookups = own == null ? null : new JointLookups(reader, own);
      DedicatedConnection dedicated = new DedicatedConnection(source, reader);
      this.access = new CatalogAccess(reader, dedicated, onApplication, own);
      if (own != null) {
        own.of(reader);
        if (dialect.select(false, false, false, false, false, true)) {
          log.notice(
              probe.database().displayName()
                  + ", by the statement: of writes, only what their statements state is known"
                  + " (txwatch.versions=statements)");
        }
        if (DatabaseProbe.isPrivate(url)) {
          log.notice(
              "a database that has one connection only: with txwatch.versions="
                  + versions.name().toLowerCase(Locale.ROOT)
                  + " its tables are not known, and rows are not observed");
        }
      }
      this.preparer =
          autoPrepare && !usesSystemColumns && !(onApplication && access.isServer())
              ? mode.preparer()
                  .orElseThrow()
                  .create(
                      probe.database(), reader, dedicated, onApplication, snapshots, log::notice)
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
   * @param own the connection that was used; null if it was the application's, and so are others
   */
  private record Asked(
      CatalogMode.Versions versions, DatabaseProbe probe, @Nullable SeparateConnection own) {

    static Asked of(
        Connection connection,
        String url,
        ConnectionSource source,
        CatalogMode mode,
        CatalogLog log)
        throws SQLException {
      CatalogMode.Versions wanted = mode.versions();
      if (wanted.areByValue()) {
        return byValue(wanted, url, source);
      }
      boolean hasOthers = source != ConnectionSource.NONE && !DatabaseProbe.isPrivate(url);
      if (wanted == CatalogMode.Versions.AUTO
          && !mode.needsColumns()
          && hasOthers
          && DatabaseProbe.mayBeByValue(connection)) {
        Asked unprepared = unprepared(url, source, log);
        if (unprepared != null) {
          return unprepared;
        }
      }
      DatabaseProbe probe = DatabaseProbe.of(connection, url);
      CatalogMode.Versions available = available(mode, probe, log);
      return available.areByValue()
          ? byValue(available, url, source)
          : new Asked(available, probe, null);
    }

    private static Asked byValue(CatalogMode.Versions versions, String url, ConnectionSource source)
        throws SeparateConnectionException {
      SeparateConnection own = new SeparateConnection(source);
      return new Asked(versions, SharedTableCache.probe(own, url), own);
    }

    /** Null if the tables have auxiliary columns, or versions cannot come by value. */
    private static @Nullable Asked unprepared(String url, ConnectionSource source, CatalogLog log) {
      SeparateConnection own = new SeparateConnection(source);
      try {
        DatabaseProbe probe = SharedTableCache.probe(own, url);
        if (probe.mayBeByValue()) {
          Dialect dialect = probe.dialect().orElseThrow();
          SchemaReader reader = own.use(c -> SchemaReaders.of(dialect, probe.database(), c, false));
          own.of(reader);
          if (!own.use(reader::hasPrepared)) {
            return new Asked(CatalogMode.Versions.AUTO, probe, own);
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

  private static DatabaseProbe probe(SeparateConnection own, String url)
      throws SeparateConnectionException {
    try {
      return own.use(connection -> DatabaseProbe.of(connection, url).notRewritten());
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
   * Where names are looked up once a session has set its path to these schemas. Asked on the
   * connection of our own; empty if that is not known.
   *
   * @param names as stored, first first
   */
  List<String> schemas(List<String> names) {
    SeparateConnection own = separate;
    SchemaReader reading = reader;
    if (own == null || reading == null) {
      return List.of();
    }
    KnownTables at = known();
    List<String> before = at.paths.get(names);
    if (before != null) {
      return before;
    }
    try {
      List<String> found =
          reading.readsPaths() ? own.use(c -> reading.path(c, names)) : List.copyOf(names);
      at.paths.put(names, found);
      return found;
    } catch (SQLException | RuntimeException e) {
      return List.of();
    }
  }

  /** True if nothing of ours is sent on the application's connections. */
  boolean isSeparate() {
    return separate != null;
  }

  /**
   * For one more session. The first session of a URL and user asks the DBMS what it is, the others
   * take over what it said.
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
            + (DatabaseProbe.isPrivate(url) ? "\0" + PRIVATE_COUNT.incrementAndGet() : "");
    // Somebody may still have connections to a database of that name that is closed.
    String key = url.startsWith("jdbc:h2:mem:") ? used + "\0" + H2MemoryRuns.of(connection) : used;
    synchronized (OPEN) {
      SharedTableCache known = OPEN.getIfPresent(key);
      if (known != null) {
        known.sessions++;
        return known;
      }
    }
    SharedTableCache made = new SharedTableCache(key, used, connection, url, source, mode, log);
    SharedTableCache shared;
    synchronized (OPEN) {
      shared = OPEN.get(key, k -> made);
      shared.sessions++;
    }
    if (shared != made) {
      made.closeSeparate();
    }
    return shared;
  }

  /** Where versions come from on a DBMS, if that is the setting. */
  private static CatalogMode.Versions available(
      CatalogMode mode, DatabaseProbe probe, CatalogLog log) {
    CatalogMode.Versions wanted = mode.versions();
    if (probe.dialect().isEmpty() && probe.notRewritten().dialect().isPresent()) {
      return CatalogMode.Versions.STATEMENTS;
    }
    if (probe.dialect().equals(Optional.of(Dialect.SQLITE))) {
      if (wanted != CatalogMode.Versions.AUTO || mode.needsColumns()) {
        log.notice(
            "row versions come from the statements (txwatch.versions=statements): SQLite has no"
                + " invisible columns, so its tables are not prepared");
      }
      return CatalogMode.Versions.STATEMENTS;
    }
    if (!probe.dialect().map(DialectSql::of).map(DialectSql::hasSystemVersions).orElse(false)) {
      return CatalogMode.Versions.COLUMNS;
    }
    if (!PostgresSchemaReader.hasSystemVersions(probe.database())) {
      log.notice(
          probe.database().displayName()
              + " lacks what txwatch needs of system columns (PostgreSQL 14 and later have it), so"
              + " txwatch.versions=statements is used instead of "
              + wanted.name().toLowerCase(Locale.ROOT));
      return CatalogMode.Versions.STATEMENTS;
    }
    if (wanted == CatalogMode.Versions.COLUMNS) {
      log.notice(
          probe.database().displayName()
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

  Optional<Dialect> dialect() {
    return probe.dialect();
  }

  /** One session is gone; with the last one, what is known of the tables. */
  void leave() {
    boolean isLast;
    synchronized (OPEN) {
      sessions--;
      isLast = sessions == 0;
      if (isLast) {
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
        // Last: until then whoever comes in between forgets what is known, too.
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

  /** Statements that were prepared are compiled anew when they are next executed. */
  void compiledAnew() {
    compilations.incrementAndGet();
  }

  long compilations() {
    return compilations.get();
  }

  void invalidate() {
    known.updateAndGet(KnownTables::forgotten);
    if (readsAheadAgain()) {
      wantedHomes.addAll(readHomes);
    }
  }

  /** How the session on that connection begins. */
  InitialSessionState opened(Connection connection) throws SQLException {
    InitialSessionState state = separate == null ? openedOn(connection) : begin().state();
    return reader == null ? state : state.in(reader.runOf(connection, state.serverRun()));
  }

  /** JDBC's number of the isolation level with which a session begins. */
  int levelAtFirst() throws SQLException {
    return begin().level();
  }

  /**
   * How sessions begin, seen on the connection of our own.
   *
   * @param at when that was asked: {@link System#nanoTime}
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

  /**
   * Where that session looks unqualified names up, asked of itself.
   *
   * @throws LookupPostponedException if it cannot be asked at this moment
   */
  List<String> path(LookupContext context) throws SQLException {
    return access == null ? List.of() : access.readPath(context);
  }

  /**
   * Reads tables of a schema before a statement needs them, on a connection that the application
   * has not got yet: on a server a later look-up may have to wait for its moment. At most {@value
   * #MAX_READ_AHEAD} tables are read, and each connection is used for {@link CatalogMode#readAhead}
   * at most; the next new one goes on. What is not read here is looked up when it is needed.
   *
   * @param path where the session looks
   */
  void readAhead(List<String> path, Connection fresh) {
    CatalogAccess through = access;
    Optional<String> home = home(path);
    if (through == null || !through.isServer() || home.isEmpty()) {
      return;
    }
    if (!readHomes.add(home.get()) && !isTableWaiting()) {
      return;
    }
    try {
      readAhead(home.get(), use -> through.readFirst(fresh, use));
    } catch (SQLException | RuntimeException e) {
      // The next new connection goes on; a table that failed is looked up when it is needed.
      if (!listed) {
        readHomes.remove(home.get());
      }
    }
    if (!unread.isEmpty()) {
      readHomes.remove(home.get());
      if (readsAheadAgain()) {
        wantedHomes.add(home.get());
      }
    }
  }

  /** Something that reads the catalog on some connection. */
  private interface Reading {
    void on(DedicatedConnection.Use<Boolean> use) throws SQLException;
  }

  private void readAhead(String home, Reading reading) throws SQLException {
    SchemaReader how = Objects.requireNonNull(reader);
    KnownTables into = known();
    long end = System.nanoTime() + readAheadNanos;
    Map<String, TableInfo> found = new HashMap<>();
    Map<String, KnownTables.Size> small = new HashMap<>();
    try {
      reading.on(
          connection -> {
            for (String name : wanted(home, how.names(connection, home), into)) {
              if (System.nanoTime() - end >= 0) {
                return false;
              }
              unread.remove(home + "\0" + name);
              Optional<TableInfo> info = how.table(connection, home, name);
              usage.read(home + "\0" + name);
              if (info.isPresent()) {
                found.put(stored(info.get()), info.get());
                if (how.isPrepared(info.get()) && connection.getAutoCommit()) {
                  boolean isSmall = how.isSmall(connection, info.get());
                  small.put(stored(info.get()), new KnownTables.Size(isSmall, System.nanoTime()));
                }
              }
            }
            return true;
          });
    } finally {
      into.readAhead.putAll(found);
      into.sizes.putAll(small);
    }
  }

  /**
   * The tables that are to be read ahead, at most {@value #MAX_READ_AHEAD}: those that were used
   * before, then those that are new. They are unread from now on.
   */
  private List<String> wanted(String home, List<String> names, KnownTables into) {
    listed = true;
    String prefix = home + "\0";
    List<String> stored = names.stream().map(name -> prefix + name).toList();
    List<String> wanted =
        usage.wanted(prefix, stored).stream()
            .filter(table -> !into.readAhead.containsKey(table))
            .limit(Math.max(0, MAX_READ_AHEAD - into.readAhead.size()))
            .toList();
    unread.removeIf(table -> table.startsWith(prefix));
    unread.addAll(wanted);
    return wanted.stream().map(table -> table.substring(prefix.length())).toList();
  }

  /** A session looks names up elsewhere. */
  void pathChanged(List<String> path) {
    if (readsAheadAgain()) {
      home(path).filter(home -> !readHomes.contains(home)).ifPresent(wantedHomes::add);
    }
  }

  /**
   * Where a transaction may be in the way of a look-up, tables are read ahead whenever they can.
   */
  boolean readsAheadAgain() {
    return probe
        .dialect()
        .map(DialectSql::of)
        .map(DialectSql::readsCatalogInTransactions)
        .orElse(false);
  }

  private void readAheadAgain(List<String> path, LookupContext context) {
    CatalogAccess through = access;
    Optional<String> home = home(path);
    if (through == null || home.isEmpty() || !wantedHomes.contains(home.get())) {
      return;
    }
    try {
      readAhead(home.get(), use -> through.readRows(context, use));
      if (unread.isEmpty()) {
        wantedHomes.remove(home.get());
      }
      readHomes.add(home.get());
    } catch (LookupPostponedException e) {
      // It is wanted still.
    } catch (SQLException | RuntimeException e) {
      wantedHomes.remove(home.get());
    }
  }

  private boolean isTableWaiting() {
    return known().waiting.values().stream().anyMatch(waiting -> !waiting.wantsSize());
  }

  private static Optional<String> home(List<String> path) {
    return path.stream().filter(s -> !SchemaReader.isInternal(s)).findFirst();
  }

  private void used(TableInfo info) {
    usage.use(stored(info));
  }

  /**
   * A look-up is postponed: the next new connection reads the table before others. Nothing went
   * wrong, so it is not logged; the coverage has the statements that are not observed meanwhile.
   */
  private void postponed(SchemaReader reading, List<String> path, List<String> parts) {
    storedName(reading, path, parts).ifPresent(usage::use);
  }

  private static String stored(TableInfo info) {
    return info.schema() + "\0" + info.name();
  }

  /** What was read ahead of a name; empty if it must be looked up. */
  private Optional<TableInfo> readBefore(
      SchemaReader reading, List<String> path, List<String> parts, KnownTables from) {
    return from.readAhead.isEmpty()
        ? Optional.empty()
        : storedName(reading, path, parts).map(from.readAhead::get);
  }

  /** The schema and name of a table as stored, if it is where names are looked up first. */
  private static Optional<String> storedName(
      SchemaReader reading, List<String> path, List<String> parts) {
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    String name = reading.folding().fold(parts.get(parts.size() - 1));
    Optional<String> schema =
        parts.size() > 1
            ? Optional.of(reading.folding().fold(parts.get(parts.size() - 2)))
            : home(path);
    return schema.map(s -> s + "\0" + name);
  }

  /** True if look-ups wait for a session on which they can be made. */
  boolean isWaiting() {
    return !known().waiting.isEmpty() || !wantedHomes.isEmpty();
  }

  /**
   * Makes the look-ups that wait, as far as this session can. If one was made, plans are made anew.
   */
  void lookUpWaiting(List<String> path, LookupContext context) {
    if (mayBeOld(context)) {
      return;
    }
    readAheadAgain(path, context);
    KnownTables at = known();
    boolean found = false;
    for (Map.Entry<String, KnownTables.Waiting> entry : at.waiting.entrySet()) {
      KnownTables.Waiting wanted = entry.getValue();
      if (wanted.wantsSize()) {
        size(wanted.path(), wanted.parts(), context);
      } else {
        find(wanted.home(), wanted.path(), wanted.parts(), context);
      }
      found |= !at.waiting.containsKey(entry.getKey());
    }
    if (found) {
      known.updateAndGet(KnownTables::withMore);
    }
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
    if (reader == null || access == null) {
      return Optional.empty();
    }
    if (separate != null && context.hasOpenDdl() && context.view().hasBegun()) {
      return Optional.of(notLookedUp(parts)); // what it has changed, it sees alone
    }
    String asked = home + "\0\0" + String.join("\0", path) + "\0\0" + String.join("\0", parts);
    KnownTables at = known();
    Table before = at.tables.get(asked);
    if (before != null) {
      return Optional.of(before);
    }
    try {
      Optional<TableInfo> info = ask(reader, access, path, parts, context, at);
      info.ifPresent(this::used);
      at.waiting.remove(asked);
      boolean later = false;
      if (info.isPresent() && preparer != null && lacksColumns(reader, info.get())) {
        TablePreparer.Outcome outcome = preparer.prepare(info.get(), context);
        if (outcome == TablePreparer.Outcome.PREPARED) {
          invalidate();
          at = known();
          info = ask(reader, access, path, parts, context, at);
        }
        later = outcome == TablePreparer.Outcome.LATER;
      }
      Optional<Table> table = info.map(found -> table(reader, home, found));
      if (mayBeOld(context)) {
        at.waiting.put(asked, new KnownTables.Waiting(home, path, parts, false));
      } else if (later && !access.isServer()) {
        retryLater();
      } else if (table.isPresent()) {
        if (later) { // until then each text would look it up once more, by several round trips
          at.putOff.add(asked);
          retryLater();
        }
        at.tables.put(asked, table.get());
      }
      return table;
    } catch (LookupPostponedException e) {
      at.waiting.put(asked, new KnownTables.Waiting(home, path, parts, false));
      postponed(reader, path, parts);
      return Optional.of(notLookedUp(parts));
    } catch (SQLException | RuntimeException e) {
      at.waiting.remove(asked);
      failed(e);
      return Optional.of(notLookedUp(parts));
    }
  }

  /** A table of which nothing is known. */
  static Table notLookedUp(List<String> parts) {
    return new Table(String.join(".", parts), Status.LOOKUP_FAILED, List.of());
  }

  private Optional<TableInfo> ask(
      SchemaReader reading,
      CatalogAccess through,
      List<String> path,
      List<String> parts,
      LookupContext context,
      KnownTables at)
      throws SQLException {
    Optional<TableInfo> before = readBefore(reading, path, parts, at);
    if (before.isPresent()) {
      return before;
    }
    return lookups != null
        ? lookups.find(path, parts)
        : through.read(context, connection -> reading.find(connection, path, parts));
  }

  /**
   * True if the session's transaction sees the catalog as it was when it began, or as nobody else
   * sees it yet: what it finds is for itself.
   */
  private boolean mayBeOld(LookupContext context) {
    return separate == null
        && access != null
        && access.isServer()
        && !context.view().isIdle()
        && context.view().hasBegun()
        && (context.hasOpenDdl() || context.view().keepsSnapshot());
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
    return size(path, parts, context);
  }

  private boolean size(List<String> path, List<String> parts, LookupContext context) {
    if (reader == null || access == null) {
      return false;
    }
    KnownTables at = known();
    String asked =
        readBefore(reader, path, parts, at)
            .map(SharedTableCache::stored)
            .orElse(String.join("\0", path) + "\0\0" + String.join("\0", parts));
    KnownTables.Size before = at.sizes.get(asked);
    long now = System.nanoTime();
    if (before != null && now - before.atNanos() < SIZE_NANOS) {
      at.waiting.remove(asked);
      return before.small();
    }
    try {
      boolean small =
          access.readRows(context, connection -> isSmall(reader, connection, path, parts));
      at.sizes.put(asked, new KnownTables.Size(small, now));
      at.waiting.remove(asked);
      return small;
    } catch (LookupPostponedException e) {
      at.waiting.put(asked, new KnownTables.Waiting("", path, parts, true));
      return before != null && before.small();
    } catch (SQLException | RuntimeException e) {
      at.waiting.remove(asked);
      failed(e);
      return false;
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
        info.applicationColumns(DialectSql.of(reader.dialect()).hasAuxiliaryColumns()),
        info.traits(),
        List.of(info.schema(), info.name()),
        info.starColumns(DialectSql.of(reader.dialect()).hasAuxiliaryColumns()),
        info.systemVersions().flatMap(TableInfo.SystemVersions::key));
  }
}
