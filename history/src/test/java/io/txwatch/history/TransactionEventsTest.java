package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is emitted of a transaction that observes half of the rows. */
class TransactionEventsTest {

  private static final RowShare HALF = new RowShare(RowShare.STEPS_TO_HALF);
  private static final long INSIDE = row(true);
  private static final long OUTSIDE = row(false);

  private final List<Event> emitted = new ArrayList<>();
  private final List<Event> announced = new ArrayList<>();
  private final LoadShedding shedding = new LoadShedding();
  private int statements;

  private static long row(boolean inside) {
    return LongStream.range(0, 1000)
        .filter(row -> HALF.contains("t", row) == inside)
        .findFirst()
        .orElseThrow();
  }

  private TransactionEvents begin(boolean isOverloaded) {
    if (isOverloaded) {
      shedding.adjust(8, 56, 0, 64, 0, 0, 1, announced::add);
      shedding.adjust(16, 68, 0, 64, 0, 0, 1, announced::add);
    }
    return new TransactionEvents(
        shedding, emitted::add, 1, 2, IsolationLevel.READ_COMMITTED, 0, "name", "trace");
  }

  private static Event.TransactionBegan began(RowShare share) {
    return new Event.TransactionBegan(
        1, 2, IsolationLevel.READ_COMMITTED, 0, "name", "trace", share);
  }

  private Event.StatementExecuted statement(StatementKind kind, long... rows) {
    List<RowAccess> accesses =
        LongStream.of(rows)
            .mapToObj(row -> new RowAccess(Access.READ, "t", row, WriterList.INITIAL))
            .toList();
    return new Event.StatementExecuted(1, 2, ++statements, kind, "", "", accesses, true, null);
  }

  private Event.StatementExecuted select(long... rows) {
    return statement(StatementKind.SELECT, rows);
  }

  private Event.StatementExecuted withSet(Event.StatementExecuted event) {
    VersionSet set = new VersionSet("t", 0, new long[] {OUTSIDE}, WriterToken.of(0, 0), true);
    return new Event.StatementExecuted(
        event.session(),
        event.transaction(),
        event.statement(),
        event.kind(),
        event.sql(),
        event.callSite(),
        event.rows(),
        event.writesSeen(),
        event.sqlState(),
        List.of(set));
  }

  private static Event.TransactionEnded ended(int events) {
    return new Event.TransactionEnded(1, 2, Outcome.COMMITTED, 9, events);
  }

  @Test
  void withoutOverloadEverythingIsEmittedAtOnce() {
    TransactionEvents transaction = begin(false);
    assertThat(emitted).containsExactly(began(RowShare.ALL));
    Event.StatementExecuted statement = withSet(select(OUTSIDE));
    transaction.executed(statement);
    transaction.ended(1, 2, Outcome.COMMITTED, 9);
    assertThat(emitted).containsExactly(began(RowShare.ALL), statement, ended(2));
  }

  @Test
  void statementsOnOtherRowsAreOmittedAndTheBeginningIsLate() {
    TransactionEvents transaction = begin(true);
    transaction.executed(select(OUTSIDE));
    transaction.undone(new Event.StatementsUndone(1, 2, 1, 1));
    assertThat(emitted).isEmpty();
    Event.StatementExecuted inside = select(INSIDE);
    transaction.executed(inside);
    Event.StatementsUndone undone = new Event.StatementsUndone(1, 2, 2, 2);
    transaction.undone(undone);
    transaction.executed(select(OUTSIDE));
    transaction.ended(1, 2, Outcome.COMMITTED, 9);
    assertThat(emitted).containsExactly(began(HALF), inside, undone, ended(3));
    assertOmitted(2, 0);
  }

  @Test
  void transactionWithoutRowsOfTheShareIsOnlyCounted() {
    TransactionEvents transaction = begin(true);
    transaction.executed(select(OUTSIDE));
    transaction.executed(select());
    transaction.ended(1, 2, Outcome.COMMITTED, 9);
    assertThat(emitted).isEmpty();
    assertOmitted(2, 1);
  }

  @Test
  void otherRowsAndVersionSetsOfAStatementAreOmitted() {
    TransactionEvents transaction = begin(true);
    transaction.executed(withSet(statement(StatementKind.LOCKING_SELECT, OUTSIDE, INSIDE)));
    transaction.ended(1, 2, Outcome.COMMITTED, 9);
    Event.StatementExecuted kept = (Event.StatementExecuted) emitted.get(1);
    assertThat(kept.rows()).extracting(RowAccess::row).containsExactly(INSIDE);
    assertThat(kept.versionSets()).isEmpty();
    assertOmitted(1, 0);
  }

  /** Their rows may be of the share. */
  @Test
  void statementsWhoseRowsWereNotObservedAreEmitted() {
    TransactionEvents transaction = begin(true);
    Event.StatementExecuted update = statement(StatementKind.UPDATE);
    Event.StatementExecuted locking = statement(StatementKind.LOCKING_SELECT);
    transaction.executed(update);
    transaction.executed(locking);
    Event.Gap gap = new Event.Gap(1, 2, GapReason.SHAPE, "", 1);
    Event.StatementExecuted select = select();
    transaction.gap(gap);
    transaction.executed(select);
    transaction.executed(select());
    Event.TransactionIdentified identified = new Event.TransactionIdentified(1, 2, 3);
    transaction.identified(identified);
    transaction.ended(1, 2, Outcome.COMMITTED, 9);
    assertThat(emitted)
        .containsExactly(began(HALF), update, locking, gap, select, identified, ended(4));
  }

  @Test
  void gapOfAVersionSetIsOmittedAsTheSetIs() {
    TransactionEvents transaction = begin(true);
    transaction.gap(new Event.Gap(1, 2, GapReason.TOO_LARGE, "t", 1));
    transaction.executed(select(OUTSIDE));
    transaction.ended(1, 2, Outcome.COMMITTED, 9);
    assertThat(emitted).isEmpty();
  }

  private void assertOmitted(long statements, long transactions) {
    shedding.adjust(64, 64, 0, 64, 1_000_000_000, 0, 1, announced::add);
    assertThat(announced).last().isEqualTo(new Event.RowsShed(1, HALF, statements, transactions));
  }
}
