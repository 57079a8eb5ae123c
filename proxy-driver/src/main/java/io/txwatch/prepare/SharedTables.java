package io.txwatch.prepare;

import io.txwatch.sql.Catalog.Status;
import io.txwatch.sql.Catalog.Table;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one URL and user know of its tables: a cache, the connection that fills it,
 * and, if asked for, the preparation of tables at first sight. Thread-safe.
 *
 * <p>Every invalidation raises {@link #version}; an answer that was on its way meanwhile is given
 * but not kept. A lookup that failed, as it may on a machine under load, is given as one that
 * failed, is not kept, and raises the version a little later, so that it is tried again.
 */
final class SharedTables {

  private static final Map<String, SharedTables> OPEN = new HashMap<>();

  /** No version comes twice, so that plans outlive the sessions of a URL. */
  private static final AtomicLong VERSIONS = new AtomicLong();

  private static final AtomicLong PRIVATE_COUNT = new AtomicLong();

  private static final String LOOKUP_SAVEPOINT = "txw_lookup";

  private static final long RETRY_NANOS = 2_000_000_000L;

  private static final long SIZE_NANOS = 60_000_000_000L;

  private final String key;
  private final DatabaseProbe probe;
  private final @Nullable SchemaReader reader;

  /** True if tables are looked up on the application's connections, for want of another one. */
  private final boolean onApplication;

  private final boolean privateDatabase;
  private final @Nullable LookupConnection lookups;
  private final @Nullable AutoPreparation preparation;
  private final Consumer<String> notices;
  private final AtomicBoolean failureTold = new AtomicBoolean();
  private final Map<String, Table> tables = new ConcurrentHashMap<>();
  private final Map<String, Size> sizes = new ConcurrentHashMap<>();
  private final AtomicLong version = new AtomicLong(VERSIONS.incrementAndGet());
  private volatile long retryAt;
  private volatile boolean retryWanted;
  private volatile boolean snapshotsConflict;
  private int sessions;

  private SharedTables(
      String key,
      Connection connection,
      String url,
      ConnectionSource source,
      boolean autoPrepare,
      Consumer<String> notices)
      throws SQLException {
    this.key = key;
    this.notices = notices;
    this.probe = DatabaseProbe.of(connection, url);
    this.privateDatabase = DatabaseProbe.isPrivate(url);
    this.onApplication = privateDatabase || source == ConnectionSource.NONE;
    Dialect dialect = probe.dialect().orElse(null);
    if (dialect == null) {
      this.reader = null;
      this.lookups = null;
      this.preparation = null;
    } else {
      this.reader = SchemaReaders.of(dialect, probe.database(), connection);
      this.lookups = new LookupConnection(source, reader);
      this.preparation =
          autoPrepare && mayPrepare(dialect)
              ? new AutoPreparation(reader, lookups, onApplication, notices)
              : null;
      if (autoPrepare && preparation == null) {
        notices.accept(
            "tables are not prepared at first sight through a pool's own connections, where waiting"
                + " for a lock would be the application's: prepare them beforehand");
      }
    }
  }

  /** On a server, DDL waits for others' locks, and only a connection of our own bounds the wait. */
  private boolean mayPrepare(Dialect dialect) {
    return !onApplication || dialect == Dialect.H2 || dialect == Dialect.SQLITE;
  }

  /**
   * For one more session. The first session of a URL and user asks the DBMS what it is, the others
   * take over what it said.
   */
  static SharedTables enter(
      Connection connection,
      String url,
      String user,
      ConnectionSource source,
      boolean autoPrepare,
      Consumer<String> notices)
      throws SQLException {
    String key =
        String.join("\0", user, url, Boolean.toString(autoPrepare))
            + (source == ConnectionSource.NONE ? "\0pool" : "")
            + (DatabaseProbe.isPrivate(url) ? "\0" + PRIVATE_COUNT.incrementAndGet() : "");
    synchronized (OPEN) {
      SharedTables known = OPEN.get(key);
      if (known != null) {
        known.sessions++;
        return known;
      }
    }
    SharedTables made = new SharedTables(key, connection, url, source, autoPrepare, notices);
    synchronized (OPEN) {
      SharedTables shared = OPEN.computeIfAbsent(key, k -> made);
      shared.sessions++;
      return shared;
    }
  }

  DatabaseProbe probe() {
    return probe;
  }

  Optional<Dialect> dialect() {
    return probe.dialect();
  }

  /** True if {@code *} shows the auxiliary columns. */
  boolean auxiliaryVisible() {
    return reader != null && reader.auxiliaryVisible();
  }

  /** One session is gone; with the last one our own connection is closed. */
  void leave() {
    synchronized (OPEN) {
      sessions--;
      if (sessions > 0) {
        return;
      }
      OPEN.remove(key, this);
    }
    if (lookups != null) {
      lookups.close();
    }
  }

  long version() {
    if (retryWanted && System.nanoTime() - retryAt >= 0) {
      retryWanted = false;
      version.set(VERSIONS.incrementAndGet());
    }
    return version.get();
  }

  void invalidate() {
    version.set(VERSIONS.incrementAndGet());
    tables.clear();
    sizes.clear();
  }

  /** Some session's snapshot may from now on be in conflict with whoever writes a row anew. */
  void snapshotsConflict() {
    snapshotsConflict = true;
  }

  boolean mayHaveConflicts() {
    return snapshotsConflict;
  }

  /** How the session on that connection begins. */
  OpenedSession opened(Connection connection) throws SQLException {
    return reader == null ? new OpenedSession(List.of(), false) : reader.opened(connection);
  }

  /** Where that connection looks unqualified names up, asked of itself. */
  List<String> path(Connection connection) throws SQLException {
    return reader == null ? List.of() : reader.path(connection);
  }

  /**
   * Looks a name up.
   *
   * @param home the schema whose tables are named without it
   * @param path where the session looks
   */
  Optional<Table> find(
      String home,
      List<String> path,
      List<String> parts,
      Connection application,
      BooleanSupplier idle) {
    if (reader == null || lookups == null) {
      return Optional.empty();
    }
    String asked = home + "\0\0" + String.join("\0", path) + "\0\0" + String.join("\0", parts);
    Table known = tables.get(asked);
    if (known != null) {
      return Optional.of(known);
    }
    long before = version.get();
    Lookup lookup = new Lookup(reader, lookups, path, parts, application, idle);
    try {
      Optional<TableInfo> info = lookup.ask();
      if (info.isPresent() && preparation != null && lacksColumns(reader, info.get())) {
        AutoPreparation.Outcome outcome = preparation.prepare(info.get(), application, idle);
        if (outcome == AutoPreparation.Outcome.PREPARED) {
          invalidate();
          before = version.get();
          info = lookup.ask();
        } else if (outcome == AutoPreparation.Outcome.LATER) {
          retryLater();
          return info.map(found -> table(reader, home, found));
        }
      }
      Optional<Table> table = info.map(found -> table(reader, home, found));
      if (table.isPresent()) {
        tables.put(asked, table.get());
        if (version.get() != before) {
          tables.remove(asked);
        }
      }
      return table;
    } catch (SQLException | RuntimeException e) {
      failed(e);
      return Optional.of(
          new Table(String.join(".", parts), Status.LOOKUP_FAILED, List.of(), false));
    }
  }

  /**
   * Looks a name up on the application's own connection, within whatever transaction it is in: for
   * tables that no other session can see. Nothing is prepared, and nothing is kept. On PostgreSQL a
   * savepoint takes back whatever the look-up sets or fails at.
   */
  Optional<Table> findOn(
      Connection application, BooleanSupplier idle, String home, List<String> parts) {
    if (reader == null) {
      return Optional.empty();
    }
    boolean guarded = reader.dialect() == Dialect.POSTGRESQL && !idle.getAsBoolean();
    try {
      if (guarded) {
        SchemaReader.run(application, List.of("SAVEPOINT " + LOOKUP_SAVEPOINT));
      }
      try {
        return reader
            .find(application, reader.path(application), parts)
            .map(found -> table(reader, home, found));
      } finally {
        if (guarded) {
          SchemaReader.run(
              application,
              List.of(
                  "ROLLBACK TO SAVEPOINT " + LOOKUP_SAVEPOINT,
                  "RELEASE SAVEPOINT " + LOOKUP_SAVEPOINT));
        }
      }
    } catch (SQLException | RuntimeException e) {
      return Optional.empty(); // its transaction has failed, say
    }
  }

  /** A lookup failed. The first one is told, by what a driver says that holds no SQL. */
  private void failed(Exception error) {
    retryLater();
    if (failureTold.compareAndSet(false, true)) {
      String code =
          error instanceof SQLException e
              ? ", SQLState " + e.getSQLState() + ", code " + e.getErrorCode()
              : "";
      notices.accept(
          "a look-up of tables failed and is tried again; until then their statements are sent as"
              + " they are (further ones are counted, not told): "
              + error.getClass().getSimpleName()
              + code);
    }
  }

  /** What is known of a table's size. */
  private record Size(boolean small, long at) {}

  /**
   * True if a table is known to be small: asked of our own connection, or of the application's
   * where the database is its alone, or where it is in no transaction, for this reads the table.
   */
  boolean isSmall(
      List<String> path, List<String> parts, Connection application, BooleanSupplier idle) {
    if (reader == null || lookups == null) {
      return false;
    }
    String asked = String.join("\0", path) + "\0\0" + String.join("\0", parts);
    Size known = sizes.get(asked);
    long now = System.nanoTime();
    if (known != null && now - known.at < SIZE_NANOS) {
      return known.small;
    }
    if (onApplication && !privateDatabase && !idle.getAsBoolean()) {
      return false;
    }
    try {
      boolean small =
          onApplication
              ? isSmall(reader, application, path, parts)
              : lookups.use(connection -> isSmall(reader, connection, path, parts));
      sizes.put(asked, new Size(small, now));
      return small;
    } catch (SQLException | RuntimeException e) {
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

  /** One question, on the connection that it may be asked of. */
  private final class Lookup {
    private final SchemaReader reader;
    private final LookupConnection lookups;
    private final List<String> path;
    private final List<String> parts;
    private final Connection application;
    private final BooleanSupplier idle;

    Lookup(
        SchemaReader reader,
        LookupConnection lookups,
        List<String> path,
        List<String> parts,
        Connection application,
        BooleanSupplier idle) {
      this.reader = reader;
      this.lookups = lookups;
      this.path = path;
      this.parts = parts;
      this.application = application;
      this.idle = idle;
    }

    Optional<TableInfo> ask() throws SQLException {
      if (onApplication) {
        return reader.find(application, path, parts);
      }
      try {
        return lookups.use(connection -> reader.find(connection, path, parts));
      } catch (SQLException e) {
        if (reader.dialect() == Dialect.SQLITE && !idle.getAsBoolean()) {
          // Its transaction is what locks the file; within it the schema can be read.
          return reader.find(application, path, parts);
        }
        throw e;
      }
    }
  }

  private static boolean lacksColumns(SchemaReader reader, TableInfo info) {
    Status status = reader.status(info);
    return status == Status.NOT_PREPARED || status == Status.COPIED;
  }

  private static Table table(SchemaReader reader, String home, TableInfo info) {
    return new Table(
        info.schema().equals(home) ? info.name() : info.schema() + "." + info.name(),
        reader.status(info),
        info.applicationColumns(),
        reader.auxiliaryVisible(),
        info.traits(),
        List.of(info.schema(), info.name()),
        info.starColumns());
  }
}
