package io.txwatch.version;

import io.txwatch.history.RowChange;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as the DBMS recorded it, and the watched one that it is, once that is decided. It
 * is decided once: a version is never attributed to another writer afterwards.
 */
final class RecordedTransaction {

  /**
   * How long after a change was read from the record it may still be invisible: a binary log is
   * written before the commit is visible.
   */
  static final long UNWATCHED_DELAY_NANOS = 1_000_000_000L;

  final long connection;
  final long received;

  /** When it committed, in microseconds since 1970; 0 if unknown. For display. */
  final long micros;

  /** Up to when the record had been read before. */
  final long readBefore;

  final List<RowChange> changes;
  final List<RowVersion> versions = new ArrayList<>();

  /** Names it in writer tokens if its transaction is not known. */
  final long unwatchedId;

  /**
   * The watched transactions that may turn out to be its writer, and of which no write had arrived
   * when it was read.
   */
  final List<TimedTransaction> awaited = new ArrayList<>();

  boolean decided;

  /** The transaction of which {@link #isStatedBy} was computed last, and the answer. */
  private @Nullable TimedTransaction asked;

  private int askedRevision;
  private boolean isStated;

  /** Whether the analysis has it as a transaction that txwatch does not watch. */
  boolean shown;

  /**
   * Whether somebody who is not watched may have made these changes just before its writer stated
   * the same values, and so changed nothing. Its writer wrote these rows after that one all the
   * same; but what others read before its COMMIT returned may be that one's.
   */
  boolean doubtful;

  @Nullable TimedTransaction writer;

  /** The statement of each group of changes; empty if no order of statements fits. */
  StatementMapping statements = StatementMapping.UNKNOWN;

  RecordedTransaction(
      long connection,
      long received,
      long micros,
      long readBefore,
      List<RowChange> changes,
      long unwatchedId) {
    this.connection = connection;
    this.received = received;
    this.micros = micros;
    this.readBefore = readBefore;
    this.changes = changes;
    this.unwatchedId = unwatchedId;
  }

  /**
   * What a committed transaction states to have changed, where no record of changes is read.
   *
   * @param numbers those of its statements that did, ascending
   */
  static RecordedTransaction ofStated(TimedTransaction transaction, int[] numbers, long id) {
    Window end = transaction.end;
    RecordedTransaction stated =
        new RecordedTransaction(0, end.returned(), 0, end.sent(), List.of(), id);
    stated.decided = true;
    stated.writer = transaction;
    stated.statements = StatementMapping.ofStated(numbers);
    transaction.recorded = stated;
    return stated;
  }

  /** One that the record does not have, although a later one shows that there was one. */
  static RecordedTransaction missing(long id) {
    RecordedTransaction missing =
        new RecordedTransaction(0, Long.MAX_VALUE, 0, Long.MIN_VALUE, List.of(), id);
    missing.decide(null);
    return missing;
  }

  boolean isMissing() {
    return received == Long.MAX_VALUE;
  }

  /** It is this transaction; null: it is none that is watched, or it is not known which. */
  void decide(@Nullable TimedTransaction transaction) {
    decided = true;
    asked = null;
    awaited.clear();
    if (transaction != null) {
      writer = transaction;
      transaction.recorded = this;
      statements = StatementMapping.of(transaction, changes);
    }
  }

  /**
   * {@link Attribution#statesAsItsOwn}, which is computed again and again of a transaction that has
   * not ended.
   */
  boolean isStatedBy(TimedTransaction transaction) {
    if (asked != transaction || askedRevision != transaction.revision()) {
      isStated = Attribution.statesAsItsOwn(transaction, this);
      asked = transaction;
      askedRevision = transaction.revision();
    }
    return isStated;
  }

  /** When it committed. */
  Window commit() {
    TimedTransaction by = writer;
    if (by == null) {
      return new Window(Long.MIN_VALUE, Window.plus(received, UNWATCHED_DELAY_NANOS));
    }
    if (doubtful && by.endTimed) {
      return new Window(Long.MIN_VALUE, by.end.returned());
    }
    return by.endTimed
        ? by.end
        : new Window(by.commitSent(), Window.plus(received, UNWATCHED_DELAY_NANOS));
  }

  /** The statement that wrote a version. */
  int statement(RowVersion version) {
    return statement(version.group, version.row.table, version.row.key);
  }

  /** The statement that made a change. */
  int statement(RowChange change) {
    return statement(
        change.group(),
        change.table(),
        change.keyAfter() == 0 ? change.keyBefore() : change.keyAfter());
  }

  private int statement(int group, String table, long key) {
    return writer == null ? Math.max(1, group + 1) : statements.of(group, table, key);
  }

  /** Whether it is certain which statement wrote a version. */
  boolean isCertain(RowVersion version) {
    return statements.isCertain(version.group, version.row.table, version.row.key);
  }

  /** Whether a version was certainly written after a statement of its transaction. */
  boolean isAfter(int statement, RowVersion version) {
    return statements.isAfter(statement, version.group);
  }

  /** The writer token of a version. */
  String token(RowVersion version) {
    return WriterToken.of(writer == null ? unwatchedId : writer.id, statement(version));
  }
}
