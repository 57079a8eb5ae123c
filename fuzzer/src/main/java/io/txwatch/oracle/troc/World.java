package io.txwatch.oracle.troc;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One of the states that an execution may have reached: the versions of all rows, and what each
 * open transaction may see.
 */
final class World {

  /** A row of a table. */
  record RowId(String table, long row) {}

  /**
   * A version that is not among those of its row.
   *
   * @param data null if the row is deleted
   * @param until the last moment at which it may have existed
   */
  record UndoneVersion(RowId row, @Nullable List<@Nullable Object> data, int until) {}

  final ChangeHistory versions;

  /** When each open transaction took its snapshot. */
  final Map<OpenTransaction, SnapshotTimes> snapshots = new HashMap<>();

  /** The newest version at each savepoint of an open transaction. */
  final Map<OpenTransaction, Map<String, Integer>> savepoints = new HashMap<>();

  /** The rows whose index entries may be wrong ({@link Mechanism#STALE_CHILD_INDEX}). */
  final Set<RowId> stale = new HashSet<>();

  /**
   * Versions that were rolled back, or may be what a blocked statement has written so far ({@link
   * Mechanism#DIRTY_TARGET}).
   */
  final Set<UndoneVersion> undone = new HashSet<>();

  World(ChangeHistory versions) {
    this.versions = versions;
  }

  /** A copy that can be changed by itself. */
  World copy() {
    World copy = new World(versions.copy());
    copy.snapshots.putAll(snapshots);
    savepoints.forEach((transaction, own) -> copy.savepoints.put(transaction, new HashMap<>(own)));
    copy.stale.addAll(stale);
    copy.undone.addAll(undone);
    return copy;
  }

  /** When a transaction took its snapshot. */
  SnapshotTimes snapshot(OpenTransaction transaction) {
    return snapshots.getOrDefault(transaction, SnapshotTimes.NO_SNAPSHOT);
  }

  /** True if the other world is in the same state. */
  boolean isSame(World other) {
    return versions.hasSameVersions(other.versions)
        && snapshots.equals(other.snapshots)
        && savepoints.equals(other.savepoints)
        && stale.equals(other.stale)
        && undone.equals(other.undone);
  }
}
