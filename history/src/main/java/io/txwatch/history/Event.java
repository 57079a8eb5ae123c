package io.txwatch.history;

import java.util.List;

/**
 * One thing that was observed. Events are immutable.
 *
 * <p>Sessions and transactions are named by 64-bit ids that are unique over all nodes: 32 random
 * bits of the node, then a count ({@link WriterToken}). Times are the node's wall clock in
 * microseconds since 1970; they are for people and are never used to order transactions.
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
   * @param name what people call it: pool and thread, or the node and a number
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
   * @param level the level in force
   * @param micros when
   */
  record TransactionBegan(long session, long transaction, IsolationLevel level, long micros)
      implements Event {}

  /**
   * A statement was executed. Its number is the one that its writer token carries.
   *
   * @param session its session
   * @param transaction its transaction
   * @param statement its number in the transaction, from 1, in the order of execution; each item of
   *     a batch has its own
   * @param kind what it is
   * @param sql its text as the application sent it (literals may be redacted)
   * @param callSite the first frame outside JDBC, pools and ORMs: {@code BankService.java:41};
   *     empty if unknown; how it is written says {@link CallSite}
   * @param rows the rows that it read and wrote, as far as seen, in order
   * @param writesSeen true if {@code rows} holds every row that it wrote, or if it was a
   *     transaction of its own and wrote one row, whose writers tell the next who reads or writes
   *     it; false if it may have written more
   * @param sqlState null if it succeeded, else the SQLState of its error ("" if the driver gave
   *     none): it wrote nothing
   * @param versionSets what its predicates chose from, a set for each table; empty below level
   *     {@code predicates}, and where a table was too large
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
      List<VersionSet> versionSets)
      implements Event {

    /** A statement of whose predicates nothing is known. */
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
          List.of());
    }

    /** The same without what its predicates chose from. */
    StatementExecuted withoutVersionSets() {
      return new StatementExecuted(
          session, transaction, statement, kind, sql, callSite, rows, writesSeen, sqlState);
    }

    /** True if the DBMS executed it. */
    public boolean succeeded() {
      return sqlState == null;
    }
  }

  /**
   * ROLLBACK TO SAVEPOINT: what the transaction's statements from {@code firstStatement} to {@code
   * lastStatement} wrote is gone; what they read was read.
   *
   * @param session its session
   * @param transaction its transaction
   * @param firstStatement the first statement undone
   * @param lastStatement the last statement undone, not below the first
   */
  record StatementsUndone(long session, long transaction, int firstStatement, int lastStatement)
      implements Event {}

  /**
   * A transaction ended. Its last event.
   *
   * @param session its session
   * @param transaction its id
   * @param outcome how
   * @param micros when
   * @param events how many events {@link TransactionBegan}, {@link StatementExecuted} and {@link
   *     StatementsUndone} the transaction had, so that a silent loss on the way shows; 0 if the
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
   * Something was not observed. A gap weakens what can be said, it never adds to it: a transaction
   * with a gap is not accused of anything that rests on the absence of an event.
   *
   * @param session the session concerned, 0 for all sessions of the source
   * @param transaction the transaction concerned, 0 if none or not known
   * @param reason why
   * @param detail for people: the kind of statement, the name of a table; never data
   * @param count how many events or statements are missing
   */
  record Gap(long session, long transaction, GapReason reason, String detail, long count)
      implements Event {

    /** An event that someone could not take in, by a fault of ours. */
    public static Gap ofFault(Event event) {
      return new Gap(
          event.session(),
          event.transaction(),
          GapReason.FAULT,
          "an event that could not be taken in",
          1);
    }
  }
}
