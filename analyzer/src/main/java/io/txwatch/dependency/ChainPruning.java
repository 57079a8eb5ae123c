package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes from the chains what is discarded with its transactions: versions that only discarded
 * transactions wrote and read, and rows without versions. A later writers' list may mention such a
 * version again; its writer is then unknown.
 *
 * <p>There is no sweep. A version is checked when its writer or its last reader is discarded, and
 * again later if something still needed it. The cost is proportional to what is removed, however
 * much is retained.
 */
final class ChainPruning {

  /** The vanished versions that the search for a live successor passes at most. */
  private static final int MAX_STEPS = 64;

  /** A version to check again once versions mentioned at this time are no longer retained. */
  private record Deferred(Version version, long since) {}

  private final VersionTable versions;
  private final ArrayDeque<Deferred> deferred = new ArrayDeque<>();

  ChainPruning(VersionTable versions) {
    this.versions = versions;
  }

  /** Removes a transaction that is being discarded from the readers of what it read. */
  void discarded(Transaction transaction) {
    for (Read read : transaction.reads) {
      Version version = read.version;
      version.remove(read);
      if (version.readers == null) {
        check(version);
      }
    }
    List<Version> writes = transaction.writes;
    // Newest first, so that each has no successor when it is checked.
    for (int i = writes.size() - 1; i >= 0; i--) {
      check(writes.get(i));
    }
  }

  private void check(Version version) {
    if (version.writer == null) {
      drop(version.row);
    } else if (!version.awaitsPruning) {
      defer(version, version.lastMentionedAt);
    }
  }

  private void defer(Version version, long since) {
    version.awaitsPruning = true;
    deferred.addLast(new Deferred(version, since));
  }

  /**
   * Removes the versions and rows that are no longer needed.
   *
   * @param tables all tables
   * @param since versions mentioned at this time or later are retained
   * @param clock the current time
   * @param atOnce whether to remove a row's latest version as soon as it is due; keeping it for a
   *     while saves reading lists to their ends again
   */
  void prune(Iterable<Table> tables, long since, long clock, boolean atOnce) {
    for (int left = deferred.size(); left > 0 && deferred.getFirst().since() < since; left--) {
      pruneOrKeep(deferred.removeFirst().version(), since, clock, atOnce);
    }
    for (Table table : tables) {
      table.created.forEach(ChainPruning::drop);
      table.created.clear();
    }
  }

  private void pruneOrKeep(Version version, long since, long clock, boolean atOnce) {
    version.awaitsPruning = false;
    if (version.readers != null || version.writer != null && !version.writer.discarded) {
      return; // checked again when its writer or its last reader is discarded
    }
    boolean latest = version.row.latest == version && version.listed;
    if (latest) { // so that lists of later versions need not be read to their ends, should some
      // arrive soon
      version.row.latest = null;
    }
    if (version.lastMentionedAt >= since) {
      defer(version, version.lastMentionedAt);
    } else if (latest && !atOnce || hasLiveSuccessor(version)) {
      defer(version, clock);
    } else {
      prune(version);
    }
  }

  /**
   * Whether a transaction that is not discarded wrote on this version, directly or above vanished
   * versions only. Another transaction that overlapped with it may still read an earlier version
   * and so precede it. Also true if the search is too long.
   */
  private static boolean hasLiveSuccessor(Version version) {
    if (version.firstNext == null) {
      return false;
    }
    ArrayDeque<Version> below = null;
    Version at = version;
    for (int i = 0; i < MAX_STEPS && at != null; i++) {
      if (isOverwrittenByLive(at)) {
        return true;
      }
      below = addVanishedAbove(at, below);
      at = below == null ? null : below.poll();
    }
    return at != null;
  }

  private static boolean isOverwrittenByLive(Version version) {
    for (Version next = version.firstNext; next != null; next = next.sibling) {
      if (next.writer != null && !next.writer.discarded) {
        return true;
      }
    }
    return false;
  }

  /** Adds the vanished next versions to a queue, which is created for the first of them. */
  private static @Nullable ArrayDeque<Version> addVanishedAbove(
      Version version, @Nullable ArrayDeque<Version> queue) {
    ArrayDeque<Version> vanished = queue;
    for (Version next = version.firstNext; next != null; next = next.sibling) {
      if (next.fate == Fate.VANISHED) {
        vanished = vanished == null ? new ArrayDeque<>() : vanished;
        vanished.add(next);
      }
    }
    return vanished;
  }

  private void prune(Version version) {
    versions.remove(version);
    for (Version next = version.firstNext; next != null; ) {
      Version after = next.sibling;
      next.previous = null;
      next.sibling = null;
      next.siblingBefore = null;
      next.cut = true;
      next = after;
    }
    version.firstNext = null;
    for (Version base = version.previous; base != null; base = base.previous) {
      if (base.successor == version) {
        base.successor = null;
      }
      if (base.fate != Fate.VANISHED) {
        break;
      }
    }
    version.successor = null;
    version.unlinkPrevious();
    Row row = version.row;
    if (row.latest == version) {
      row.latest = null;
    }
    if (row.versionInLastSet == version) {
      row.versionInLastSet = null;
    }
    row.versions--;
    drop(row);
  }

  /** Removes a row of which nothing is left. */
  static void drop(Row row) {
    if (row.versions == 0
        && row.initial.readers == null
        && (!row.broken || row.owner().broken)
        && row.owner().rows.get(row.id()) == row) {
      row.owner().remove(row);
    }
  }
}
