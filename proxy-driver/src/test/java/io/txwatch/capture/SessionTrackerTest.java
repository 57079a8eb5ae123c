package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.TransactionControl;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Sessions in a few words: each call is a line, and the events that came of it are recorded as
 * {@code T1 began RC}, {@code T1.1 UPDATE}, {@code T1 undone 2-3}, {@code T1 COMMITTED}.
 */
class SessionTrackerTest {

  private final List<String> recorded = new ArrayList<>();
  private final List<Long> transactions = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private SessionTracker tracker = session(Dialect.POSTGRESQL, false);

  private SessionTracker session(Dialect dialect, boolean autoCommit) {
    recorded.clear();
    transactions.clear();
    Database database = new Database(new Product(dialect.name(), "1"), Map.of());
    tracker =
        new SessionTracker(
            "s",
            database,
            Products.of(dialect).transactionRules(database),
            autoCommit,
            IsolationLevel.READ_COMMITTED,
            () -> 0,
            committed -> {},
            new Pipeline(
                Ids.ofNode(7),
                new EventSink() {
                  @Override
                  public void accept(Event event) {
                    events.add(event);
                    record(event);
                  }

                  @Override
                  public void close() {}
                }));
    return tracker;
  }

  private String name(long transaction) {
    if (!transactions.contains(transaction)) {
      transactions.add(transaction);
    }
    return "T" + (transactions.indexOf(transaction) + 1);
  }

  private void record(Event event) {
    if (event instanceof Event.TransactionBegan e) {
      recorded.add(name(e.transaction()) + " began " + e.level().shortName());
    } else if (event instanceof Event.StatementExecuted e) {
      String rows = e.rows().isEmpty() ? "" : " rows " + e.rows().size();
      String error = e.succeeded() ? "" : " failed " + e.sqlState();
      recorded.add(name(e.transaction()) + "." + e.statement() + " " + e.kind() + rows + error);
    } else if (event instanceof Event.StatementsUndone e) {
      recorded.add(
          name(e.transaction()) + " undone " + e.firstStatement() + "-" + e.lastStatement());
    } else if (event instanceof Event.TransactionEnded e) {
      recorded.add(name(e.transaction()) + " " + e.outcome());
    } else if (event instanceof Event.Gap e) {
      recorded.add("gap " + e.reason() + " " + e.count());
    } else if (event instanceof Event.SessionClosed) {
      recorded.add("closed");
    }
  }

  private Observation select() {
    return tracker.begin(StatementKind.SELECT, "select", "");
  }

  private void update() {
    tracker.begin(StatementKind.UPDATE, "update", "").succeeded(true);
  }

  private void fails(String sqlState, int code) {
    tracker.begin(StatementKind.UPDATE, "update", "").failed(new SQLException("", sqlState, code));
  }

  private void expect(String... lines) {
    assertThat(recorded).containsExactly(lines);
  }

  @Test
  void aTransactionBeginsAtItsFirstStatement() {
    tracker.committed();
    tracker.rolledBack();
    update();
    update();
    tracker.committed();
    tracker.committed();
    tracker.closed();
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE", "T1 COMMITTED", "closed");
  }

  @Test
  void sessionWithoutStatementsEmitsNoEvent() {
    tracker.committed();
    tracker.closed();
    expect();
  }

  @Test
  void underAutocommitEachStatementIsATransaction() {
    session(Dialect.POSTGRESQL, true);
    update();
    fails("23505", 0);
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1 COMMITTED",
        "T2 began RC",
        "T2.1 UPDATE failed 23505",
        "T2 ABORTED");
  }

  @Test
  void anOpenResultEndsWhereTheNextTransactionBegins() {
    session(Dialect.H2, true);
    Observation read = select();
    read.row(Access.READ, "t", 1, "");
    update();
    read.row(Access.READ, "t", 2, "");
    read.succeeded(true);
    expect(
        "T1 began RC",
        "T1.1 SELECT rows 1",
        "T1 COMMITTED",
        "T2 began RC",
        "T2.1 UPDATE",
        "T2 COMMITTED",
        "gap OPAQUE 1");
  }

  @Test
  void openResultOfATransactionIsRecordedBeforeItsEnd() {
    Observation read = select();
    update();
    read.row(Access.READ, "t", 1, "");
    tracker.committed();
    expect("T1 began RC", "T1.2 UPDATE", "T1.1 SELECT rows 1", "T1 COMMITTED");
  }

  @Test
  void switchingAutocommitOnCommits() {
    update();
    tracker.autoCommit(true);
    update();
    tracker.autoCommit(false);
    update();
    tracker.closed();
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1 COMMITTED",
        "T2 began RC",
        "T2.1 UPDATE",
        "T2 COMMITTED",
        "T3 began RC",
        "T3.1 UPDATE",
        "T3 ABORTED",
        "closed");
  }

  @Test
  void beginAndCommitAsSql() {
    session(Dialect.POSTGRESQL, true);
    tracker.controlled(new TransactionControl.Begin(Optional.of(IsolationLevel.SERIALIZABLE)));
    update();
    update();
    tracker.controlled(new TransactionControl.Commit(true));
    update();
    tracker.controlled(new TransactionControl.Rollback(false));
    update();
    expect(
        "T1 began SER",
        "T1.1 UPDATE",
        "T1.2 UPDATE",
        "T1 COMMITTED",
        "T2 began SER",
        "T2.1 UPDATE",
        "T2 ABORTED",
        "T3 began RC",
        "T3.1 UPDATE",
        "T3 COMMITTED");
  }

  @Test
  void beginCommitsOnMySqlAndNotOnPostgres() {
    session(Dialect.MYSQL, false);
    update();
    tracker.controlled(new TransactionControl.Begin(Optional.empty()));
    update();
    expect("T1 began RC", "T1.1 UPDATE", "T1 COMMITTED", "T2 began RC", "T2.1 UPDATE");
    session(Dialect.POSTGRESQL, false);
    update();
    tracker.controlled(new TransactionControl.Begin(Optional.empty()));
    update();
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE");
  }

  @Test
  void setTransactionHoldsForOneTransaction() {
    session(Dialect.MARIADB, false);
    tracker.controlled(new TransactionControl.SetTransaction(IsolationLevel.SERIALIZABLE));
    update();
    tracker.committed();
    update();
    tracker.committed();
    tracker.controlled(new TransactionControl.SetSession(IsolationLevel.REPEATABLE_READ));
    update();
    expect(
        "T1 began SER",
        "T1.1 UPDATE",
        "T1 COMMITTED",
        "T2 began RC",
        "T2.1 UPDATE",
        "T2 COMMITTED",
        "T3 began RR",
        "T3.1 UPDATE");
  }

  @Test
  void afterAnErrorPostgresCommitsNothing() {
    update();
    fails("23505", 0);
    tracker.committed();
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE failed 23505", "T1 ABORTED");
  }

  @Test
  void rollbackToASavepointEndsThePostgresErrorState() {
    update();
    tracker.savepoint("a");
    update();
    fails("23505", 0);
    tracker.rolledBackTo("a");
    update();
    tracker.committed();
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1.2 UPDATE",
        "T1.3 UPDATE failed 23505",
        "T1 undone 2-3",
        "T1.4 UPDATE",
        "T1 COMMITTED");
  }

  @Test
  void aRollbackToASavepointThatWasNotSeenIsAGap() {
    update();
    tracker.rolledBackTo("elsewhere");
    assertThat(recorded).endsWith("gap BYPASS 1");
  }

  @Test
  void oldestSavepointsAreEvictedAndRollbackToThemIsAGap() {
    update();
    tracker.savepoint("first");
    for (int i = 0; i < 2 * Savepoints.MAX_MARKS; i++) {
      tracker.savepoint("s" + i);
    }
    tracker.rolledBackTo("s" + (2 * Savepoints.MAX_MARKS - 1));
    assertThat(recorded).noneMatch(line -> line.startsWith("gap"));
    tracker.rolledBackTo("first");
    assertThat(recorded).endsWith("gap BYPASS 1");
  }

  @Test
  void oldestUnclosedResultsAreNoLongerObserved() {
    for (int i = 0; i < 300; i++) {
      tracker.begin(StatementKind.SELECT, "SELECT", "").row(Access.READ, "t", i, "");
    }
    assertThat(recorded.stream().filter(line -> line.endsWith("SELECT rows 1"))).hasSize(44);
    assertThat(recorded).noneMatch(line -> line.startsWith("gap"));
  }

  @Test
  void savepointsNest() {
    tracker.savepoint("a");
    update();
    tracker.savepoint("b");
    update();
    tracker.savepoint("b");
    update();
    tracker.released("b");
    tracker.rolledBackTo("b");
    tracker.rolledBackTo("a");
    tracker.rolledBackTo("nosuch");
    tracker.committed();
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1.2 UPDATE",
        "T1.3 UPDATE",
        "T1 undone 2-3",
        "T1 undone 1-3",
        "gap BYPASS 1",
        "T1 COMMITTED");
  }

  @Test
  void aDeadlockVictimIsRolledBackAsAWhole() {
    session(Dialect.MARIADB, false);
    update();
    fails("40001", 1213);
    update();
    tracker.committed();
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1.2 UPDATE failed 40001",
        "T1 ABORTED",
        "T2 began RC",
        "T2.1 UPDATE",
        "T2 COMMITTED");
  }

  @Test
  void aLockWaitTimeoutUndoesTheStatementAlone() {
    session(Dialect.MYSQL, false);
    update();
    fails("41000", 1205);
    tracker.committed();
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE failed 41000", "T1 COMMITTED");
    assertThat(
            Products.of(Dialect.MYSQL)
                .transactionRules(
                    new Database(
                        new Product("MySQL", "9.4"), Map.of("innodb_rollback_on_timeout", "ON")))
                .afterError(new SQLException("", "", 1205)))
        .isEqualTo(TransactionRules.AfterError.ROLLED_BACK);
  }

  @Test
  void rejectedCommitIsAnAbort() {
    update();
    tracker.commitFailed(new SQLException("", "40001"));
    expect("T1 began RC", "T1.1 UPDATE", "T1 ABORTED");
  }

  @Test
  void commitWithoutResponseHasUnknownOutcome() {
    update();
    tracker.commitFailed(new SQLException("", "08006"));
    tracker.closed();
    expect("T1 began RC", "T1.1 UPDATE", "T1 UNKNOWN", "closed");
  }

  @Test
  void connectionLostBeforeTheCommitAbortsTheTransaction() {
    update();
    fails("08006", 0);
    tracker.commitFailed(new SQLException("", "08003"));
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE failed 08006", "T1 ABORTED");
  }

  /** A driver that reconnects: the new connection may be to another server, or to its next run. */
  @Test
  void whatFollowsALostConnectionIsAnotherSessionThatIsRelatedToNone() {
    session(Dialect.MYSQL, true);
    update();
    fails("08S01", 0);
    fails("08S01", 0);
    update();
    update();
    List<Event.SessionOpened> opened =
        events.stream()
            .filter(Event.SessionOpened.class::isInstance)
            .map(Event.SessionOpened.class::cast)
            .toList();
    assertThat(opened).hasSize(2);
    assertThat(opened.get(0).session()).isNotEqualTo(opened.get(1).session());
    assertThat(opened.get(0).database().run()).isEmpty();
    assertThat(opened.get(1).database().run()).isNotEmpty();
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1 COMMITTED",
        "T2 began RC",
        "T2.1 UPDATE failed 08S01",
        "T2 UNKNOWN",
        "closed",
        "T3 began ?",
        "T3.1 UPDATE failed 08S01",
        "T3 UNKNOWN",
        "T4 began ?",
        "T4.1 UPDATE",
        "T4 COMMITTED",
        "T5 began ?",
        "T5.1 UPDATE",
        "T5 COMMITTED");
  }

  @Test
  void autocommittedWriteWithoutResponseHasUnknownOutcome() {
    session(Dialect.POSTGRESQL, true);
    fails("08006", 0);
    expect("T1 began RC", "T1.1 UPDATE failed 08006", "T1 UNKNOWN");
  }

  @Test
  void sqliteMayCommitAgainWhenItIsBusy() {
    session(Dialect.SQLITE, false);
    update();
    tracker.commitFailed(new SQLException("", null, 5));
    update();
    tracker.committed();
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE", "T1 COMMITTED");
  }

  @Test
  void ddlCommitsWhatIsOpen() {
    session(Dialect.MARIADB, false);
    update();
    tracker.controlled(new TransactionControl.ImplicitCommit());
    tracker.afterwards(StatementKind.DDL, "create", "", true).succeeded(true);
    update();
    tracker.rolledBack();
    expect(
        "T1 began RC",
        "T1.1 UPDATE",
        "T1 COMMITTED",
        "T2 began RC",
        "T2.1 DDL",
        "T2 COMMITTED",
        "T3 began RC",
        "T3.1 UPDATE",
        "T3 ABORTED");
  }

  @Test
  void failedDdlMayHaveCommittedUnlessItIsASyntaxError() {
    session(Dialect.H2, false);
    update();
    tracker.controlFailed(
        new TransactionControl.ImplicitCommit(), new SQLException("", "42000", 42000));
    update();
    tracker.controlFailed(
        new TransactionControl.ImplicitCommit(), new SQLException("", "42S01", 42101));
    expect("T1 began RC", "T1.1 UPDATE", "T1.2 UPDATE", "T1 UNKNOWN");
  }

  @Test
  void onH2AChangeOfLevelCommits() {
    session(Dialect.H2, false);
    update();
    tracker.level(IsolationLevel.SERIALIZABLE);
    update();
    expect("T1 began RC", "T1.1 UPDATE", "T1 COMMITTED", "T2 began SER", "T2.1 UPDATE");
  }

  @Test
  void batchPositionsHoldUntilAnotherStatementRuns() {
    update();
    List<SessionTracker.Position> batch = List.of(tracker.next(0), tracker.next(1));
    assertThat(batch).extracting(SessionTracker.Position::statement).containsExactly(2, 3);
    assertThat(tracker.stillHolds(batch)).isTrue();
    update();
    assertThat(tracker.stillHolds(batch)).isFalse();
    List<SessionTracker.Position> later = List.of(tracker.next(0));
    tracker.committed();
    assertThat(tracker.stillHolds(later)).isFalse();
    List<SessionTracker.Position> first = List.of(tracker.next(0), tracker.next(1));
    assertThat(tracker.stillHolds(first)).isTrue();
    Observation item = tracker.begin(first.get(0), StatementKind.INSERT, "insert", "");
    assertThat(item.token()).isEqualTo(first.get(0).token());
    assertThat(tracker.begin(first.get(1), StatementKind.INSERT, "insert", "").token())
        .isEqualTo(first.get(1).token());
  }

  @Test
  void batchPositionsFurtherAheadHoldWhileEnoughRemain() {
    update();
    SessionTracker.Position first = tracker.next(2);
    List<SessionTracker.Position> batch = List.of(first, first.after(1));
    assertThat(batch).extracting(SessionTracker.Position::statement).containsExactly(4, 5);
    update();
    update();
    assertThat(tracker.stillHolds(batch)).isTrue();
    update();
    assertThat(tracker.stillHolds(batch)).isFalse();
    assertThat(tracker.missedBy(first)).isEqualTo(1);
    SessionTracker.Position beyond = tracker.next(7);
    tracker.begin(beyond, StatementKind.INSERT, "insert", "").succeeded(true);
    assertThat(tracker.begin(StatementKind.UPDATE, "update", "").number())
        .as("what follows stands behind")
        .isEqualTo(beyond.statement() + 1);
    tracker.committed();
    assertThat(tracker.missedBy(beyond)).as("another transaction").isNegative();
  }

  @Test
  void autocommittedBatchItemsAreSeparateTransactions() {
    session(Dialect.H2, true);
    List<SessionTracker.Position> batch = List.of(tracker.next(0), tracker.next(1));
    for (SessionTracker.Position position : batch) {
      tracker.begin(position, StatementKind.INSERT, "insert", "").succeeded(false);
    }
    expect(
        "T1 began RC", "T1.1 INSERT", "T1 COMMITTED", "T2 began RC", "T2.1 INSERT", "T2 COMMITTED");
    assertThat(batch).allMatch(SessionTracker.Position::alone);
  }

  @Test
  void anEndCountsTheEventsOfItsTransaction() {
    update();
    tracker.savepoint("a");
    update();
    tracker.rolledBackTo("a");
    tracker.committed();
    Event.TransactionEnded end = (Event.TransactionEnded) events.get(events.size() - 1);
    assertThat(end.events()).isEqualTo(4);
  }

  @Test
  void rowsBeyondTheBoundAreCounted() {
    Observation read = select();
    int bound = Chunk.MAX_ROWS_BYTES / Observation.ROW_BYTES;
    for (int i = 0; i < bound + 5; i++) {
      read.row(Access.READ, "t", i, "");
    }
    read.succeeded(true);
    expect("T1 began RC", "gap OVERFLOW 1", "T1.1 SELECT rows " + bound);
  }
}
