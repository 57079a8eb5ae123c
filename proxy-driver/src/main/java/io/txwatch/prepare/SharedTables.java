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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one URL and user know of its tables: a cache, the connection that fills it,
 * and, if asked for, the preparation of tables at first sight. Thread-safe.
 *
 * <p>Every invalidation raises {@link #version}; an answer that was on its way meanwhile is given
 * but not kept. A lookup that failed is given as a table that cannot be watched, and raises the
 * version a little later, so that it is tried again.
 */
final class SharedTables {

  private static final Map<String, SharedTables> OPEN = new HashMap<>();

  private static final long RETRY_NANOS = 2_000_000_000L;

  private final String key;
  private final SchemaReader reader;
  private final boolean ownConnectionOnly;
  private final LookupConnection lookups;
  private final @Nullable AutoPreparation preparation;
  private final Map<String, Table> tables = new ConcurrentHashMap<>();
  private final AtomicLong version = new AtomicLong();
  private volatile long retryAt;
  private volatile boolean retryWanted;
  private int sessions;

  private SharedTables(
      String key,
      DatabaseProbe probe,
      SchemaReader reader,
      ConnectionSource source,
      boolean autoPrepare,
      Consumer<String> notices) {
    this.key = key;
    this.reader = reader;
    boolean privateDatabase = DatabaseProbe.isPrivatePlace(probe.database().place());
    this.ownConnectionOnly = privateDatabase || reader.dialect() == Dialect.SQLITE;
    this.lookups = new LookupConnection(source, reader);
    this.preparation =
        autoPrepare ? new AutoPreparation(reader, lookups, privateDatabase, notices) : null;
  }

  /** The tables behind that key, for one more session. */
  static SharedTables enter(
      String key,
      DatabaseProbe probe,
      SchemaReader reader,
      ConnectionSource source,
      boolean autoPrepare,
      Consumer<String> notices) {
    synchronized (OPEN) {
      SharedTables shared =
          OPEN.computeIfAbsent(
              key, k -> new SharedTables(k, probe, reader, source, autoPrepare, notices));
      shared.sessions++;
      return shared;
    }
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
    lookups.close();
  }

  long version() {
    if (retryWanted && System.nanoTime() - retryAt >= 0) {
      retryWanted = false;
      version.incrementAndGet();
    }
    return version.get();
  }

  void invalidate() {
    version.incrementAndGet();
    tables.clear();
  }

  /** Where that connection looks unqualified names up, asked of itself. */
  List<String> path(Connection connection) throws SQLException {
    return reader.path(connection);
  }

  Optional<Table> find(
      List<String> path, List<String> parts, Connection application, BooleanSupplier idle) {
    String asked = String.join("\0", path) + "\0\0" + String.join("\0", parts);
    Table known = tables.get(asked);
    if (known != null) {
      return Optional.of(known);
    }
    long before = version.get();
    try {
      Optional<TableInfo> info = lookUp(path, parts, application);
      if (info.isPresent() && preparation != null && status(info.get()) == Status.NOT_PREPARED) {
        AutoPreparation.Outcome outcome = preparation.prepare(info.get(), application, idle);
        if (outcome == AutoPreparation.Outcome.PREPARED) {
          invalidate();
          before = version.get();
          info = lookUp(path, parts, application);
        } else if (outcome == AutoPreparation.Outcome.LATER) {
          retryLater(RETRY_NANOS);
          return info.map(found -> table(path, found));
        }
      }
      Optional<Table> table = info.map(found -> table(path, found));
      if (table.isPresent()) {
        tables.put(asked, table.get());
        if (version.get() != before) {
          tables.remove(asked);
        }
      }
      return table;
    } catch (SQLException | RuntimeException e) {
      retryLater(RETRY_NANOS);
      return Optional.of(
          new Table(String.join(".", parts), Status.NOT_A_BASE_TABLE, List.of(), false));
    }
  }

  private void retryLater(long nanos) {
    retryAt = System.nanoTime() + nanos;
    retryWanted = true;
  }

  private Optional<TableInfo> lookUp(List<String> path, List<String> parts, Connection application)
      throws SQLException {
    return ownConnectionOnly
        ? reader.find(application, path, parts)
        : lookups.use(connection -> reader.find(connection, path, parts));
  }

  private Status status(TableInfo info) {
    return info.status(reader.isPrepared(info));
  }

  private Table table(List<String> path, TableInfo info) {
    String home = path.isEmpty() ? "" : path.get(0);
    boolean atHome = info.schema().equals(home) || info.schema().equals("main");
    return new Table(
        atHome ? info.name() : info.schema() + "." + info.name(),
        status(info),
        info.applicationColumns(),
        reader.auxiliaryVisible());
  }
}
