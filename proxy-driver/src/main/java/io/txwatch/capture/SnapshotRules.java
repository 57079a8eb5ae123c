package io.txwatch.capture;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.SideRead.Moment;
import io.txwatch.sql.SideRead.Purpose;
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
 * <dl>
 *   <dt>PostgreSQL (documentation, 13.2)
 *   <dd>READ COMMITTED: each statement has a snapshot of its own (13.2.1). REPEATABLE READ: one for
 *       the transaction, taken by its first statement; a write that meets a row changed since fails
 *       (13.2.2), so what a write chose from is in that snapshot too. SERIALIZABLE: reads leave
 *       SIREAD locks, a read of a whole table one on the whole table (13.2.3), which makes other
 *       transactions fail that would not: nothing is sent.
 *   <dt>MySQL, MariaDB (InnoDB: Consistent Nonlocking Reads; Transaction Isolation Levels)
 *   <dd>REPEATABLE READ: the first consistent read fixes the snapshot; UPDATE, DELETE, INSERT …
 *       SELECT and locking reads see the newest versions and fix none. So a plain read beside a
 *       plain query is in its snapshot, beside anything else it is not, and before the transaction
 *       has a snapshot it would fix one. SERIALIZABLE: within a transaction every read locks:
 *       nothing is sent. After a write or a read that waits, ROW_COUNT(), FOUND_ROWS() and the
 *       warnings belong to the application's statement until it sends the next one: nothing is sent
 *       after a statement, but {@linkplain When#LATER later}. A row that a DELETE at REPEATABLE
 *       READ matches, and that a plain read still shows afterwards, was not to be deleted in its
 *       newest version, for the DELETE locks what it meets and skips nothing: that can be asked
 *       later too, until the transaction's next write, if the snapshot was fixed before the DELETE.
 *       And what INSERT … SELECT and the subqueries of an UPDATE read before the transaction has a
 *       snapshot can be asked later: those rows are locked until it ends.
 *   <dt>H2 (documentation, Advanced, Transaction Isolation; 2.x, MVStore)
 *   <dd>READ COMMITTED: a snapshot for each statement. SNAPSHOT and SERIALIZABLE: one for the
 *       transaction. REPEATABLE READ: one for each table, taken by the first statement that names
 *       it, for all that it names at once: a read that names fewer tables must not come first.
 *       Writes that meet a row changed since fail, from REPEATABLE READ on; but at REPEATABLE READ
 *       not those whose table had no snapshot when they began to wait (a DELETE that waits for an
 *       UPDATE deletes nothing, and does not fail): nothing is sent before a write there.
 *   <dt>SQLite (documentation, Isolation In SQLite; Transactions)
 *   <dd>A transaction has one snapshot, from its first read on. A transaction that has read cannot
 *       become a writer once somebody else has written (SQLITE_BUSY_SNAPSHOT), one that begins with
 *       a write can: nothing is sent before such a write.
 * </dl>
 *
 * Under autocommit a side read is a separate transaction and never certain. For another product
 * with one of these dialects no side read is certain, and none is sent at SERIALIZABLE.
 *
 * @param dialect the dialect
 * @param original true if it is the product that the dialect is named after, not a compatible one
 */
public record SnapshotRules(Dialect dialect, boolean original) {

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

  private static final SideReadTiming BEFORE_IN_SNAPSHOT = new SideReadTiming(When.BEFORE, true);
  private static final SideReadTiming BEFORE = new SideReadTiming(When.BEFORE, false);
  private static final SideReadTiming AFTER_IN_SNAPSHOT = new SideReadTiming(When.AFTER, true);
  private static final SideReadTiming AFTER = new SideReadTiming(When.AFTER, false);
  private static final SideReadTiming LATER_IN_SNAPSHOT = new SideReadTiming(When.LATER, true);
  private static final SideReadTiming LATER = new SideReadTiming(When.LATER, false);
  private static final SideReadTiming NEVER = new SideReadTiming(When.NEVER, false);

  /** The timing of a side read that must not be sent for a reason other than these rules. */
  public static final SideReadTiming NOT_SENT = NEVER;

  /** The rules of a DBMS. */
  public static SnapshotRules of(Dialect dialect, Database database) {
    String product =
        switch (dialect) {
          case POSTGRESQL -> "PostgreSQL";
          case MYSQL -> "MySQL";
          case MARIADB -> "MariaDB";
          case H2 -> "H2";
          case SQLITE -> "SQLite";
        };
    return new SnapshotRules(dialect, product.equals(database.product()));
  }

  /**
   * The state of a session that the rules depend on.
   *
   * @param level the transaction's level
   * @param inTransaction false if the statement commits by itself
   * @param hasSnapshot true if an earlier statement of the transaction has certainly fixed its
   *     snapshot
   */
  public record Session(IsolationLevel level, boolean inTransaction, boolean hasSnapshot) {

    private boolean at(IsolationLevel wanted) {
      return level == wanted;
    }

    private boolean holdsSnapshot() {
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
  public SideReadTiming sending(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    SideReadTiming sending =
        switch (purpose) {
          case AFTER_WRITE -> afterWrite(session);
          case SKIPPED_BY_DELETE -> skippedByDelete(session);
          case READ, BEFORE_WRITE, VERSION_SET ->
              switch (dialect) {
                case POSTGRESQL -> postgres(planned, session);
                case MYSQL, MARIADB -> innodb(kind, purpose, planned, session);
                case H2 -> h2(kind, planned, oneTable, session);
                case SQLITE -> sqlite(kind, planned, session);
              };
        };
    if (original) {
      return sending;
    }
    return session.at(IsolationLevel.SERIALIZABLE) ? NEVER : uncertain(sending);
  }

  private static SideReadTiming uncertain(SideReadTiming sending) {
    return sending.certain() ? new SideReadTiming(sending.when(), false) : sending;
  }

  /**
   * No other transaction can change rows that this transaction wrote before it ends, and it sees
   * them at every level.
   */
  private SideReadTiming afterWrite(Session session) {
    boolean serializable = session.at(IsolationLevel.SERIALIZABLE);
    return switch (dialect) {
      case POSTGRESQL -> serializable ? NEVER : at(Moment.AFTER, session.inTransaction());
      case MYSQL, MARIADB -> serializable || !session.inTransaction() ? NEVER : LATER_IN_SNAPSHOT;
      case H2, SQLITE -> at(Moment.AFTER, session.inTransaction());
    };
  }

  private static SideReadTiming skippedByDelete(Session session) {
    boolean snapshot = session.inTransaction() && session.hasSnapshot();
    return snapshot && session.at(IsolationLevel.REPEATABLE_READ) ? LATER_IN_SNAPSHOT : NEVER;
  }

  private static SideReadTiming postgres(Moment planned, Session session) {
    return session.at(IsolationLevel.SERIALIZABLE) ? NEVER : at(planned, session.holdsSnapshot());
  }

  private static SideReadTiming innodb(
      StatementKind kind, Purpose purpose, Moment planned, Session session) {
    boolean query = kind == StatementKind.SELECT;
    if (!session.inTransaction()) {
      return query || planned != Moment.AFTER ? BEFORE : NEVER;
    }
    if (session.at(IsolationLevel.SERIALIZABLE)) {
      return NEVER;
    }
    if (!session.holdsSnapshot()) {
      return query || planned != Moment.AFTER ? BEFORE : NEVER;
    }
    if (query) {
      // A query that the optimizer answers without a table (WHERE 1 = 0) fixes no snapshot: a read
      // with the same condition does not either, one of the whole table would.
      boolean wait = purpose == Purpose.VERSION_SET && !session.hasSnapshot();
      return wait ? LATER_IN_SNAPSHOT : BEFORE_IN_SNAPSHOT;
    }
    if (planned == Moment.EITHER && !session.hasSnapshot()) {
      return LATER;
    }
    return session.hasSnapshot() && planned != Moment.AFTER ? BEFORE : NEVER;
  }

  private static SideReadTiming h2(
      StatementKind kind, Moment planned, boolean oneTable, Session session) {
    boolean certain = session.holdsSnapshot() && kind != StatementKind.LOCKING_SELECT;
    if (session.inTransaction() && session.at(IsolationLevel.REPEATABLE_READ)) {
      if (kind.mayWrite()) {
        return NEVER;
      }
      if (!oneTable) {
        return at(Moment.AFTER, certain);
      }
    }
    return at(planned, certain);
  }

  private static SideReadTiming sqlite(StatementKind kind, Moment planned, Session session) {
    boolean certain = session.inTransaction() && !session.at(IsolationLevel.READ_UNCOMMITTED);
    if (session.inTransaction() && kind.mayWrite() && !session.hasSnapshot()) {
      return planned == Moment.EITHER ? at(Moment.AFTER, certain) : NEVER;
    }
    return at(planned, certain);
  }

  private static SideReadTiming at(Moment moment, boolean certain) {
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
  public boolean mayPiggyback(IsolationLevel level) {
    return switch (dialect) {
      case POSTGRESQL -> original && level != IsolationLevel.SERIALIZABLE;
      case MYSQL, MARIADB ->
          level == IsolationLevel.READ_COMMITTED || level == IsolationLevel.REPEATABLE_READ;
      case H2, SQLITE -> level != IsolationLevel.READ_UNCOMMITTED;
    };
  }

  /** True if the DBMS keeps diagnostics of the last statement that a side read would replace. */
  public boolean keepsDiagnostics() {
    return dialect == Dialect.MYSQL || dialect == Dialect.MARIADB;
  }

  /**
   * True if an autocommitted side read would consume a SET TRANSACTION meant for the next
   * transaction.
   */
  public boolean nextTransactionHasItsLevel() {
    return keepsDiagnostics();
  }

  /** True if a row that a statement of this kind returned proves that the snapshot is fixed. */
  public boolean fixesSnapshot(StatementKind kind) {
    return kind == StatementKind.SELECT || dialect == Dialect.SQLITE;
  }
}
