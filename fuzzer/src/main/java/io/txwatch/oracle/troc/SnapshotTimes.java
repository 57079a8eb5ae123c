package io.txwatch.oracle.troc;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When a transaction took its snapshot: of all tables at once, or of each at a time of its own.
 *
 * @param ofAll the moment of all tables that have none of their own; {@link #NONE} if there is none
 * @param ofTables the moments of single tables
 */
record SnapshotTimes(int ofAll, Map<String, Integer> ofTables) {

  /** No snapshot has been taken. */
  static final int NONE = -1;

  /** A transaction without a snapshot. */
  static final SnapshotTimes NO_SNAPSHOT = new SnapshotTimes(NONE, Map.of());

  /** A snapshot of all tables. */
  static SnapshotTimes at(int moment) {
    return new SnapshotTimes(moment, Map.of());
  }

  /** The moment of a table's snapshot; {@link #NONE} if it has none. */
  int of(String table) {
    return ofTables.getOrDefault(table, ofAll);
  }

  /** The same with a snapshot of these tables, of those that have none yet. */
  SnapshotTimes with(Set<String> tables, int moment) {
    Map<String, Integer> all = new HashMap<>(ofTables);
    tables.forEach(table -> all.putIfAbsent(table, moment));
    return new SnapshotTimes(ofAll, all);
  }
}
