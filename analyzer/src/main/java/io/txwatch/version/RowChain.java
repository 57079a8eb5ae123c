package io.txwatch.version;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The versions of the row with a key, oldest first, as far as they are kept. */
final class RowChain {

  /** The most versions that are kept, while reads of them may have to be resolved. */
  static final int MAX_VERSIONS = 512;

  final String table;
  final long key;
  final List<RowVersion> versions = new ArrayList<>(2);

  /** Reads that were sent earlier may have returned a version that is not kept any more. */
  long keptSince = Long.MIN_VALUE;

  RowChain(String table, long key) {
    this.table = table;
    this.key = key;
  }

  void add(RowVersion version) {
    versions.add(version);
  }

  @Nullable RowVersion last() {
    return versions.isEmpty() ? null : versions.get(versions.size() - 1);
  }

  /** The version of the same row before another one that another statement wrote. */
  @Nullable RowVersion before(RowVersion version) {
    for (int i = versions.indexOf(version) - 1; i >= 0; i--) {
      RowVersion other = versions.get(i);
      if (!other.isOfSameStatement(version)) {
        return other.rowId == version.rowId ? other : null;
      }
    }
    return null;
  }

  /** The last version before another one that another transaction wrote. */
  @Nullable RowVersion beforeWriter(RowVersion version) {
    for (int i = versions.indexOf(version) - 1; i >= 0; i--) {
      if (versions.get(i).by != version.by) {
        return versions.get(i);
      }
    }
    return null;
  }

  /** Whether another version of the same writer follows, so that no other one could see it. */
  boolean isIntermediate(int index) {
    return index + 1 < versions.size()
        && versions.get(index).by != null
        && versions.get(index + 1).by == versions.get(index).by;
  }

  /**
   * Drops the oldest versions.
   *
   * @param needed reads that were sent earlier need not be resolved any more
   * @return how many were dropped
   */
  int prune(long needed) {
    int dropped = 0;
    while (versions.size() > 2 && versions.get(0).isDecided() && versions.get(1).isDecided()) {
      long replaced = versions.get(1).commit().returned();
      if (replaced >= needed && versions.size() < MAX_VERSIONS) {
        break;
      }
      versions.get(1).writers(); // needs the version before it
      versions.remove(0);
      dropped++;
      keptSince = Math.max(keptSince, replaced);
    }
    return dropped;
  }
}
