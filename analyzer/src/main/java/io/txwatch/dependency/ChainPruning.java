package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import java.util.ArrayDeque;
import java.util.List;

/**
 * What of the chains goes with the transactions that are discarded: versions that only they wrote
 * and read, and rows of which no version is left. A later list may name such a version again; it is
 * then the version of a writer of whom nothing is known.
 *
 * <p>Nothing is ever swept: a version is looked at when its writer, or its last reader, is
 * discarded, and again later if something else still needed it then. So the time that it takes is
 * in proportion to what goes, whatever else is remembered.
 */
final class ChainPruning {

  /** Over so many vanished versions it is looked for a write that stands on them. */
  private static final int MAX_STEPS = 64;

  /** A version that is to be looked at once only what was named after a time is kept. */
  private record Deferred(Version version, long since) {}

  private final VersionTable versions;
  private final ArrayDeque<Deferred> deferred = new ArrayDeque<>();

  ChainPruning(VersionTable versions) {
    this.versions = versions;
  }

  /** Takes a transaction that is being discarded out of the readers of what it read. */
  void discarded(Transaction transaction) {
    for (Read read : transaction.reads) {
      Version version = read.version;
      version.remove(read);
      if (version.readers == null) {
        check(version);
      }
    }
    List<Version> writes = transaction.writes;
    // From above: so each has nothing on it by the time that it is looked at.
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
   * Lets go of what nobody needs any more.
   *
   * @param tables the tables that there are
   * @param since what was named at this time or later is kept
   * @param clock the time
   * @param atOnce whether a row's latest version is to go, too, when it is due, which saves reading
   *     lists down again if it stays
   */
  void prune(Iterable<Table> tables, long since, long clock, boolean atOnce) {
    for (int looks = deferred.size(); looks > 0 && deferred.getFirst().since() < since; looks--) {
      pruneOrKeep(deferred.removeFirst().version(), since, clock, atOnce);
    }
    for (Table table : tables) {
      table.created.forEach(ChainPruning::drop);
      table.created.clear();
    }
  }

  private void pruneOrKeep(Version version, long since, long clock, boolean atOnce) {
    version.awaitsPruning = false;
    boolean looksAgainByItself =
        version.readers != null || version.writer != null && !version.writer.discarded;
    if (looksAgainByItself) {
      return;
    }
    boolean latest = version.row.latest == version && version.listed;
    if (latest) { // so that the lists above it need not be read down again, if there are some soon
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
   * Whether a write stands on it, directly or with only vanished ones in between, whose transaction
   * is not discarded: another that ran beside that one may still read what was before it, and so
   * come before it. True, too, if that is too far to see.
   */
  private static boolean hasLiveSuccessor(Version version) {
    if (version.firstNext == null) {
      return false;
    }
    ArrayDeque<Version> below = null;
    Version at = version;
    for (int i = 0; i < MAX_STEPS && at != null; i++) {
      for (Version next = at.firstNext; next != null; next = next.sibling) {
        if (next.writer != null && !next.writer.discarded) {
          return true;
        }
        if (next.fate == Fate.VANISHED) {
          below = below == null ? new ArrayDeque<>() : below;
          below.add(next);
        }
      }
      at = below == null ? null : below.poll();
    }
    return at != null;
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

  /** Drops a row of which nothing is left. */
  static void drop(Row row) {
    if (row.versions == 0
        && row.initial.readers == null
        && (!row.broken || row.owner().broken)
        && row.owner().rows.get(row.id()) == row) {
      row.owner().remove(row);
    }
  }
}
