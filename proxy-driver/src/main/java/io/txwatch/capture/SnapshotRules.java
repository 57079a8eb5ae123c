package io.txwatch.capture;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;

/**
 * Decides whether a side read may be sent for a statement, when, and whether it sees the
 * statement's snapshot.
 *
 * <p>Two questions, answered for each DBMS and level in one place:
 *
 * <ul>
 *   <li><b>Is it harmless?</b> A side read must not take a lock, fix a snapshot, or have any other
 *       effect that the statement alone would not have. Otherwise it is not sent.
 *   <li><b>Is it certain?</b> Only if both use the same snapshot. Otherwise its rows are
 *       {@linkplain io.txwatch.history.RowAccess#certain() uncertain}.
 * </ul>
 *
 * <p>The rules, with their sources, are in a class for each DBMS.
 *
 * <p>Under autocommit a side read is a separate transaction and never certain. For another product
 * with one of these dialects no side read is certain, and none is sent at SERIALIZABLE.
 */
public abstract class SnapshotRules {

  /** When a side read is sent. */
  public enum When {
    /** Just before the statement. */
    BEFORE,
    /** Just after it. */
    AFTER,
    /** After it, once the application cannot notice: before its next statement or commit. */
    LATER,
    /** Not at all. */
    NEVER
  }

  /**
   * When a side read is sent and whether it is certain.
   *
   * @param when when it is sent
   * @param certain true if it sees the snapshot that the statement sees
   */
  public record SideReadTiming(When when, boolean certain) {}

  protected static final SideReadTiming BEFORE_IN_SNAPSHOT = new SideReadTiming(When.BEFORE, true);
  protected static final SideReadTiming BEFORE = new SideReadTiming(When.BEFORE, false);
  protected static final SideReadTiming AFTER_IN_SNAPSHOT = new SideReadTiming(When.AFTER, true);
  protected static final SideReadTiming AFTER = new SideReadTiming(When.AFTER, false);
  protected static final SideReadTiming LATER_IN_SNAPSHOT = new SideReadTiming(When.LATER, true);
  protected static final SideReadTiming LATER = new SideReadTiming(When.LATER, false);
  protected static final SideReadTiming NEVER = new SideReadTiming(When.NEVER, false);

  /** The timing of a side read that must not be sent for a reason other than these rules. */
  public static final SideReadTiming NOT_SENT = NEVER;

  private final Dialect dialect;

  /** True if it is the product that the dialect is named after, not a compatible one. */
  private final boolean original;

  protected SnapshotRules(Dialect dialect, boolean original) {
    this.dialect = dialect;
    this.original = original;
  }

  /** The SQL of the DBMS. */
  public final Dialect dialect() {
    return dialect;
  }

  public final boolean isOriginal() {
    return original;
  }

  /**
   * The state of a session that the rules depend on.
   *
   * @param level the transaction's level; if it is unknown, nothing is sent
   * @param inTransaction false if the statement commits by itself
   * @param hasSnapshot true if an earlier statement of the transaction has certainly fixed its
   *     snapshot
   */
  public record Session(IsolationLevel level, boolean inTransaction, boolean hasSnapshot) {

    public boolean at(IsolationLevel wanted) {
      return level == wanted;
    }

    public boolean holdsSnapshot() {
      return inTransaction && level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
    }
  }

  /**
   * Decides about a side read.
   *
   * @param kind the kind of its statement
   * @param planned the planned moment
   * @param oneTable true if the statement names one table only, as far as is known
   */
  public final SideReadTiming sending(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    if (!session.level().isKnown() || (purpose.isEvidenceOfDelete() && !original)) {
      return NEVER;
    }
    SideReadTiming sending =
        switch (purpose) {
          case AFTER_WRITE, CONTENDED -> afterWrite(session);
          case SKIPPED_BY_DELETE, MISSED_BY_DELETE -> aroundDelete(planned, session);
          case READ, BEFORE_WRITE, VERSION_SET ->
              besideRead(kind, purpose, planned, oneTable, session);
        };
    if (original) {
      return sending;
    }
    return session.at(IsolationLevel.SERIALIZABLE) ? NEVER : uncertain(sending);
  }

  private static SideReadTiming uncertain(SideReadTiming sending) {
    return sending.certain() ? new SideReadTiming(sending.when(), false) : sending;
  }

  /** Decides about a read of what a statement reads, or of rows that it is about to write. */
  public abstract SideReadTiming besideRead(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session);

  /**
   * No other transaction can change rows that this transaction wrote before it ends, and it sees
   * them at every level.
   */
  public SideReadTiming afterWrite(Session session) {
    return at(Moment.AFTER, session.inTransaction());
  }

  /** Decides about a read of rows that a DELETE matches and may not delete. */
  public SideReadTiming aroundDelete(Moment planned, Session session) {
    return NEVER;
  }

  public static SideReadTiming at(Moment moment, boolean certain) {
    if (moment != Moment.AFTER) {
      return certain ? BEFORE_IN_SNAPSHOT : BEFORE;
    }
    return certain ? AFTER_IN_SNAPSHOT : AFTER;
  }

  /**
   * True if a deferred side read may be sent now.
   *
   * @param ending true if the transaction is about to commit, so that a snapshot fixed now has no
   *     effect
   */
  public boolean mayReadNow(boolean ending, Session session) {
    return ending || !session.holdsSnapshot() || session.hasSnapshot();
  }

  /**
   * True if a query may contain a piggybacked subquery that reads the rows that the query itself
   * reads. Not if reads lock or leave SIREAD locks (SERIALIZABLE of PostgreSQL and InnoDB), nor if
   * a statement has no snapshot, so that two parts of it may see different versions.
   */
  public abstract boolean mayPiggyback(IsolationLevel level);

  /** True if the DBMS keeps diagnostics of the last statement that a side read would replace. */
  public boolean keepsDiagnostics() {
    return false;
  }

  /**
   * True if an autocommitted side read would consume a SET TRANSACTION meant for the next
   * transaction.
   */
  public final boolean nextTransactionHasItsLevel() {
    return keepsDiagnostics();
  }

  /** True if a row that a statement of this kind returned proves that the snapshot is fixed. */
  public boolean fixesSnapshot(StatementKind kind) {
    return kind == StatementKind.SELECT;
  }
}
