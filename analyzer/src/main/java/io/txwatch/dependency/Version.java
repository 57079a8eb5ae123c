package io.txwatch.dependency;

import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import org.jspecify.annotations.Nullable;

/**
 * A version of a row: the write that made it, and its place among the other versions.
 *
 * <p>{@code previous} is the version that the write replaced, of any writer. Vanished versions
 * (their transaction aborted or rolled back to a savepoint) stay in the chain, so that reads of
 * them are recognized; walks along the chain skip them.
 */
final class Version {

  enum Fate {
    /** Its transaction has not ended, its outcome is unknown, or the statement failed. */
    OPEN,
    /** Its transaction committed without undoing it. The initial version has survived. */
    SURVIVED,
    /** Its transaction aborted, or undid it. */
    VANISHED
  }

  final Row row;

  /** Null for the version before the first watched write. */
  @Nullable Transaction writer;

  /** The statement's number in the writer's token; {@link WriterToken#BY_DBMS} if it has none. */
  final int number;

  /** The id in the writer's token; 0 for the version before the first watched write. */
  final long writerId;

  /** The last statement that is known to have written it, 0 if none is. */
  int statement;

  /** The first statement that is known to have written it; {@link Integer#MAX_VALUE} if none is. */
  int firstStatement;

  /**
   * The columns that it wrote, as {@link ColumnBits}; 0 while that is not known. Set before its
   * fate is.
   */
  long columns;

  /** Several statements may have written it, and have no column in common. */
  private boolean ofNoSureColumn;

  /**
   * @see #isOfUnknownStatement
   */
  private boolean ofUnknownStatement;

  /** The columns of the version before it that its statement read. */
  long read;

  /** The keys that the row can have before it and after it; null while that is not known. */
  private @Nullable KeyBounds keys;

  Fate fate;

  /** True for a deletion, which cannot be read. */
  boolean deletion;

  /** True if the statement's own event reported the write, not only a later list. */
  boolean certain;

  /** True if an INSERT made it. */
  boolean insertion;

  /**
   * When it became known to have survived, or when a predicate first read it without its writer
   * being known, on the clock of {@link PredicateReads}; 0 before.
   */
  long appeared;

  /** True once the writers' list of this version was read. */
  boolean listed;

  /** Null if unknown or {@linkplain #cut discarded}. */
  @Nullable Version previous;

  /** True once the previous version was discarded: its lists are read no further. */
  boolean cut;

  /** When it was last mentioned, on the clock of events. */
  long lastMentionedAt;

  /** Whether {@link ChainPruning} will check it. */
  boolean awaitsPruning;

  /** The next versions; more than one only if the others vanished. */
  @Nullable Version firstNext;

  @Nullable Version sibling;
  @Nullable Version siblingBefore;
  @Nullable Read readers;

  /** The first surviving next version that was found. */
  @Nullable Version successor;

  Version(Row row, @Nullable Transaction writer, long writerId, int number) {
    this.row = row;
    this.writer = writer;
    this.writerId = writerId;
    this.number = number;
    this.statement = number;
    this.firstStatement =
        number == WriterToken.BY_DBMS || number == WriterToken.MAX_STATEMENT
            ? Integer.MAX_VALUE
            : number;
    this.fate = writer == null ? Fate.SURVIVED : Fate.OPEN;
  }

  /** The columns that it wrote; all if that is not known. */
  long written() {
    boolean known = columns != 0 || ofNoSureColumn;
    return !known || insertion || deletion ? ColumnBits.ALL : columns;
  }

  /** The columns that it is known to have written. */
  long surelyWritten() {
    return columns == 0 && !insertion && !deletion ? 0 : written();
  }

  /** Its statement used these columns; several statements may have written it under one id. */
  void add(ColumnBits.Used used) {
    columns |= used.written() == 0 ? ColumnBits.ALL : used.written();
    read |= used.read();
  }

  /** A statement that wrote it leaves it with one of these keys, which it had before. */
  void add(KeyBounds bounds) {
    KeyBounds known = keys;
    keys = known == null ? bounds : known.or(bounds);
  }

  /** The keys that the row can have before it and after it. */
  KeyBounds keys() {
    KeyBounds known = keys;
    return known == null ? KeyBounds.NONE : known;
  }

  /**
   * Takes the columns of the statement that its token names, where only a writers' list showed the
   * write.
   */
  void columnsOfItsStatement() {
    Transaction by = writer;
    if (by != null && columns == 0 && number != WriterToken.BY_DBMS) {
      by.statement(number)
          .filter(statement -> statement.kind() == StatementKind.UPDATE)
          .ifPresent(
              statement -> {
                ColumnBits.Used used = row.owner().columns.of(statement.columns());
                add(used);
                add(
                    KeyBounds.of(by, statement.keyValues(), row.table())
                        .without(written(), row.owner().columns));
              });
    }
  }

  /**
   * Completes what is known of its columns, before its fate is set: no more of its writer's
   * statements follow.
   *
   * <p>What an id by the DBMS stands for may be more than was observed. The columns that are known
   * suffice: if it wrote another one as well, a reader of that column is attributed to an earlier
   * writer, and an earlier reader to a later one. Both dependencies are paths through this version.
   */
  void resolveColumns() {
    Transaction by = writer;
    if (by == null) {
      return;
    }
    columnsOfItsStatement();
    if (columns == 0 && number == WriterToken.BY_DBMS) {
      columns = commonOfUnseenUpdates(by);
      ofNoSureColumn = columns == 0;
      ofUnknownStatement = columns == ColumnBits.ALL && !insertion;
    } else if (columns == 0 || number == WriterToken.MAX_STATEMENT) {
      columns = ColumnBits.ALL;
      read = ColumnBits.ALL;
    }
  }

  /**
   * One of the UPDATEs whose rows were not all reported made it, as far as is known: sure is what
   * all of them wrote. What it read is not sure.
   */
  private long commonOfUnseenUpdates(Transaction by) {
    long common = ColumnBits.ALL;
    for (Transaction.Statement statement : by.statements()) {
      if (statement.kind() == StatementKind.UPDATE && statement.mayHaveWrittenMore()) {
        long written = row.owner().columns.of(statement.columns()).written();
        common &= written == 0 ? ColumnBits.ALL : written;
      }
    }
    return common;
  }

  /**
   * Whether no statement is known that wrote it: a trigger, a function or somebody else did, and it
   * may have written other columns than a reader of the row reads.
   */
  boolean isOfUnknownStatement() {
    return ofUnknownStatement;
  }

  /** The evidence for a dependency between its writer and a read of the row. */
  EdgeEvidence evidenceOf(Read read) {
    return ofUnknownStatement ? read.evidenceOfUnknownColumns() : read.evidence;
  }

  /** Whether it is a deletion that only a read before the DELETE reported. */
  boolean isDoubtful() {
    return deletion && !certain;
  }

  /**
   * Whether its DBMS gave the id in its token. It is then all that the transaction, or the part of
   * it that has this id, wrote to the row, by one statement or by several.
   */
  boolean hasIdByDbms() {
    return number == WriterToken.BY_DBMS && writer != null;
  }

  /** Whether its transaction undid the statement that wrote it. */
  boolean isUndone() {
    return writer != null
        && writer.isUndone(
            hasIdByDbms() && statement == 0 ? writer.statementOf(writerId) : statement);
  }

  void setPrevious(Version lower) {
    previous = lower;
    sibling = lower.firstNext;
    if (sibling != null) {
      sibling.siblingBefore = this;
    }
    lower.firstNext = this;
  }

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
    return writerId == transaction && this.number == number;
  }

  /** A read of a version, in the list of its readers. */
  static class Read {
    final Version version;
    final Transaction reader;
    final int statement;
    final EdgeEvidence evidence;

    /** The columns that were read. */
    final long columns;

    /** Whether the reader itself wrote the version, and read what others had left in it. */
    final boolean isOwn;

    @Nullable Read next;
    @Nullable Read before;

    Read(
        Version version,
        Transaction reader,
        int statement,
        EdgeEvidence evidence,
        long columns,
        boolean isOwn) {
      this.columns = columns;
      this.isOwn = isOwn;
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

    /** The evidence for a dependency on a writer of whose columns nothing is known. */
    EdgeEvidence evidenceOfUnknownColumns() {
      return evidence == EdgeEvidence.ITEM && columns != ColumnBits.ALL
          ? EdgeEvidence.POSSIBLE_ITEM
          : evidence;
    }

    /** False if the version was not returned, and only shows what a DELETE had seen. */
    boolean returned() {
      return true;
    }

    /** Whether the writer of the version precedes the reader. */
    boolean followsWriter() {
      return true;
    }

    /** Whether the writer of the next version follows the reader. */
    boolean precedesOverwriter() {
      return true;
    }

    /** False if it may have returned another version, {@link BoundedRead}. */
    boolean isExact() {
      return true;
    }
  }
}
