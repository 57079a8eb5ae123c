package io.txwatch.history;

import java.util.List;

/**
 * An observation. Events are immutable.
 *
 * <p>Sessions and transactions have 64-bit ids that are unique across nodes: 32 random bits of the
 * node, then a count ({@link WriterToken}). Times are the node's wall clock in microseconds since
 * 1970; they are for display and never order transactions.
 */
public sealed interface Event {

  /** The session that the event belongs to. */
  long session();

  /** The transaction that the event belongs to, 0 if none or not known. */
  default long transaction() {
    return 0;
  }

  /**
   * A session (a physical connection) was opened. The first event of every session.
   *
   * @param session its id
   * @param name its display name: pool and thread, or the node and a number
   * @param database the DBMS at the other end
   */
  record SessionOpened(long session, String name, Database database) implements Event {}

  /** A session was closed. Its last event. */
  record SessionClosed(long session) implements Event {}

  /**
   * A transaction began: its first statement is about to be sent.
   *
   * @param session its session
   * @param transaction its id
   * @param level its isolation level. If a statement of the transaction changes it, or may have, a
   *     second event follows, with the level from then on
   * @param micros the time
   * @param name what the application calls it: {@code shop.OrderService.sell}; empty if unknown
   * @param traceId the trace that it is part of, for display; cut to {@link
   *     TraceId#MAX_CHARACTERS}, empty if unknown
   * @param share the rows of which its accesses are emitted. Unless that is all, this event may be
   *     emitted later: before the transaction's first other event
   */
  record TransactionBegan(
      long session,
      long transaction,
      IsolationLevel level,
      long micros,
      String name,
      String traceId,
      RowShare share)
      implements Event {

    public TransactionBegan {
      traceId = TraceId.limited(traceId);
    }

    /** A transaction outside any trace, of which everything is emitted. */
    public TransactionBegan(
        long session, long transaction, IsolationLevel level, long micros, String name) {
      this(session, transaction, level, micros, name, "", RowShare.ALL);
    }

    /** A transaction without a name. */
    public TransactionBegan(long session, long transaction, IsolationLevel level, long micros) {
      this(session, transaction, level, micros, "");
    }
  }

  /**
   * A statement was executed. Its number is part of its writer token.
   *
   * @param session its session
   * @param transaction its transaction
   * @param statement its number in the transaction, from 1, in execution order; each batch item has
   *     its own
   * @param kind its kind
   * @param sql the application's text (literals may be redacted)
   * @param callSite the first frame outside JDBC, pools and ORMs: {@link CallSite} defines the
   *     format; empty if unknown
   * @param rows the rows that it read and wrote, as far as observed, in order
   * @param writesSeen true if {@code rows} contains every row that it wrote, or if it was
   *     autocommitted and wrote one row, which the row's writer list identifies when the row is
   *     next read or written; false if it may have written further rows
   * @param sqlState null if it succeeded, else the SQLState of its error ("" if the driver gave
   *     none); a failed statement wrote nothing
   * @param versionSets the version sets of its predicates, one per table; empty below level {@code
   *     predicates} and for tables that are too large
   * @param columns the columns that it read and wrote, as {@link AccessedColumns#text}; empty if
   *     not known, which means all
   * @param keyValues the only values of columns of keys in the rows that it chooses or inserts, one
   *     per column, as far as its text and parameters show them; empty below level {@code
   *     predicates}
   */
  record StatementExecuted(
      long session,
      long transaction,
      int statement,
      StatementKind kind,
      String sql,
      String callSite,
      List<RowAccess> rows,
      boolean writesSeen,
      @org.jspecify.annotations.Nullable String sqlState,
      List<VersionSet> versionSets,
      String columns,
      List<KeyValues> keyValues)
      implements Event {

    /** A statement that is not known to choose its rows by a key. */
    public StatementExecuted(
        long session,
        long transaction,
        int statement,
        StatementKind kind,
        String sql,
        String callSite,
        List<RowAccess> rows,
        boolean writesSeen,
        @org.jspecify.annotations.Nullable String sqlState,
        List<VersionSet> versionSets,
        String columns) {
      this(
          session,
          transaction,
          statement,
          kind,
          sql,
          callSite,
          rows,
          writesSeen,
          sqlState,
          versionSets,
          columns,
          List.of());
    }

    /** A statement of which no version sets are known, nor which columns it read and wrote. */
    public StatementExecuted(
        long session,
        long transaction,
        int statement,
        StatementKind kind,
        String sql,
        String callSite,
        List<RowAccess> rows,
        boolean writesSeen,
        @org.jspecify.annotations.Nullable String sqlState) {
      this(
          session,
          transaction,
          statement,
          kind,
          sql,
          callSite,
          rows,
          writesSeen,
          sqlState,
          List.of(),
          "");
    }

    /** A statement of which it is not known which columns it read and wrote. */
    public StatementExecuted(
        long session,
        long transaction,
        int statement,
        StatementKind kind,
        String sql,
        String callSite,
        List<RowAccess> rows,
        boolean writesSeen,
        @org.jspecify.annotations.Nullable String sqlState,
        List<VersionSet> versionSets) {
      this(
          session,
          transaction,
          statement,
          kind,
          sql,
          callSite,
          rows,
          writesSeen,
          sqlState,
          versionSets,
          "");
    }

    StatementExecuted withoutVersionSets() {
      return withRows(rows);
    }

    /** With these rows and without version sets. */
    StatementExecuted withRows(List<RowAccess> others) {
      return new StatementExecuted(
          session,
          transaction,
          statement,
          kind,
          sql,
          callSite,
          others,
          writesSeen,
          sqlState,
          List.of(),
          columns,
          keyValues);
    }

    /** True if the DBMS executed the statement without an error. */
    public boolean succeeded() {
      return sqlState == null;
    }
  }

  /**
   * ROLLBACK TO SAVEPOINT: the writes of the transaction's statements from {@code firstStatement}
   * to {@code lastStatement} were undone; their reads remain.
   *
   * @param session its session
   * @param transaction its transaction
   * @param firstStatement the first statement undone
   * @param lastStatement the last statement undone, not below the first
   */
  record StatementsUndone(long session, long transaction, int firstStatement, int lastStatement)
      implements Event {}

  /**
   * The id that the DBMS gave to a transaction became known, apart from its writes. Only where
   * writer tokens contain such ids, and only if some of its writes were not observed.
   *
   * @param session its session
   * @param transaction its id
   * @param idByDbms the id in writer tokens, as described at {@link WriterToken#BY_DBMS}
   */
  record TransactionIdentified(long session, long transaction, long idByDbms) implements Event {}

  /**
   * The key of a row became known, or the keys of a table's rows no longer hold. For display only:
   * rows are identified by their ids.
   *
   * @param session its session
   * @param table the table's name
   * @param row the row's id; 0 if no key of the table's rows holds
   * @param key the value of its primary key, for display: "41", "(3, 7)", a digest; empty if no key
   *     of the table's rows holds
   */
  record RowNamed(long session, String table, long row, String key) implements Event {}

  /**
   * A transaction ended. Its last event.
   *
   * @param session its session
   * @param transaction its id
   * @param outcome its outcome
   * @param micros the time
   * @param events the transaction's number of {@link TransactionBegan}, {@link StatementExecuted}
   *     and {@link StatementsUndone} events, so that an unreported loss is detected; 0 if the
   *     source does not count
   */
  record TransactionEnded(long session, long transaction, Outcome outcome, long micros, int events)
      implements Event {

    /** The end of a transaction whose source does not count events. */
    public TransactionEnded(long session, long transaction, Outcome outcome, long micros) {
      this(session, transaction, outcome, micros, 0);
    }
  }

  /**
   * Something was not observed. A gap can only weaken a verdict: no anomaly that relies on the
   * absence of an event is reported for a transaction with a gap.
   *
   * @param session the session concerned, 0 for all sessions of the source
   * @param transaction the transaction concerned, 0 if none or not known
   * @param reason the reason
   * @param detail for display: the kind of statement, the name of a table; never data
   * @param count the number of missing events or statements
   */
  record Gap(long session, long transaction, GapReason reason, String detail, long count)
      implements Event {

    /**
     * Returns the gap for an event that a consumer could not process because of a fault in txwatch.
     */
    public static Gap ofFault(Event event) {
      return new Gap(
          event.session(),
          event.transaction(),
          GapReason.FAULT,
          "an event that could not be taken in",
          1);
    }
  }

  /**
   * More events arise than can be processed: transactions of a process omit statements on rows
   * outside a {@linkplain RowShare share}. Emitted when the share becomes smaller, before a
   * transaction begins under it; when it is larger again, after the last transaction under a
   * smaller one has ended; and in between, for the counts.
   *
   * @param session a session of the process
   * @param share the smallest share of the process's active transactions
   * @param statements the statements that were omitted, as a whole or some of their rows, by
   *     transactions that ended since the previous such event
   * @param transactions those of these transactions of which nothing was emitted
   */
  record RowsShed(long session, RowShare share, long statements, long transactions)
      implements Event {}

  /**
   * What a statement read and wrote, by keys and values: the analyzer finds the versions. Follows
   * the {@link StatementExecuted} of the same number, before the transaction ends. Not counted in
   * {@link TransactionEnded#events}.
   *
   * @param session its session
   * @param transaction its transaction
   * @param statement its number in the transaction
   * @param sent when it was sent to the DBMS: nanoseconds of a clock of the process that never goes
   *     back
   * @param returned when the DBMS had executed it, by that clock
   * @param reads the rows that it returned
   * @param writes what it wrote, as far as it states that itself
   * @param unread why rows that it returned are not in {@code reads}; empty if all are
   * @param choices by which conditions it chose its rows. They stay in the process: no history
   *     contains them
   */
  record ValuesObserved(
      long session,
      long transaction,
      int statement,
      long sent,
      long returned,
      List<RowValues> reads,
      List<StatedWrite> writes,
      String unread,
      List<RowChoice> choices)
      implements Event {

    /** What a statement read and wrote of which no condition is known. */
    public ValuesObserved(
        long session,
        long transaction,
        int statement,
        long sent,
        long returned,
        List<RowValues> reads,
        List<StatedWrite> writes,
        String unread) {
      this(session, transaction, statement, sent, returned, reads, writes, unread, List.of());
    }

    /**
     * The same without the rows read; so what its condition chose is not known either.
     *
     * @param why they are not there
     */
    ValuesObserved withoutReads(String why) {
      return new ValuesObserved(
          session, transaction, statement, sent, returned, List.of(), writes, why);
    }
  }

  /**
   * When the statement that ended a transaction was executed. Precedes its {@link
   * TransactionEnded}. Not counted there.
   *
   * @param session the session that ended it
   * @param transaction its transaction
   * @param sent when COMMIT or ROLLBACK was sent to the DBMS, as in {@link ValuesObserved}; for an
   *     autocommitted statement, when that was
   * @param returned when the DBMS had executed it
   */
  record EndTimed(long session, long transaction, long sent, long returned) implements Event {}

  /**
   * The number that the DBMS gave to a session's connection became known. Follows {@link
   * SessionOpened}.
   *
   * @param session the session
   * @param connection the number, as in {@link Changed#connection}
   */
  record SessionIdentified(long session, long connection) implements Event {}

  /**
   * No record of changes is read for a session's database: its versions are known from the writes
   * that statements state. Follows {@link SessionOpened}.
   *
   * @param session the session
   */
  record WritesStated(long session) implements Event {}

  /**
   * A transaction committed, as the DBMS itself recorded: its changes, regardless of who made them.
   * These events are in the order of commits of one {@linkplain Database#scope scope}.
   *
   * @param session the session of the reader of that record, which has a {@link SessionOpened} with
   *     the database
   * @param connection the number of the connection that made the changes; 0 if it is not recorded
   * @param position where the record is, for display: a file and an offset, a transaction's number
   * @param received when it was read, as in {@link ValuesObserved}
   * @param micros when it was committed by the clock of the DBMS, in microseconds since 1970; 0 if
   *     it is not recorded
   * @param changes its changes in order of execution
   */
  record Changed(
      long session,
      long connection,
      String position,
      long received,
      long micros,
      List<RowChange> changes)
      implements Event {}

  /**
   * The DBMS's own record of changes was read up to a time: of every transaction that had committed
   * by then, {@link Changed} precedes this event.
   *
   * @param session the session of the reader
   * @param through the time, as in {@link ValuesObserved}
   */
  record ChangesRead(long session, long through) implements Event {}

  /**
   * The DBMS ended a deadlock by an error of a statement. Follows the {@link StatementExecuted} of
   * the same number. Not counted in {@link TransactionEnded#events}.
   *
   * @param session its session
   * @param transaction its transaction
   * @param statement the number of the statement that failed
   * @param named true if the DBMS named the others; false if they were inferred from what was
   *     executing
   * @param others the others, in the order in which each waits for the next: the statement waited
   *     for the first of them, and the last of them waited for the statement's transaction. Empty
   *     if none is known
   */
  record Deadlocked(
      long session, long transaction, int statement, boolean named, List<Waiter> others)
      implements Event {

    /**
     * A transaction in a deadlock, and its statement that waited.
     *
     * @param session its session
     * @param transaction its id
     * @param statement the number of the statement that waited
     */
    public record Waiter(long session, long transaction, int statement) {

      /** Its session is not watched. */
      public static final Waiter NOT_WATCHED = new Waiter(0, 0, 0);
    }
  }

  /**
   * A statement waited for locks, as samples of the DBMS's list of waits show; a wait that no
   * sample fell into is not known. Follows the {@link StatementExecuted} of the same number. Not
   * counted in {@link TransactionEnded#events}.
   *
   * @param session its session
   * @param transaction its transaction
   * @param statement the number of the statement that waited
   * @param holders the transactions that it waited for at the same time
   * @param micros the wall clock at the first sample; for display
   * @param duration from the first sample that shows the wait to the first that does not, or to the
   *     statement's end, in microseconds: exact to the time between two samples
   */
  record Waited(
      long session,
      long transaction,
      int statement,
      List<Holder> holders,
      long micros,
      long duration)
      implements Event {

    /**
     * A transaction that holds a lock.
     *
     * @param session its session
     * @param transaction its id
     */
    public record Holder(long session, long transaction) {

      /** Its session is not watched. */
      public static final Holder NOT_WATCHED = new Holder(0, 0);
    }
  }

  /**
   * COMMIT failed. Precedes {@link TransactionEnded}. Not counted there.
   *
   * @param sqlState the SQLSTATE of the error; empty if it has none
   */
  record CommitFailed(long session, long transaction, String sqlState) implements Event {}

  /**
   * What a statement was executed with and what it returned, in clear text, so that its transaction
   * can be executed again. Only with {@code txwatch.predict=on}, and not of a transaction of which
   * a {@linkplain RowShare share} of the rows is observed. Follows the {@link StatementExecuted} of
   * the same number, before the transaction ends. Not counted in {@link TransactionEnded#events}.
   *
   * @param session its session
   * @param transaction its transaction
   * @param statement its number in the transaction
   * @param sql the application's text as it was executed: its literals are never redacted
   * @param parameters in the order of the placeholders; of a batch item, its own
   * @param updateCount -1 if there is none, or it is not known
   * @param columns the labels of the columns of its result: of a query, of RETURNING, or of the
   *     generated keys that the application read; empty if it read no row, and not the end either
   * @param rows the first rows that the application read, {@link #MAX_ROWS} at most
   * @param complete false if a value is unknown, rows that the application read are missing, or its
   *     result was still open when the transaction ended
   */
  record ValuesRecorded(
      long session,
      long transaction,
      int statement,
      String sql,
      List<RecordedValue> parameters,
      long updateCount,
      List<String> columns,
      List<List<RecordedValue>> rows,
      boolean complete)
      implements Event {

    /** The maximum number of rows of one statement. */
    public static final int MAX_ROWS = 20;
  }
}
