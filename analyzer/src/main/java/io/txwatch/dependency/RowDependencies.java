package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies that follow from the versions of one row, with its columns as items (Adya 1999,
 * section 3.1). Let W(v) be the columns that version v wrote, and R(v) those of the version before
 * it that its statement read.
 *
 * <ul>
 *   <li>A read of column c in version v read what the last version up to v wrote to c: <b>wr</b>
 *       from that writer. <b>rw</b> leads to the writer of the first version after v with c in W.
 *   <li>A write of v depends on the last version before it with a column of W(v) (<b>ww</b>), or of
 *       R(v) (<b>wr</b>); and the next version that wrote a column of R(v) depends on it
 *       (<b>rw</b>). Of these one is emitted for two versions, the first in this order. Two writes
 *       of disjoint columns, neither of which read what the other wrote, have no dependency.
 * </ul>
 *
 * <p>Without dirty reads, each of these implies a path of dependencies, in the same direction, with
 * whole rows as items. So fewer cycles exist, and no others. If all columns are written and read,
 * both are the same.
 *
 * <p>Versions that vanished count for nothing, and one whose fate is open ends every walk.
 */
final class RowDependencies {

  private final DependencyListener out;
  private final BiConsumer<Version, Version> onNextSurvivor;
  private final boolean usesTargets;
  private long rowLevel;

  /**
   * Emits to {@code out}.
   *
   * @param onNextSurvivor receives a survivor and the next one above it
   * @param usesTargets whether {@link KeyedWrites} count
   */
  RowDependencies(
      DependencyListener out, BiConsumer<Version, Version> onNextSurvivor, boolean usesTargets) {
    this.out = out;
    this.onNextSurvivor = onNextSurvivor;
    this.usesTargets = usesTargets;
  }

  /** The number of neighboring versions, or reads and versions, that only the row connects. */
  long rowLevel() {
    return rowLevel;
  }

  /** A version's fate is known now. */
  void settled(Version version) {
    boolean survived = version.fate == Fate.SURVIVED;
    if (survived && version.previous != null) {
      walkDown(version, version.previous, version.written(), version.read, true);
    }
    if (version.firstNext != null) {
      ChainWalk.above(version, ColumnBits.ALL, (next, covered) -> above(version, next, covered));
    }
    if (version.readers != null) {
      forEachReader(version, this::inferFromWriters);
    }
  }

  private void above(Version version, Version next, long covered) {
    boolean survived = version.fate == Fate.SURVIVED;
    if (next.fate == Fate.SURVIVED) {
      long written = next.written() & ~covered;
      if (survived) {
        connect(version, next, written, next.read & ~covered, covered == 0);
        if (covered == 0) {
          onNextSurvivor.accept(version, next);
        }
      }
      if (next.writer == version.writer) {
        inferReadersToOverwriter(version, next, written);
      }
    }
    if (version.previous != null) {
      passWriteBelow(next, survived ? covered | version.written() : covered, version.previous);
    }
    passReadsBelow(next, covered, survived ? version : version.previous);
  }

  /** The version before another one is known now. */
  void linked(Version upper, Version lower) {
    if (upper.fate == Fate.OPEN) {
      return;
    }
    passBelow(upper, 0, lower);
    if (upper.firstNext != null) {
      long own = upper.fate == Fate.SURVIVED ? upper.written() : 0;
      ChainWalk.above(
          upper, ColumnBits.ALL, (next, covered) -> passBelow(next, covered | own, lower));
    }
  }

  /** Emits what follows from a read whose reader committed. */
  void settled(Read read) {
    inferFromWriters(read);
    if (read.version.firstNext != null) {
      ChainWalk.above(
          read.version,
          read.columns,
          (next, covered) -> {
            if (next.fate == Fate.SURVIVED) {
              inferToOverwriter(read, next, next.written() & ~covered);
            }
          });
    }
  }

  private void passBelow(Version version, long covered, Version below) {
    passWriteBelow(version, covered, below);
    passReadsBelow(version, covered, below);
  }

  /** Goes on below with the columns that a version wrote or read, and none in between wrote. */
  private void passWriteBelow(Version version, long covered, Version below) {
    long written = version.written() & ~covered;
    long read = version.read & ~covered;
    if (version.fate == Fate.SURVIVED && (written | read) != 0) {
      walkDown(version, below, written, read, covered == 0);
    }
  }

  /**
   * Goes on below with what reads of a version read that neither it nor others in between wrote.
   */
  private void passReadsBelow(Version version, long covered, @Nullable Version below) {
    long hidden = covered | version.written();
    if (version.readers == null || below == null || hidden == ColumnBits.ALL) {
      return;
    }
    forEachReader(
        version,
        read -> {
          if (countsAsRead(read)) {
            readDown(read, below, read.columns & ~hidden);
          }
        });
  }

  /**
   * Walks from a survivor down to the versions that wrote the columns that it wrote and read.
   *
   * @param next whether no other survivor is between the two
   */
  private void walkDown(
      Version survivor, Version from, long allWritten, long allRead, boolean next) {
    long written = allWritten;
    long read = allRead;
    boolean isNext = next;
    int left = ChainWalk.MAX_STEPS;
    for (Version version = from; version != null; version = version.previous) {
      if (written != 0) {
        inferReadersToOverwriter(version, survivor, written);
      }
      if (version.fate == Fate.OPEN) {
        return;
      }
      if (version.fate == Fate.SURVIVED) {
        connect(version, survivor, written, read, isNext);
        if (isNext) {
          onNextSurvivor.accept(version, survivor);
          isNext = false;
        }
        written &= ~version.written();
        read &= ~version.written();
        if ((written | read) == 0 || isEndOfWalk(version) || --left == 0) {
          return;
        }
      }
    }
  }

  /** Whether only transactions that are discarded too can have written what is below. */
  private static boolean isEndOfWalk(Version version) {
    return version.writer == null || version.writer.discarded;
  }

  private void connect(Version version, Version survivor, long written, long read, boolean isNext) {
    Transaction from = version.writer;
    Transaction to = survivor.writer;
    if (survivor.row.broken || from == null || to == null || from == to) {
      return;
    }
    DependencyKind kind = DependencyKind.WW;
    long common = version.written() & written;
    if (common == 0) {
      kind = DependencyKind.WR;
      common = version.written() & read;
    }
    if (common == 0) {
      kind = DependencyKind.RW;
      common = version.read & written;
    }
    if (common == 0) {
      rowLevel += isNext ? 1 : 0;
      return;
    }
    boolean isPossible =
        survivor.isDoubtful()
            || kind == DependencyKind.WR && version.isOfUnknownStatement()
            || kind == DependencyKind.RW && survivor.isOfUnknownStatement();
    out.dependency(
        new Edge(
            from,
            to,
            kind,
            version.row,
            version.statement,
            survivor.statement,
            isPossible ? EdgeEvidence.POSSIBLE_ITEM : EdgeEvidence.ITEM,
            common));
  }

  /** Emits from whom a read read, and whom a DELETE preceded. */
  void inferFromWriters(Read read) {
    Version version = read.version;
    if (read instanceof MissedByDelete) {
      inferMissed(read);
      return;
    }
    if (version.row.broken || version.fate == Fate.OPEN || !countsAsRead(read)) {
      return;
    }
    long common = read.columns & version.written();
    if (version.writer != null && version.writer != read.reader) {
      if (common == 0) {
        rowLevel++;
      } else {
        inferFromWriter(read, version, common);
      }
    }
    if (version.previous != null && common != read.columns) {
      readDown(read, version.previous, read.columns & ~common);
    }
  }

  /** Emits who wrote last, up to a version that a DELETE missed, what its predicate uses. */
  private void inferMissed(Read read) {
    int left = ChainWalk.MAX_STEPS;
    for (Version version = read.version;
        version != null && version.fate != Fate.OPEN && !version.row.broken && left-- > 0;
        version = version.previous) {
      long common = read.columns & version.written();
      if (version.fate == Fate.SURVIVED && common != 0) {
        Transaction writer = version.writer;
        if (writer != null && writer != read.reader && writer.endedAt > read.reader.beganAt) {
          out.dependency(
              new Edge(
                  read.reader,
                  writer,
                  DependencyKind.RW,
                  version.row,
                  read.statement,
                  version.statement,
                  version.isDoubtful() ? EdgeEvidence.POSSIBLE_PREDICATE : read.evidence,
                  common));
        }
        return;
      }
    }
  }

  /** Whether it is a read of something that its reader did not write, as far as known. */
  private static boolean countsAsRead(Read read) {
    return read.returned()
        && read.followsWriter()
        && (read.isOwn || read.version.writer != read.reader);
  }

  /** Walks down to the versions that wrote the columns that were read. */
  private void readDown(Read read, Version from, long columns) {
    long wanted = columns;
    int left = ChainWalk.MAX_STEPS;
    for (Version version = from; version != null && wanted != 0; version = version.previous) {
      if (version.fate == Fate.OPEN || version.row.broken) {
        return;
      }
      if (version.fate == Fate.SURVIVED) {
        long common = wanted & version.written();
        if (common != 0 && version.writer != null && version.writer != read.reader) {
          inferFromWriter(read, version, common);
        }
        wanted &= ~common;
        if (isEndOfWalk(version) || --left == 0) {
          return;
        }
      }
    }
  }

  private void inferFromWriter(Read read, Version version, long common) {
    Transaction writer = version.writer;
    if (writer == null) {
      return;
    }
    if (version.fate == Fate.SURVIVED && writer.cannotHaveWritten(version.statement)) {
      if (read.evidence == EdgeEvidence.ITEM) {
        reportWrongRead(WrongRead.GARBAGE, writer, read, version);
      }
    } else if (version.fate == Fate.SURVIVED) {
      out.dependency(
          new Edge(
              writer,
              read.reader,
              DependencyKind.WR,
              version.row,
              version.statement,
              read.statement,
              version.evidenceOf(read),
              common));
    } else if (version.fate == Fate.VANISHED && read.evidence == EdgeEvidence.ITEM) {
      reportWrongRead(WrongRead.ABORTED, writer, read, version);
    }
  }

  private void reportWrongRead(WrongRead why, Transaction writer, Read read, Version version) {
    out.wrongRead(
        why, Edge.ofRead(writer, read.reader, version.row, version.statement, read.statement));
  }

  private void inferReadersToOverwriter(Version version, Version survivor, long written) {
    if (version.readers != null) { // most versions have no readers, and the call would allocate
      forEachReader(version, read -> inferToOverwriter(read, survivor, written));
    }
  }

  /**
   * Emits that a read did not see a later version.
   *
   * @param written the columns that the version wrote, and none between it and the read
   */
  private void inferToOverwriter(Read read, Version survivor, long written) {
    Transaction writer = survivor.writer;
    Version version = read.version;
    long common = read.columns & written;
    if (version.row.broken
        || common == 0
        || writer == null
        || writer == read.reader
        || read instanceof MissedByDelete
        || !read.precedesOverwriter()
        || version.writer == read.reader && !read.isOwn) { // whose id was not known when it read
      return;
    }
    if (read instanceof SkippedByDelete skipped) {
      if (skipped.sawOverwriteBy(survivor)) {
        inferSkipFromOverwriter(read, writer, survivor, common);
      }
    } else if (version.writer != writer) {
      inferReadBeforeOverwriter(read, writer, survivor, common);
    } else if (version.fate != Fate.OPEN) {
      inferReadBetween(read, writer, survivor, common);
    }
  }

  /** A read of one version of a transaction, which wrote a later one too. */
  private void inferReadBetween(Read read, Transaction writer, Version survivor, long common) {
    Version version = read.version;
    long own = lastWrittenBy(writer, version, common);
    if (own != 0
        && version.fate == Fate.SURVIVED
        && read.evidence == EdgeEvidence.ITEM
        && !survivor.isDoubtful()
        && !version.hasIdByDbms()) {
      reportWrongRead(WrongRead.INTERMEDIATE, writer, read, version);
    }
    if (common != own) {
      inferReadBeforeOverwriter(read, writer, survivor, common & ~own);
    }
  }

  /** The columns that a transaction was the last to write, up to a version. */
  private static long lastWrittenBy(Transaction writer, Version upTo, long columns) {
    long wanted = columns;
    long own = 0;
    int left = ChainWalk.MAX_STEPS;
    for (Version version = upTo;
        version != null && wanted != 0 && left > 0;
        version = version.previous) {
      if (version == upTo || version.fate == Fate.SURVIVED || willSurvive(version, writer)) {
        long common = wanted & version.written();
        own |= version.writer == writer ? common : 0;
        wanted &= ~common;
        left--;
      }
    }
    return own;
  }

  /** Whether a version will be settled by the commit of its writer that is being processed. */
  private static boolean willSurvive(Version version, Transaction writer) {
    return version.fate == Fate.OPEN
        && version.writer == writer
        && writer.committing
        && !version.isUndone()
        && !writer.mayHaveFailedToWrite(version)
        && writer.isObservedWrite(version);
  }

  /** Emits that a DELETE skipped a row because of an overwrite. */
  private void inferSkipFromOverwriter(
      Read read, Transaction writer, Version survivor, long common) {
    out.dependency(
        new Edge(
            writer,
            read.reader,
            DependencyKind.WR,
            survivor.row,
            survivor.statement,
            read.statement,
            survivor.isDoubtful() ? EdgeEvidence.POSSIBLE_PREDICATE : EdgeEvidence.PREDICATE,
            common));
  }

  /** Emits that a read did not see an overwrite, and that a write of its reader followed it. */
  private void inferReadBeforeOverwriter(
      Read read, Transaction writer, Version survivor, long common) {
    out.dependency(
        new Edge(
            read.reader,
            writer,
            DependencyKind.RW,
            survivor.row,
            read.statement,
            survivor.statement,
            read.evidence == EdgeEvidence.ITEM && survivor.isDoubtful()
                ? EdgeEvidence.POSSIBLE_ITEM
                : survivor.evidenceOf(read),
            common));
    if (usesTargets) {
      KeyedWrites.overwriteAfter(survivor, read).ifPresent(out::dependency);
    }
  }

  private static void forEachReader(Version version, Consumer<Read> action) {
    for (Read read = version.readers; read != null; read = read.next) {
      if (read.reader.readsCount) {
        action.accept(read);
      }
    }
  }
}
