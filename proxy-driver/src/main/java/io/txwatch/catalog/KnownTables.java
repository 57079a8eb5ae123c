package io.txwatch.catalog;

import io.txwatch.plan.Catalog.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known of the tables at one version of the catalog. It is replaced as a whole: a lookup
 * that was on its way when something changed keeps its answer with the version that it began at,
 * where no one finds it any more.
 */
final class KnownTables {

  /** What is known of a table's size. */
  record Size(boolean small, long atNanos) {}

  /** A lookup that waits for a pool's next connection. */
  record Waiting(String home, List<String> path, List<String> parts) {}

  /** No version comes twice, so that plans outlive the sessions of a URL. */
  private static final AtomicLong VERSIONS = new AtomicLong();

  final long version = VERSIONS.incrementAndGet();

  /** By what is looked up: where, and which name. Empty if it is known that there is none. */
  final Map<String, Optional<Table>> tables;

  final Map<String, Size> sizes;

  /** Lookups that no connection could be used for. */
  final Map<String, Waiting> waiting;

  /** Lookups of tables whose preparation is postponed. */
  final Set<String> putOff = ConcurrentHashMap.newKeySet();

  /** Where names are looked up, by the path that is set. */
  final Map<List<String>, List<String>> paths = new ConcurrentHashMap<>();

  private KnownTables(
      Map<String, Optional<Table>> tables, Map<String, Size> sizes, Map<String, Waiting> waiting) {
    this.tables = tables;
    this.sizes = sizes;
    this.waiting = waiting;
  }

  /** Nothing is known. */
  KnownTables() {
    this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
  }

  /** Everything is looked up again. */
  KnownTables forgotten() {
    return new KnownTables();
  }

  /** The same, but tables whose preparation was postponed are looked up again. */
  KnownTables withoutPostponed() {
    Map<String, Optional<Table>> kept = new ConcurrentHashMap<>(tables);
    kept.keySet().removeAll(putOff);
    return new KnownTables(kept, sizes, waiting);
  }

  /** The same under another version, for more of it is known than plans were made with. */
  KnownTables withMore() {
    KnownTables next = new KnownTables(tables, sizes, waiting);
    next.putOff.addAll(putOff);
    return next;
  }
}
