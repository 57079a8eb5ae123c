package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import java.util.List;

/** What of the chains goes with the transactions that were forgotten. */
final class VersionSweep {

  private VersionSweep() {}

  /**
   * Lets go of versions that only forgotten transactions wrote and read. A later list may name them
   * again; they are then the versions of a writer of whom nothing is known. What was named since a
   * time stays, and so does the last one of a row that was in use since the last sweep, so that the
   * lists above it need not be read down again.
   */
  static void sweep(VersionTable versions, List<Table> tables, long since) {
    versions.forEach(
        version -> {
          prune(version);
          version.kept =
              version.readers != null
                  || version.writer != null && !version.writer.forgotten
                  || version.namedAt >= since
                  || version.row.latest == version && version.listed;
          version.firstNext = null;
        });
    versions.forEach(VersionSweep::keepBase);
    tables.forEach(
        table -> {
          PredicateReads.sweep(table);
          table.rows.forEach(
              row -> {
                prune(row.initial);
                row.initial.firstNext = null;
                row.initial.kept = true;
                row.latest = null;
                row.metVersion = null;
                row.used = row.broken || row.initial.readers != null;
              });
        });
    versions.forEach(VersionSweep::relink);
    versions.sweep();
    tables.forEach(
        table -> {
          table.rows.forEach(
              row -> {
                if (row.initial.successor != null && !row.initial.successor.kept) {
                  row.initial.successor = null;
                }
              });
          table.rows.removeIf(row -> !row.used);
        });
  }

  /**
   * Keeps what a write stands on whose transaction is not forgotten: another that ran beside it may
   * still read that, and so come before it.
   */
  private static void keepBase(Version version) {
    if (version.writer == null || version.writer.forgotten) {
      return;
    }
    Version base = version.previous;
    while (base != null && !base.kept) {
      base.kept = true;
      base = base.fate == Fate.VANISHED ? base.previous : null;
    }
  }

  private static void relink(Version version) {
    if (!version.kept) {
      return;
    }
    version.row.used = true;
    Version previous = version.previous;
    if (previous != null && previous.kept) {
      version.sibling = previous.firstNext;
      previous.firstNext = version;
    } else if (previous != null) {
      version.previous = null;
      version.sibling = null;
      version.cut = true;
    }
    if (version.successor != null && !version.successor.kept) {
      version.successor = null;
    }
  }

  /** Takes the forgotten out of a version's readers. */
  private static void prune(Version version) {
    Read kept = null;
    Read read = version.readers;
    while (read != null) {
      Read next = read.next;
      if (!read.reader.forgotten) {
        read.next = kept;
        kept = read;
      }
      read = next;
    }
    version.readers = kept;
  }
}
