package io.txwatch.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Small histories without a record of changes: versions are those that statements state. */
class StatedWritesTest {

  @Test
  void lostUpdate() {
    ValueHistory history =
        ValueHistory.stated(2)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(2, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .write(2, 1, 12)
            .commit(2);
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /** What an increment wrote is not known, and need not be. */
  @Test
  void lostUpdateByIncrements() {
    ValueHistory history =
        ValueHistory.stated(2)
            .begin(1)
            .begin(2)
            .read(2, 1, 10)
            .increment(1, 1)
            .commit(1)
            .increment(2, 1)
            .commit(2);
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  @Test
  void writeSkew() {
    ValueHistory history =
        ValueHistory.stated("PostgreSQL", IsolationLevel.REPEATABLE_READ, 2)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(1, 2, 20)
            .read(2, 1, 10)
            .read(2, 2, 20)
            .write(1, 1, 11)
            .write(2, 2, 21)
            .commit(1)
            .commit(2);
    assertConfirmed(history.anomalies(), Phenomenon.WRITE_SKEW);
  }

  @Test
  void readSkew() {
    ValueHistory history =
        ValueHistory.stated(2)
            .begin(1)
            .read(1, 1, 10)
            .begin(2)
            .write(2, 1, 11)
            .write(2, 2, 21)
            .commit(2)
            .read(1, 2, 21)
            .commit(1);
    assertThat(history.anomalies()).hasSize(1);
    assertThat(history.anomalies().get(0).confidence()).isEqualTo(Confidence.CONFIRMED);
    assertThat(history.anomalies().get(0).possible()).isFalse();
  }

  @Test
  void oneAfterAnotherIsNoAnomaly() {
    ValueHistory history = ValueHistory.stated(2);
    for (int i = 0; i < 20; i++) {
      int session = 1 + i % 2;
      history.begin(session).read(session, 1, i).write(session, 1, i + 1).commit(session);
    }
    assertThat(history.anomalies()).isEmpty();
    Resolution counts = counts(history);
    assertThat(counts.unique()).isEqualTo(20);
    assertThat(counts.rows()).isEqualTo(20);
  }

  @Test
  void whatWasRolledBackIsNoVersion() {
    ValueHistory history =
        ValueHistory.stated(2)
            .begin(1)
            .read(1, 1, 10)
            .begin(2)
            .read(2, 1, 10)
            .write(2, 1, 11)
            .rollback(2)
            .write(1, 1, 12)
            .commit(1);
    assertThat(history.anomalies()).isEmpty();
  }

  /** T1 may have committed while its end has not arrived. */
  @Test
  void aTransactionWaitsForTheWriterBeforeIt() {
    ValueHistory history =
        ValueHistory.stated(2).begin(1).write(1, 1, 11).begin(2).write(2, 1, 12).commit(2);
    List<Event> passed = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(passed::add, (session, tx, statement, rows) -> {}, 1 << 20);
    history.events().forEach(resolver::accept);
    assertThat(resolver.waiting()).isEqualTo(1);
    resolver.accept(new Event.EndTimed(1, 1, 1015, 1060));
    resolver.accept(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0, 2));
    assertThat(resolver.waiting()).isZero();
  }

  @Test
  void anOpenTransactionThatExecutedMoreSinceDelaysNobody() {
    ValueHistory history =
        ValueHistory.stated(2)
            .begin(1)
            .write(1, 1, 11)
            .begin(2)
            .read(2, 1, 10)
            .read(1, 2, 20)
            .commit(2);
    VersionResolver resolver =
        new VersionResolver(event -> {}, (session, tx, statement, rows) -> {}, 1 << 20);
    history.events().forEach(resolver::accept);
    assertThat(resolver.waiting()).isZero();
  }

  /** Somebody who is not watched set the row back to 10 before T2 read it. */
  @Test
  void anUnwatchedWriterMakesNoAnomaly() {
    ValueHistory history =
        ValueHistory.stated(2)
            .begin(1)
            .read(1, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .begin(2)
            .read(2, 1, 10)
            .write(2, 1, 12)
            .commit(2);
    assertThat(history.anomalies()).isEmpty();
    assertThat(counts(history).none()).isEqualTo(1);
  }

  /** The update by another column may have written the row, or not: either way it is lost. */
  @Test
  void lostUpdateBesideAWriteWhoseRowsAreNotStated() {
    ValueHistory history =
        ValueHistory.stated(3)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .begin(3)
            .writeSome(3)
            .commit(3)
            .write(2, 1, 11)
            .commit(2)
            .write(1, 1, 12)
            .commit(1);
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /** T3 may have set the row back to 10 after T2, and T1 may have read that. */
  @Test
  void aWriteWhoseRowsAreNotStatedMayHaveWrittenWhatWasRead() {
    ValueHistory history =
        ValueHistory.stated("PostgreSQL", IsolationLevel.REPEATABLE_READ, 3)
            .begin(2)
            .read(2, 1, 10)
            .commit(2)
            .begin(1)
            .statement(1, StatementKind.SELECT, List.of(), List.of())
            .begin(2)
            .write(2, 1, 11)
            .commit(2)
            .begin(3)
            .writeSome(3)
            .commit(3)
            .read(1, 1, 10)
            .write(1, 1, 12)
            .commit(1);
    assertThat(history.anomalies()).filteredOn(anomaly -> !anomaly.possible()).isEmpty();
  }

  /** They wrote to another row long before: they may have set this one back to 10 after T2. */
  @Test
  void whoWroteToTheTableOnceMayHaveWrittenWhatWasRead() {
    ValueHistory history =
        ValueHistory.stated("PostgreSQL", IsolationLevel.REPEATABLE_READ, 2)
            .begin(1)
            .write(1, 2, 5)
            .commit(1)
            .begin(2)
            .read(2, 2, 99)
            .commit(2)
            .begin(1)
            .write(1, 1, 10)
            .commit(1)
            .begin(1)
            .statement(1, StatementKind.SELECT, List.of(), List.of())
            .begin(2)
            .write(2, 1, 11)
            .commit(2)
            .read(1, 1, 10)
            .write(1, 1, 12)
            .commit(1);
    assertThat(history.anomalies()).filteredOn(anomaly -> !anomaly.possible()).isEmpty();
  }

  /**
   * The database was opened again after T1, whose outcome is not known, and may be committed late:
   * it may have set the row back to 10 after T3, and T4 may have read that.
   */
  @Test
  void anUnknownOutcomeMayBeACommitAfterAllSessionsWereClosed() {
    ValueHistory history =
        ValueHistory.stated("PostgreSQL", IsolationLevel.REPEATABLE_READ, 2)
            .begin(1)
            .writeSome(1)
            .add(new Event.TransactionEnded(1, 1, Outcome.UNKNOWN, 0, 2))
            .closed()
            .reopened(2)
            .begin(2)
            .read(2, 1, 10)
            .commit(2)
            .begin(1)
            .statement(1, StatementKind.SELECT, List.of(), List.of())
            .begin(2)
            .write(2, 1, 11)
            .commit(2)
            .read(1, 1, 10)
            .write(1, 1, 12)
            .commit(1);
    assertThat(history.anomalies()).filteredOn(anomaly -> !anomaly.possible()).isEmpty();
  }

  /** Two statements at the same time: nothing shows which was first, so neither overwrote one. */
  @Test
  void autocommittedWritesAtTheSameTimeHaveNoOrder() {
    ValueHistory history = ValueHistory.stated(2).begin(1).write(1, 1, 11).begin(2).write(2, 1, 12);
    long time = history.time();
    for (int session = 1; session <= 2; session++) {
      history
          .add(new Event.EndTimed(session, session, time - 10, time + 5))
          .add(new Event.TransactionEnded(session, session, Outcome.COMMITTED, 0, 2));
    }
    List<Long> writers = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {}, (session, tx, statement, rows) -> writers.add(tx), 1 << 20);
    history.events().forEach(resolver::accept);
    assertThat(writers).containsExactly(1L);
  }

  private static Resolution counts(ValueHistory history) {
    VersionResolver resolver =
        new VersionResolver(event -> {}, (session, tx, statement, rows) -> {}, 1 << 20);
    history.events().forEach(resolver::accept);
    resolver.flush();
    return resolver.counts();
  }

  private static void assertConfirmed(List<Anomaly> found, Phenomenon phenomenon) {
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(phenomenon);
    assertThat(found).extracting(Anomaly::confidence).containsOnly(Confidence.CONFIRMED);
    assertThat(found).extracting(Anomaly::possible).containsOnly(false);
  }
}
