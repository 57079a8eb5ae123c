package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import io.txwatch.history.IsolationLevel;
import java.util.Optional;

/**
 * What follows from the versions of writers that are not watched, where a DBMS names the writer of
 * each version by an id, as PostgreSQL does ({@code xmin}).
 *
 * <p>A transaction read a version of a row, and later overwrote another version, which it had not
 * read and whose writer was not observed. That version is later than the one that was read, since
 * it was current when it was overwritten. So its writer had committed between the two, and the
 * update is lost: {@code reader -rw-> writer -ww-> reader}.
 *
 * <p>This needs proof that the version was not written by the overwriting transaction itself, in a
 * function or a trigger that was not observed. PostgreSQL assigns ids in ascending order, and the
 * id of a transaction before those of the parts of it that begin with a savepoint. A version with
 * an older id than the one of the whole transaction is therefore of another.
 *
 * <p>A read that a savepoint took back proves nothing: its lock on the table was released, so a
 * definition may have rewritten the rows since, as {@code ALTER TABLE} does.
 *
 * <p>The same holds for a watched writer whose statement did not return what it replaced, as an
 * item of a batch: there it is known whose the version is.
 *
 * <p>At REPEATABLE READ and above, PostgreSQL rejects such an update, so nothing is concluded
 * there. Nothing but these two dependencies is concluded either: the writer may be a watched
 * transaction that wrote in a function.
 */
final class UnwatchedWriters {

  private static final long XID_BITS = 0xffff_ffffL;

  private UnwatchedWriters() {}

  /** Emits the dependencies from and to a writer that can no longer be observed. */
  static void conclude(Transaction writer, ShedRows shed, DependencyListener out) {
    for (Version version : writer.writes) {
      for (Version next = version.firstNext; next != null; next = next.sibling) {
        boolean isOfAnother = next.writer != null && isOlder(version.writerId, next.writer.wholeId);
        Optional<Read> lost = isOfAnother ? lostRead(version, next) : Optional.empty();
        if (lost.isPresent() && shed.isComplete(version.row, lost.get().reader)) {
          conclude(writer, lost.get(), version, next, out);
        }
      }
    }
  }

  private static void conclude(
      Transaction writer, Read read, Version version, Version next, DependencyListener out) {
    Transaction reader = read.reader;
    if (writer.outcome == null) {
      writer.committedUnwatched("xid " + (version.writerId & XID_BITS) + ", not watched", reader);
      out.committed(writer);
    }
    Row row = version.row;
    out.dependency(
        new Edge(
            reader,
            writer,
            DependencyKind.RW,
            row,
            read.statement,
            0,
            read.evidenceOfUnknownColumns()));
    out.dependency(
        new Edge(writer, reader, DependencyKind.WW, row, 0, next.statement, EdgeEvidence.ITEM));
  }

  /**
   * The last read by the overwriting transaction of an earlier version of the row; empty if there
   * is none, or if anything is not certain.
   *
   * @param version is surely of another transaction than the one that overwrote it
   */
  static Optional<Read> lostRead(Version version, Version next) {
    Transaction reader = next.writer;
    if (!version.hasIdByDbms()
        || version.row.broken
        || next.fate != Fate.SURVIVED
        || !next.certain
        || reader == null
        || !(reader.readsCount || reader.committing)
        || reader.hasGap()
        || !reader.level().isKnown()
        || reader.level().compareTo(IsolationLevel.READ_COMMITTED) > 0) {
      return Optional.empty();
    }
    Read last = null;
    for (Read read : reader.reads) {
      if (read.version.row == version.row && !read.isOwn && read.statement < next.statement) {
        if (read.evidence != EdgeEvidence.ITEM || !read.isExact() || read.version == version) {
          return Optional.empty();
        }
        boolean isLater = last == null || last.statement < read.statement;
        last = isLater && !reader.isUndone(read.statement) ? read : last;
      }
    }
    return Optional.ofNullable(last).filter(read -> isOfAnother(read, reader));
  }

  /**
   * Whether what a transaction read is surely not its own: a version that it had written in a
   * function, and then undid, would be later than the one that it overwrote.
   */
  private static boolean isOfAnother(Read read, Transaction reader) {
    Transaction writer = read.version.writer;
    return read.returned()
        && writer != null
        && writer != reader
        && (writer.observed || isOlder(read.version.writerId, reader.wholeId));
  }

  /** Whether an id was assigned before another one of the same server; ids are used in a circle. */
  private static boolean isOlder(long id, long other) {
    boolean sameServer = other != 0 && id >>> Integer.SIZE == other >>> Integer.SIZE;
    return sameServer && (int) (other - id) > 0;
  }
}
