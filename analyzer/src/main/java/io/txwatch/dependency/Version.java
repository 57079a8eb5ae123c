package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/**
 * A version of a row: the name of the write that made it, and its place among the other versions.
 *
 * <p>{@code previous} is what the write physically stood on, whoever wrote it. Versions that
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
  final @Nullable Transaction writer;

  final int statement;
  Fate fate;

  /** True for the end of a row: a DELETE's mark, which nothing can read. */
  boolean deletion;

  /** True if the statement's own event told of the write, not only a later list. */
  boolean certain;

  /** True once the list that came with this very version was read. */
  boolean listed;

  /** Null if not known. */
  @Nullable Version previous;

  /** The versions written on this one: more than one only if the others vanished. */
  @Nullable Version firstNext;

  @Nullable Version sibling;
  @Nullable Read readers;

  /** The first surviving version that was found to stand on this one. */
  @Nullable Version successor;

  Version(Row row, @Nullable Transaction writer, int statement) {
    this.row = row;
    this.writer = writer;
    this.statement = statement;
    this.fate = writer == null ? Fate.SURVIVED : Fate.OPEN;
  }

  boolean is(long transaction, int number) {
    return writer != null && writer.id() == transaction && statement == number;
  }

  /** A read of a version, in the list of its readers. */
  static final class Read {
    final Version version;
    final Transaction reader;
    final int statement;
    @Nullable Read next;

    Read(Version version, Transaction reader, int statement) {
      this.version = version;
      this.reader = reader;
      this.statement = statement;
      this.next = version.readers;
      version.readers = this;
    }
  }
}
