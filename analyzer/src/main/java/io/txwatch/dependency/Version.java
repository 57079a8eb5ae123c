package io.txwatch.dependency;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A version of a row: the name of the write that made it, and its place among the other versions.
 *
 * <p>{@code previous} is what the write physically stood on, whoever wrote it. VersionLookup that
 * vanished (their transaction aborted, or went back to a savepoint) stay in the chain, so that what
 * was read from them is known for what it is; the walks step over them.
 */
final class Version {

  /** What has become of a version. */
  enum Fate {
    /** Its transaction has not ended, or how it ended is not known. */
    OPEN,
    /** Its transaction committed, and it was not undone. The version before all writes survived. */
    SURVIVED,
    /** Its transaction aborted, or undid it. */
    VANISHED
  }

  final Row row;

  /** Null for the version before the first watched write. */
  @Nullable Transaction writer;

  final int statement;
  Fate fate;

  /** True for the end of a row: a DELETE's mark, which nothing can read. */
  boolean deletion;

  /** True if the statement's own event told of the write, not only a later list. */
  boolean certain;

  /** True if an INSERT made it: before it there was no row. */
  boolean insertion;

  /**
   * When it was known to have survived, or was first met by a predicate without its writer being
   * known, on {@link PredicateReads}' clock; 0 before that.
   */
  long appeared;

  /** True once the list that came with this very version was read. */
  boolean listed;

  /** Null if not known, or {@linkplain #cut discarded}. */
  @Nullable Version previous;

  /** True once what it stands on was discarded: its lists are read no further. */
  boolean cut;

  /** When it was named last, on the clock of arriving events. */
  long lastMentionedAt;

  /** Whether {@link ChainPruning} is to look at it. */
  boolean awaitsPruning;

  /** The versions written on this one: more than one only if the others vanished. */
  @Nullable Version firstNext;

  @Nullable Version sibling;
  @Nullable Version siblingBefore;
  @Nullable Read readers;

  /** The first surviving version that was found to stand on this one. */
  @Nullable Version successor;

  Version(Row row, @Nullable Transaction writer, int statement) {
    this.row = row;
    this.writer = writer;
    this.statement = statement;
    this.fate = writer == null ? Fate.SURVIVED : Fate.OPEN;
  }

  /** Whether it is a deletion of which only a read before the DELETE told. */
  boolean isDoubtful() {
    return deletion && !certain;
  }

  /**
   * The surviving versions that stand on this one, or on vanished ones that do. Without recursion:
   * a transaction may have written one row a hundred thousand times.
   */
  void forEachSurvivor(Consumer<Version> action) {
    ArrayDeque<Version> vanished = null;
    Version from = this;
    while (from != null) {
      for (Version next = from.firstNext; next != null; next = next.sibling) {
        if (next.fate == Fate.SURVIVED) {
          action.accept(next);
        } else if (next.fate == Fate.VANISHED && next.firstNext != null) {
          vanished = vanished == null ? new ArrayDeque<>() : vanished;
          vanished.add(next);
        }
      }
      from = vanished == null ? null : vanished.poll();
    }
  }

  /** Stands on a version from now on. */
  void setPrevious(Version lower) {
    previous = lower;
    sibling = lower.firstNext;
    if (sibling != null) {
      sibling.siblingBefore = this;
    }
    lower.firstNext = this;
  }

  /** Stands on no version any more. */
  void unlinkPrevious() {
    if (previous != null && siblingBefore == null) {
      previous.firstNext = sibling;
    } else if (siblingBefore != null) {
      siblingBefore.sibling = sibling;
    }
    if (sibling != null) {
      sibling.siblingBefore = siblingBefore;
    }
    previous = null;
    sibling = null;
    siblingBefore = null;
  }

  /** Takes a read of it out of the list. */
  void remove(Read read) {
    if (read.before == null) {
      readers = read.next;
    } else {
      read.before.next = read.next;
    }
    if (read.next != null) {
      read.next.before = read.before;
    }
    read.next = null;
    read.before = null;
  }

  boolean is(long transaction, int number) {
    return writer != null && writer.id() == transaction && statement == number;
  }

  /** A read of a version, in the list of its readers. */
  static class Read {
    final Version version;
    final Transaction reader;
    final int statement;
    final EdgeEvidence evidence;
    @Nullable Read next;
    @Nullable Read before;

    Read(Version version, Transaction reader, int statement, EdgeEvidence evidence) {
      this.version = version;
      this.reader = reader;
      this.statement = statement;
      this.evidence = evidence;
      this.next = version.readers;
      if (next != null) {
        next.before = this;
      }
      version.readers = this;
    }
  }
}
