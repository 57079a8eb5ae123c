package io.txwatch.version;

import static io.txwatch.version.ValueHistory.HASH;
import static io.txwatch.version.ValueHistory.delete;
import static io.txwatch.version.ValueHistory.insert;
import static io.txwatch.version.ValueHistory.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.KnownRow;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowShare;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import io.txwatch.report.JsonReport;
import io.txwatch.report.TextReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small histories by value, as in the papers' figures. */
class VersionResolverTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lostUpdate(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(2, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .write(2, 1, 12)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 12, 0))
            .recorded();
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /** Another row has the key of one that was deleted: another id, and the same name. */
  @Test
  void aRowIsNamedByItsKeyWheneverItWasInserted() {
    ValueHistory history =
        new ValueHistory(2)
            .add(new Event.RowNamed(1, "t", HASH.ofKey(1), "1"))
            .begin(1)
            .delete(1, 1)
            .insert(1, 1)
            .commit(1)
            .changed(1, delete(1, 9, 0), insert(1, 10, 1))
            .recorded()
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(2, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .write(2, 1, 12)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 12, 0))
            .recorded();
    assertThat(history.anomalies())
        .singleElement()
        .satisfies(one -> assertThat(one.cycle()).allMatch(edge -> edge.key().equals("1")));
  }

  /** The second one finds the value that it writes: the log does not show it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lostUpdateByTheSameValue(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(2, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .write(2, 1, 11)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .recorded();
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /** The first one wrote the value that was there, before the other one changed it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noUpdateIsLostThatChangedNothingBeforeTheOther(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(2, 1, 10)
            .write(2, 1, 10)
            .commit(2)
            .write(1, 1, 11)
            .commit(1)
            .changed(1, update(1, 10, 11, 0))
            .recorded();
    assertThat(history.anomalies()).isEmpty();
  }

  /** The log was not read yet up to the end of that transaction when the next one's change came. */
  @Test
  void aTransactionThatOnlySetsAVariableChangedNothing() {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, true, 2)
            .begin(1)
            .statement(1, StatementKind.OTHER, List.of(), List.of())
            .commit(1)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(2, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .write(2, 1, 12)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 12, 0))
            .recorded();
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /**
   * The record shows what an autocommitted statement did before its thread goes on and emits its
   * events.
   *
   * @param arrived how many of the five events of the writer precede its change
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void aChangeMayArriveBeforeTheEventsOfItsWriter(int arrived) {
    ValueHistory history = new ValueHistory(2).begin(1).read(1, 1, 10);
    ahead(history.begin(2).write(2, 1, 11), 2, arrived, update(1, 10, 11, 0));
    history.recorded().write(1, 1, 12).commit(1).changed(1, update(1, 11, 12, 0)).recorded();
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /** Without numbers of connections as well; the beginning of a transaction precedes its change. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void aChangeWithoutANumberMayArriveBeforeTheEventsOfItsWriter(int arrived) {
    ValueHistory history = withoutNumbers().begin(1).read(1, 1, 10);
    ahead(history.begin(2).write(2, 1, 11), 2, arrived, update(1, 10, 11, 0));
    history.recorded().write(1, 1, 12).commit(1).changed(1, update(1, 11, 12, 0)).recorded();
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  /**
   * The first one adds nothing; somebody else changed the row; then the second one adds something,
   * and its change is read before its events.
   */
  @ParameterizedTest
  @CsvSource({"1, true", "2, true", "3, true", "4, true", "1, false", "2, false", "3, false"})
  void aChangeIsNotAnEarlierTransactionsOfItsSession(int arrived, boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .increment(1, 1)
            .commit(1)
            .changed(55, update(1, 8, 9, 0));
    ahead(history.begin(1).increment(1, 1), 1, arrived, update(1, 9, 10, 0));
    assertThat(readAfterwards(history)).isNotEmpty().doesNotContain(1L);
  }

  /**
   * The first one adds nothing; then a batch adds something to two rows. Its last item begins
   * before it is sent, the first one afterwards.
   *
   * @param arrived how many of the events after that precede the changes
   */
  @ParameterizedTest
  @CsvSource({"0, true", "2, true", "5, true", "7, true", "0, false", "2, false", "5, false"})
  void aChangeOfABatchIsNotAnEarlierTransactionsOfItsSession(int arrived, boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .increment(1, 1)
            .commit(1);
    List<Event> events = history.events();
    int ahead = events.size();
    history.begin(1).increment(1, 1).autocommitted(1).begin(1).increment(1, 2).autocommitted(1);
    events.add(ahead, events.remove(ahead + 5));
    history.passes(-7).changed(1, update(1, 9, 10, 0)).changed(1, update(2, 7, 8, 0)).passes(7);
    for (int i = 0; i < 2; i++) {
      events.add(ahead + 1 + arrived + i, events.remove(events.size() - 2 + i));
    }
    assertThat(readAfterwards(history)).isNotEmpty().doesNotContain(1L);
  }

  /**
   * Commits the last statement with its execution; its change is read before its events have
   * arrived.
   *
   * @param arrived how many of the five events of the transaction have
   */
  private static void ahead(ValueHistory history, int session, int arrived, RowChange change) {
    history.autocommitted(session);
    List<Event> events = history.events();
    int writer = events.size() - 5;
    history.passes(-7).changed(session, change).passes(7);
    events.add(writer + arrived, events.remove(events.size() - 1));
  }

  /** MariaDB's driver sends a batch of inserts as one statement, in parts if it is long. */
  @ParameterizedTest
  @CsvSource({"true, 0", "false, 0", "true, 1", "false, 1"})
  void oneGroupOfChangesMayBeOfSeveralItemsOfABatch(boolean numbered, int groupOfLast) {
    ValueHistory history =
        new ValueHistory("MariaDB", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .insertBatch(1, 5, 6, 7)
            .read(1, 6, 1)
            .commit(1)
            .changed(1, insert(5, 1, 0), insert(6, 1, 0), insert(7, 1, groupOfLast))
            .recorded();
    List<String> found = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {},
            (session, transaction, statement, rows) ->
                rows.forEach(row -> found.add(statement + " " + row.access().access())),
            1 << 20);
    history.events().forEach(resolver::accept);
    assertThat(found).containsExactly("1 INSERT", "2 INSERT", "3 INSERT", "4 READ");
    assertThat(resolver.counts().unique()).isOne();
  }

  /** Which of its items wrote a row is not known, but all were executed after the read. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasReadBeforeABatchIsNotOfTheBatch(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MariaDB", IsolationLevel.READ_COMMITTED, numbered, 2)
            .begin(1)
            .read(1, 6, 1)
            .increment(1, 5)
            .passes(-9)
            .increment(1, 6)
            .passes(-9)
            .increment(1, 6)
            .commit(1)
            .changed(1, update(5, 1, 2, 0), update(6, 1, 2, 0), update(6, 2, 3, 0))
            .recorded();
    assertThat(writersRead(history, 1, 1)).containsExactly(0L);
  }

  /** Somebody who is not watched had inserted the row before; this one may have written it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aVersionThatWasRecordedBeforeTheReadersCommitIsNotItsOwn(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 2)
            .changed(55, insert(1, 10, 0))
            .changed(55, insert(2, 20, 0))
            .recorded()
            .begin(1)
            .read(1, 1, 10)
            .begin(2)
            .write(2, 1, 12)
            .write(2, 2, 18)
            .commit(2)
            .changed(2, update(1, 10, 12, 0), update(2, 20, 18, 1))
            .writeSome(1)
            .read(1, 2, 18)
            .commit(1)
            .recorded();
    assertConfirmed(history.anomalies(), Phenomenon.READ_SKEW);
  }

  /** Nobody waits for long for the events of a session that does something unobserved. */
  @Test
  void aChangeWhoseEventsDoNotArriveIsNobodys() {
    ValueHistory history = new ValueHistory(2).begin(2).read(2, 5, 50).commit(2).recorded();
    history.changed(2, update(1, 10, 11, 0)).begin(1).read(1, 1, 11).commit(1).recorded();
    int waiting = history.events().size();
    history.passes(VersionResolver.MAX_DELAY_NANOS).recorded();
    VersionResolver resolver =
        new VersionResolver(event -> {}, (session, transaction, statement, rows) -> {}, 1 << 24);
    history.events().subList(0, waiting).forEach(resolver::accept);
    assertThat(resolver.waiting()).isPositive();
    history.events().subList(waiting, history.events().size()).forEach(resolver::accept);
    assertThat(resolver.waiting()).isZero();
    assertThat(resolver.counts().unique()).isEqualTo(2);
  }

  /** During a read two commits set a column to another value and back. */
  @ParameterizedTest
  @CsvSource({
    "READ_COMMITTED, false, 1, 0",
    "READ_COMMITTED, true, 0, 1",
    "READ_UNCOMMITTED, false, 0, 1"
  })
  void aReadIsOneOfARunOfVersionsOrOfSeveral(
      IsolationLevel level, boolean differ, long run, long several) {
    ValueHistory history = new ValueHistory("MySQL", level, true, 3).begin(1).begin(2).begin(3);
    history.write(1, 1, 11).commit(1).changed(1, update(1, 10, 11, 0));
    history.write(2, 1, 10).commit(2).changed(2, update(1, 11, 10, 0));
    List<Event> events = history.events();
    RowValues read =
        differ
            ? ValueHistory.row(1, 10)
            : new RowValues("t", List.of("id"), new long[] {HASH.ofKey(1)}, new int[] {HASH.of(1)});
    history.statement(3, StatementKind.SELECT, List.of(read), List.of());
    Event.ValuesObserved one = (Event.ValuesObserved) events.remove(events.size() - 1);
    events.add(
        new Event.ValuesObserved(
            one.session(),
            one.transaction(),
            one.statement(),
            0,
            one.returned(),
            one.reads(),
            List.of(),
            ""));
    VersionResolver resolver =
        new VersionResolver(event -> {}, (session, transaction, statement, rows) -> {}, 1 << 24);
    history.commit(3).recorded().events().forEach(resolver::accept);
    assertThat(resolver.counts()).isEqualTo(new Resolution(0, run, several, 0, 0, 0));
  }

  /** A read is resolved although its row was written often before its events arrived. */
  @ParameterizedTest
  @ValueSource(ints = {3, 10, 100, 300})
  void aReadArrivesAfterLaterWritesOfItsRow(int writes) {
    ValueHistory history = new ValueHistory(2).begin(1).write(1, 1, 1).commit(1);
    history.changed(1, update(1, 0, 1, 0)).recorded();
    int before = history.events().size();
    history.begin(2).read(2, 1, 1).commit(2);
    List<Event> read = new ArrayList<>(history.events().subList(before, history.events().size()));
    history.events().removeAll(read);
    for (int i = 1; i <= writes; i++) {
      history.begin(1).write(1, 1, 1 + i).commit(1).changed(1, update(1, i, 1 + i, 0)).recorded();
    }
    history.events().addAll(read);
    VersionResolver resolver =
        new VersionResolver(event -> {}, (session, transaction, statement, rows) -> {}, 1 << 24);
    history.recorded().events().forEach(resolver::accept);
    assertThat(resolver.counts()).isEqualTo(new Resolution(1, 0, 0, 0, 0, 0));
  }

  /** The change may be of somebody else, who made it before the transaction read that value. */
  @Test
  void aReadBeforeItsOwnWriteOfTheSameValueMayBeOfSomebodyElse() {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, false, 1)
            .begin(1)
            .changed(0, update(1, 10, 11, 0))
            .read(1, 1, 10)
            .write(1, 1, 10)
            .commit(1)
            .changed(0, update(1, 11, 10, 0))
            .recorded();
    List<Integer> statements = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {},
            (session, transaction, statement, rows) -> statements.add(statement),
            1 << 24);
    history.events().forEach(resolver::accept);
    assertThat(statements).containsExactly(2);
    assertThat(resolver.counts().unrecorded()).isEqualTo(1);
  }

  /** Somebody else changed it afterwards and set it back. */
  @Test
  void aWriterOfTheValueThatWasThereDidNotChangeItToAndFro() {
    ValueHistory history = withoutNumbers().begin(1).write(1, 1, 10).write(1, 1, 10).commit(1);
    assertThat(readAfterwards(history, update(1, 10, 11, 0), update(1, 11, 10, 1)))
        .isNotEmpty()
        .doesNotContain(1L);
  }

  /** As of payments of one shop by several customers, with a journal that has no key. */
  @Test
  void anInsertOfUnknownRowsDoesNotMakeAnotherTablesChangesItsOwn() {
    ValueHistory history = new ValueHistory("MariaDB", IsolationLevel.READ_COMMITTED, false, 3);
    RowValues unknown = new RowValues("journal", List.of(), new long[0], new int[0]);
    List<StatedWrite> journal = List.of(new StatedWrite(Access.INSERT, unknown, false));
    history.begin(1).increment(1, 1).increment(1, 2);
    history.statement(1, StatementKind.INSERT, List.of(), journal).commit(1);
    history.begin(3).increment(3, 1).increment(3, 3);
    history.statement(3, StatementKind.INSERT, List.of(), journal).commit(3);
    history.changed(0, update(1, 8, 9, 0), update(2, 8, 9, 1));
    history.changed(0, update(1, 9, 10, 0), update(3, 8, 9, 1));
    assertThat(readAfterwards(history)).containsExactly(2L);
  }

  /** Whatever it found, 9 or 8, it changed it; and no other record shows what it states. */
  @Test
  void whoStatesAValueThatTheRowNeverHadIsItsWriterWhoeverWroteTheRowBeforeAndAfter() {
    ValueHistory history =
        withoutNumbers().begin(1).write(1, 1, 10).changed(0, update(1, 9, 8, 0)).commit(1);
    history.changed(0, update(1, 8, 10, 0));
    assertThat(readAfterwards(history)).containsExactly(1L);
    history.changed(0, update(1, 10, 7, 0));
    assertThat(writersRead(history.recorded(), 2, 1)).containsExactly(1L);
  }

  /** It may have found the same value, and changed nothing, or have made another one of these. */
  @ParameterizedTest
  @CsvSource({"10, 8", "9, 10"})
  void whoStatesAValueThatTheRowMayHaveHadIsNotCertainlyItsWriter(int first, int second) {
    ValueHistory history = withoutNumbers().begin(1).write(1, 1, 10);
    history.changed(0, update(1, first, second, 0));
    if (second == 10) {
      history.changed(0, update(1, 10, 8, 0));
    }
    history.commit(1).changed(0, update(1, 8, 10, 0));
    assertThat(readAfterwards(history)).isNotEmpty().doesNotContain(1L);
  }

  @Test
  void whoStatesAValueThatTwoRecordsShowIsNotCertainlyItsWriter() {
    ValueHistory history = withoutNumbers().begin(1).write(1, 1, 10);
    history.changed(0, update(1, 9, 8, 0)).commit(1).changed(0, update(1, 8, 10, 0));
    history.changed(0, update(1, 10, 8, 0)).changed(0, update(1, 8, 10, 0));
    assertThat(readAfterwards(history)).doesNotContain(1L);
  }

  /** A change that is missing may have been its own. */
  @Test
  void whoStatesAValueMayHaveWrittenItWhereTheRecordMissesSomething() {
    ValueHistory history = withoutNumbers().begin(1).write(1, 1, 10);
    history.changed(0, update(1, 9, 8, 0)).commit(1).changed(0, update(1, 7, 10, 0));
    assertThat(readAfterwards(history)).isNotEmpty().doesNotContain(1L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriterOfOneColumnDidNotChangeAnotherColumn(boolean isValueStated) {
    ValueHistory history = withoutNumbers().begin(1);
    if (isValueStated) {
      history.write(1, 1, 10);
    } else {
      history.increment(1, 1); // by 0
    }
    ValueHash hash = ValueHistory.HASH;
    RowChange ofOther =
        new RowChange(
            Access.UPDATE,
            "t",
            List.of("id", "v", "other"),
            hash.ofKey(1),
            hash.ofKey(1),
            new int[] {hash.of(1), hash.of(10), hash.of(5)},
            new int[] {hash.of(1), hash.of(10), hash.of(6)},
            0);
    assertThat(readAfterwards(history.commit(1), ofOther)).isNotEmpty().doesNotContain(1L);
  }

  @Test
  void anIncrementThatNobodyElseStatesIsItsWriters() {
    ValueHistory history = withoutNumbers().begin(1).increment(1, 1).commit(1);
    assertThat(readAfterwards(history, update(1, 9, 10, 0))).containsExactly(1L);
  }

  /** Somebody else updated the row after it. */
  @Test
  void whoInsertedARowDidNotUpdateIt() {
    ValueHistory history = withoutNumbers().begin(1).insert(1, 1).commit(1);
    assertThat(readAfterwards(history, update(1, 9, 10, 0))).isNotEmpty().doesNotContain(1L);
  }

  @Test
  void whoUpdatedARowDidNotInsertIt() {
    ValueHistory history = withoutNumbers().begin(1).increment(1, 1).commit(1);
    assertThat(readAfterwards(history, insert(1, 10, 0))).isNotEmpty().doesNotContain(1L);
  }

  @Test
  void whoInsertedARowAndDeletedItDidNotDeleteItAndInsertIt() {
    ValueHistory history = withoutNumbers().begin(1).insert(1, 1).delete(1, 1).commit(1);
    assertThat(readAfterwards(history, delete(1, 9, 0), insert(1, 10, 1)))
        .isNotEmpty()
        .doesNotContain(1L);
  }

  /** INSERT INTO t (v) VALUES (value), under a key that the DBMS generates. */
  private static ValueHistory generated(ValueHistory history, int session, long value) {
    RowValues inserted =
        new RowValues("t", List.of("v"), new long[] {0}, new int[] {HASH.of(value)});
    return history.statement(
        session,
        StatementKind.INSERT,
        List.of(),
        List.of(new StatedWrite(Access.INSERT, inserted, false)));
  }

  /** Its increment alone may have changed nothing; with the new row it is the one in the record. */
  @Test
  void whoInsertedARowUnderAGeneratedKeyChangedSomething() {
    ValueHistory history = new ValueHistory(2).begin(1).increment(1, 1);
    generated(history, 1, 5).commit(1).begin(1).increment(1, 1);
    generated(history, 1, 5).commit(1);
    history.changed(1, update(1, 9, 10, 0), insert(7, 5, 1));
    assertThat(readAfterwards(history)).containsExactly(1L);
  }

  @Test
  void whoInsertedARowUnderAGeneratedKeyIsNotTheWriterWithoutIt() {
    ValueHistory history = new ValueHistory(2).begin(1);
    generated(history, 1, 5).commit(1).changed(1, update(1, 9, 10, 0));
    assertThat(readAfterwards(history)).isNotEmpty().doesNotContain(1L);
  }

  @Test
  void aRowThatATriggerChangesAfterItWasInsertedIsItsWriters() {
    ValueHistory history = withoutNumbers().begin(1).insert(1, 1).commit(1);
    assertThat(readAfterwards(history, insert(1, 9, 0), update(1, 9, 10, 0))).containsExactly(1L);
  }

  /** It may have assigned the value that was there: then it is its own, and nobody else's. */
  @Test
  void aColumnThatATriggerLeftAsItWasIsNotReadOfTheVersionBefore() {
    ValueHash hash = ValueHistory.HASH;
    RowValues copied =
        new RowValues("copy", List.of("v"), new long[] {hash.ofKey(1)}, new int[] {hash.of(10)});
    ValueHistory history =
        new ValueHistory(2)
            .begin(1)
            .write(1, 1, 10)
            .commit(1)
            .changed(1, update(1, 9, 10, 0), copy(9, 10, 5))
            .recorded()
            .begin(2)
            .write(2, 1, 10)
            .statement(2, StatementKind.SELECT, List.of(copied), List.of())
            .commit(2)
            .changed(2, update(1, 10, 10, 0), copy(10, 10, 6))
            .recorded();
    assertThat(writersRead(history, 2, 2)).isEmpty();
  }

  /** What a trigger changes in row 1 of another table. */
  private static RowChange copy(int before, int after, int other) {
    ValueHash hash = ValueHistory.HASH;
    return new RowChange(
        Access.UPDATE,
        "copy",
        List.of("id", "v", "other"),
        hash.ofKey(1),
        hash.ofKey(1),
        new int[] {hash.of(1), hash.of(before), hash.of(other - 1)},
        new int[] {hash.of(1), hash.of(after), hash.of(other)},
        0);
  }

  private static ValueHistory withoutNumbers() {
    return new ValueHistory("MariaDB", IsolationLevel.READ_COMMITTED, false, 2);
  }

  /** The writers that are known as those of row 1, which session 2 reads with value 10. */
  private static List<Long> readAfterwards(ValueHistory history, RowChange... changes) {
    history.begin(2).read(2, 1, 10).commit(2);
    if (changes.length > 0) {
      history.changed(0, changes);
    }
    return writersRead(history.recorded(), 2, 1);
  }

  /** The last writers of the rows that a session's statements of a number read. */
  private static List<Long> writersRead(ValueHistory history, int reader, int number) {
    List<Long> writers = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {},
            (session, transaction, statement, rows) -> {
              if (session == reader && statement == number) {
                rows.forEach(row -> writers.add(lastWriter(row.access().writers())));
              }
            },
            1 << 20);
    history.events().forEach(resolver::accept);
    resolver.flush();
    return writers;
  }

  /** 0 for what was there first. */
  private static long lastWriter(WriterList writers) {
    return writers.size() == 0 ? 0 : writers.transaction(writers.size() - 1);
  }

  /** Each may be either of the two by what it states; their order decides. */
  @Test
  void incrementsOfOneSessionAreItsTransactionsInOrder() {
    ValueHistory history =
        new ValueHistory(2)
            .begin(1)
            .increment(1, 1)
            .commit(1)
            .begin(2)
            .read(2, 1, 11)
            .begin(1)
            .increment(1, 1)
            .commit(1)
            .write(2, 1, 99)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(1, update(1, 11, 12, 0))
            .changed(2, update(1, 12, 99, 0))
            .recorded();
    assertConfirmed(history.anomalies(), Phenomenon.LOST_UPDATE);
  }

  @Test
  void readThatFollowsTheWriteIsNoAnomaly() {
    ValueHistory history =
        new ValueHistory(2)
            .begin(1)
            .read(1, 1, 10)
            .write(1, 1, 11)
            .commit(1)
            .begin(2)
            .read(2, 1, 11)
            .write(2, 1, 12)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 12, 0))
            .recorded();
    assertThat(history.anomalies()).isEmpty();
  }

  @Test
  void writeSkew() {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.REPEATABLE_READ, true, 2)
            .begin(1)
            .begin(2)
            .read(1, 1, 10)
            .read(1, 2, 20)
            .read(2, 1, 10)
            .read(2, 2, 20)
            .write(1, 1, 11)
            .write(2, 2, 21)
            .commit(1)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(2, update(2, 20, 21, 0))
            .recorded();
    assertConfirmed(history.anomalies(), Phenomenon.WRITE_SKEW);
  }

  /**
   * The log names no connections, so that somebody else may have written these values before. A row
   * that was chosen has a version for which the condition is true: the one before, or either.
   */
  @ParameterizedTest
  @CsvSource({"5, true", "-1, false"})
  void aRowThatWasChosenHadAVersionThatIsChosen(long least, boolean isKnown) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.REPEATABLE_READ, false, 2)
            .begin(1)
            .begin(2)
            .choose(1, least, 1, 2)
            .choose(2, least, 1, 2)
            .write(1, 1, 0)
            .write(2, 2, 0)
            .commit(1)
            .commit(2)
            .changed(1, update(1, 10, 0, 0))
            .changed(2, update(2, 10, 0, 0))
            .recorded();
    assertThat(history.anomalies().stream().map(Anomaly::phenomenon).toList())
        .isEqualTo(isKnown ? List.of(Phenomenon.WRITE_SKEW) : List.of());
  }

  /** InnoDB takes its snapshot later, so the value read may be that of the last version. */
  /**
   * H2 takes a snapshot of a table when a transaction first uses it: which of the versions with 10
   * it shows is not known from the first read of another table.
   */
  @Test
  void h2TakesASnapshotOfEachTableAtRepeatableRead() {
    RowValues other =
        new RowValues("other", List.of(), new long[] {ValueHistory.HASH.ofKey(1)}, new int[0]);
    ValueHistory history =
        new ValueHistory("H2", IsolationLevel.REPEATABLE_READ, true, 2)
            .begin(1)
            .statement(1, StatementKind.SELECT, List.of(other), List.of())
            .begin(2)
            .write(2, 1, 11)
            .commit(2)
            .begin(2)
            .write(2, 1, 10)
            .commit(2)
            .read(1, 1, 10)
            .write(1, 3, 12)
            .commit(1)
            .changed(2, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 10, 0))
            .changed(1, update(3, 10, 12, 0))
            .recorded();
    assertThat(writersRead(history, 1, 2)).contains(0L, 3L);
  }

  @Test
  void selectWithoutATableTakesNoSnapshot() {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.REPEATABLE_READ, true, 2)
            .begin(1)
            .statement(1, StatementKind.SELECT, List.of(), List.of())
            .begin(2)
            .write(2, 1, 11)
            .commit(2)
            .begin(2)
            .write(2, 1, 10)
            .commit(2)
            .read(1, 1, 10)
            .write(1, 1, 12)
            .commit(1)
            .changed(2, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 10, 0))
            .changed(1, update(1, 10, 12, 0))
            .recorded();
    assertThat(history.anomalies()).filteredOn(anomaly -> !anomaly.possible()).isEmpty();
  }

  @Test
  void readSkew() {
    ValueHistory history =
        new ValueHistory(2)
            .begin(1)
            .read(1, 1, 10)
            .begin(2)
            .write(2, 1, 11)
            .write(2, 2, 21)
            .commit(2)
            .read(1, 2, 21)
            .commit(1)
            .changed(2, update(1, 10, 11, 0), update(2, 20, 21, 1))
            .recorded();
    assertThat(history.anomalies()).hasSize(1);
    assertThat(history.anomalies().get(0).confidence()).isEqualTo(Confidence.CONFIRMED);
  }

  /** A value that nobody committed is never attributed. */
  @Test
  void valueOfAnAbortedWriteIsNotResolved() {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_UNCOMMITTED, true, 2)
            .begin(1)
            .write(1, 1, 11)
            .begin(2)
            .read(2, 1, 11)
            .rollback(1)
            .commit(2)
            .begin(1)
            .write(1, 1, 12)
            .commit(1)
            .changed(1, update(1, 10, 12, 0))
            .recorded();
    assertThat(history.anomalies()).isEmpty();
  }

  /** The value alone fits both versions, and both were current while the statement ran. */
  @Test
  void sameValueTwiceLeavesBounds() {
    ValueHistory history =
        new ValueHistory(3)
            .begin(1)
            .write(1, 1, 11)
            .begin(2)
            .begin(3)
            .read(3, 1, 10)
            .commit(1)
            .write(2, 1, 10)
            .commit(2)
            .changed(1, update(1, 10, 11, 0))
            .changed(2, update(1, 11, 10, 0))
            .commit(3)
            .recorded();
    assertThat(history.anomalies()).isEmpty();
  }

  @Test
  void changeByAnUnwatchedWriterSeparatesTwoReads() {
    ValueHistory history =
        new ValueHistory(2)
            .begin(1)
            .read(1, 1, 10)
            .changed(55, update(1, 10, 11, 0))
            .recorded()
            .passes(RecordedTransaction.UNWATCHED_DELAY_NANOS * 2)
            .read(1, 1, 11)
            .begin(2)
            .read(2, 1, 11)
            .write(2, 1, 12)
            .commit(2)
            .commit(1)
            .changed(2, update(1, 11, 12, 0))
            .recorded();
    List<Anomaly> found = history.anomalies();
    assertConfirmed(found, Phenomenon.NON_REPEATABLE_READ);
    assertThat(sessions(found)).containsExactly("s1", NOT_WATCHED + " (connection 155)");
  }

  /** A client that nobody watches has connection 155. */
  private static final String NOT_WATCHED = "a session that is not watched";

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lostUpdateBySomebodyWhoIsNotWatched(boolean numbered) {
    List<Anomaly> found =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 1)
            .lostToOther()
            .anomalies();

    assertConfirmed(found, Phenomenon.LOST_UPDATE);
    assertThat(sessions(found))
        .containsExactlyInAnyOrder("s1", NOT_WATCHED + (numbered ? " (connection 155)" : ""));
    assertThat(found).extracting(Anomaly::verdict).containsOnly(Verdict.HAZARD);
    assertThat(TextReport.of(found.get(0)))
        .contains("UPDATE t (not watched)")
        .contains(numbered ? "watched (connection 155))" : "watched)");
    assertThat(JsonReport.anomaly(found.get(0))).contains(NOT_WATCHED);
  }

  private static List<String> sessions(List<Anomaly> found) {
    return found.stream()
        .flatMap(anomaly -> anomaly.transactions().stream())
        .map(ObservedTransaction::session)
        .toList();
  }

  private static List<Event> notWatched(ValueHistory history) {
    return notWatched(history.events());
  }

  private static List<Event> notWatched(List<Event> events) {
    List<Event> found = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {},
            new VersionResolver.Listener() {
              @Override
              public void known(
                  long session, long transaction, int statement, List<KnownRow> rows) {}

              @Override
              public void notWatched(List<Event> events) {
                found.addAll(events);
              }
            },
            1 << 20);
    events.forEach(resolver::accept);
    resolver.flush();
    return found;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rowsThatNoWatchedTransactionUsedAreNotPassedOn(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 1)
            .begin(1)
            .read(1, 1, 10)
            .changed(55, update(2, 10, 11, 0), update(3, 10, 11, 0))
            .recorded()
            .write(1, 1, 12)
            .commit(1)
            .changed(1, update(1, 10, 12, 0))
            .recorded();
    assertThat(notWatched(history)).isEmpty();
    assertThat(history.anomalies()).isEmpty();
  }

  @Test
  void anotherColumnThanTheOneThatWasReadIsNoLostUpdate() {
    List<String> columns = List.of("id", "v", "w");
    int[] before = {HASH.of(1), HASH.of(10), HASH.of(5)};
    int[] other = {HASH.of(1), HASH.of(10), HASH.of(6)};
    int[] own = {HASH.of(1), HASH.of(12), HASH.of(6)};
    long key = HASH.ofKey(1);
    ValueHistory history =
        columnsOf(
            new ValueHistory(1)
                .begin(1)
                .read(1, 1, 10)
                .changed(55, new RowChange(Access.UPDATE, "t", columns, key, key, before, other, 0))
                .recorded()
                .write(1, 1, 12)
                .commit(1)
                .changed(1, new RowChange(Access.UPDATE, "t", columns, key, key, other, own, 0))
                .recorded());
    assertThat(notWatched(history)).isNotEmpty();
    assertThat(history.anomalies()).isEmpty();
  }

  /** With the columns of its statements, as the driver records them. */
  private static ValueHistory columnsOf(ValueHistory history) {
    history
        .events()
        .replaceAll(
            event ->
                event instanceof Event.StatementExecuted e
                    ? new Event.StatementExecuted(
                        e.session(),
                        e.transaction(),
                        e.statement(),
                        e.kind(),
                        e.sql(),
                        "",
                        List.of(),
                        true,
                        null,
                        List.of(),
                        e.kind() == StatementKind.SELECT
                            ? "t read=id,v predicate=id"
                            : "t read=id predicate=id written=v")
                    : event);
    return history;
  }

  /** If the record's numbers are a proxy's, that of a watched writer is not known there. */
  @Test
  void numbersThatNeverWereThoseOfTheDriverNameNobody() {
    ValueHistory history =
        new ValueHistory(1)
            .begin(1)
            .read(1, 1, 10)
            .changed(55, update(1, 10, 11, 0))
            .recorded()
            .read(1, 1, 11)
            .commit(1)
            .recorded();
    assertThat(notWatched(history)).isEmpty();
  }

  /** Two handles of a pool on one connection are two sessions. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void connectionOfTwoWatchedSessionsIsWatched(boolean isClosed) {
    ValueHistory history = new ValueHistory(3).add(new Event.SessionIdentified(2, 101));
    history.begin(1).read(1, 1, 10).write(1, 1, 11);
    if (isClosed) {
      history.add(new Event.SessionClosed(2));
    }
    history
        .begin(3)
        .read(3, 1, 10)
        .commit(1)
        .changed(1, update(1, 10, 11, 0))
        .write(3, 1, 12)
        .commit(3)
        .changed(3, update(1, 11, 12, 0))
        .recorded();
    assertThat(notWatched(history)).isEmpty();
    List<Anomaly> found = history.anomalies();
    assertConfirmed(found, Phenomenon.LOST_UPDATE);
    assertThat(sessions(found)).containsExactlyInAnyOrder("s1", "s3");
  }

  @Test
  void numberOfAClosedSessionStaysWatched() {
    ValueHistory history =
        new ValueHistory(2)
            .add(new Event.SessionIdentified(2, 155))
            .add(new Event.SessionClosed(2));
    assertThat(notWatched(history.lostToOther())).isEmpty();
  }

  @Test
  void sessionWithoutANumberMayBeAnyWriter() {
    ValueHistory history =
        new ValueHistory(1)
            .add(new Event.SessionOpened(7, "s7", new Database(new Product("MySQL", ""), Map.of())))
            .begin(7)
            .read(7, 9, 10)
            .commit(7);
    assertThat(notWatched(history.lostToOther())).isEmpty();
  }

  @Test
  void sessionOfAnotherProcessMayBeAnyWriter() {
    long session = 5L << Integer.SIZE | 1;
    ValueHistory history =
        new ValueHistory(1)
            .add(
                new Event.SessionOpened(
                    session, "other", new Database(new Product("MySQL", ""), Map.of())))
            .add(new Event.SessionIdentified(session, 300));
    assertThat(notWatched(history.lostToOther())).isEmpty();
  }

  /** Its first events may be on their way. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherProcessMayWatchAnyWriter(boolean numbered) {
    List<Event> events =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 1)
            .lostToOther()
            .events();
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      analyzer.shared();
      events.forEach(analyzer::accept);
    }
    assertThat(ValueHistory.anomalies(events)).hasSize(1);
    assertThat(found).isEmpty();
  }

  /** What its sessions changed before they were closed may be recorded afterwards. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inADatabaseThatIsOpenedAgainNobodyIsSaidToBeNotWatchedAtFirst(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 55)
            .begin(55)
            .write(55, 9, 1)
            .commit(55)
            .recorded()
            .closed()
            .reopened(1);
    assertThat(notWatched(history.lostToOther())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterALossNobodyIsSaidToBeNotWatched(boolean numbered) {
    ValueHistory history =
        new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, numbered, 1)
            .add(new Event.Gap(0, 0, GapReason.OVERFLOW, "", 5));
    assertThat(notWatched(history.lostToOther())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shed, numbered", "shed", "bypassed"})
  void whatIsOmittedIsAlsoOmittedInADatabaseThatIsOpenedLater(String how) {
    Event before =
        how.startsWith("shed")
            ? new Event.RowsShed(1, new RowShare(2), 0, 0)
            : new Event.Gap(0, 0, GapReason.BYPASS, "", 1);
    List<Event> events =
        new ArrayList<>(
            new ValueHistory("MySQL", IsolationLevel.READ_COMMITTED, how.endsWith("numbered"), 1)
                .lostToOther()
                .events());
    assertThat(notWatched(events)).isNotEmpty();
    events.add(0, before);
    assertThat(notWatched(events)).isEmpty();
  }

  /** Without numbers, it may be a transaction that a function or a procedure committed. */
  @ParameterizedTest
  @ValueSource(strings = {"active", "committed"})
  void withoutNumbersWatchedWorkAtTheSameTimeMayBeTheWriter(String other) {
    ValueHistory history =
        new ValueHistory("MariaDB", IsolationLevel.READ_COMMITTED, false, 2)
            .begin(1)
            .read(1, 1, 10)
            .begin(2)
            .statement(2, StatementKind.OTHER, List.of(), List.of());
    if (other.equals("committed")) {
      history.commit(2);
    }
    history
        .changed(55, update(1, 10, 11, 0))
        .recorded()
        .write(1, 1, 12)
        .commit(1)
        .changed(1, update(1, 11, 12, 0))
        .recorded();
    assertThat(notWatched(history)).isEmpty();
  }

  @Test
  void recordThatStopsDelaysNoLongerThanTheBound() {
    ValueHistory history = new ValueHistory(1);
    List<Event> passed = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(passed::add, (session, tx, statement, rows) -> {}, 1 << 20);
    for (int i = 0; i < 30_000; i++) {
      history.begin(1).read(1, i, 10).commit(1).passes(1_000_000);
    }
    int most = 0;
    for (Event event : history.events()) {
      resolver.accept(event);
      most = Math.max(most, resolver.waiting());
    }
    assertThat(most).isBetween(1_000, 8_000); // of two seconds
    resolver.flush();
    assertThat(passed).hasSize(1 + 1 + 30_000 * 3);
    assertThat(resolver.counts().unrecorded()).isEqualTo(30_000);
  }

  @Test
  void recordThatStopsDelaysNoLongerThanTheBoundWhileNoEventsArrive() {
    ValueHistory history = new ValueHistory(2);
    List<Event> passed = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(passed::add, (session, tx, statement, rows) -> {}, 1 << 20);
    history.begin(1).read(1, 1, 10).commit(1).begin(2).read(2, 1, 10).commit(2);
    history.events().forEach(resolver::accept);
    int before = passed.size();
    long second = 1_000_000_000;
    assertThat(resolver.tick(5)).isFalse();
    assertThat(resolver.tick(5 + second)).isFalse();
    assertThat(resolver.waiting()).isGreaterThan(0);
    assertThat(resolver.tick(5 + 2 * second)).isTrue();
    assertThat(resolver.waiting()).isZero();
    assertThat(passed).hasSizeGreaterThan(before);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatTheRecordLostIsNotGuessed(boolean isOfRecord) {
    ValueHistory history =
        new ValueHistory(2)
            .begin(1)
            .read(1, 1, 10)
            .changed(2, update(1, 10, 11, 0))
            .add(
                isOfRecord
                    ? new Event.Gap(ValueHistory.READER, 0, GapReason.NOT_RECORDED, "", 1)
                    : new Event.Gap(0, 0, GapReason.OVERFLOW, "", 5))
            .begin(2)
            .read(2, 1, 13)
            .write(2, 1, 14)
            .commit(2)
            .write(1, 1, 15)
            .commit(1)
            .changed(2, update(1, 13, 14, 0))
            .changed(1, update(1, 14, 15, 0))
            .recorded();
    assertThat(history.anomalies()).isEmpty();
  }

  @Test
  void whatTheRecordOfAnotherDatabaseLostConcernsNobodyElse() {
    Database other = new Database(new Product("MySQL", ""), Map.of(), "other");
    ValueHistory history = new ValueHistory(1).add(new Event.SessionOpened(7, "other", other));
    int opened = history.events().size();
    history.lostToOther();
    for (int i = opened + 1; i < history.events().size(); i++) {
      List<Event> events = new ArrayList<>(history.events());
      events.add(i, new Event.Gap(7, 0, GapReason.NOT_RECORDED, "", 1));
      assertConfirmed(ValueHistory.anomalies(events), Phenomenon.LOST_UPDATE);
    }
  }

  /** A test suite opens, uses and closes hundreds of databases in memory. */
  @Test
  void nothingIsKeptOfDatabasesWithoutSessions() {
    VersionResolver resolver =
        new VersionResolver(event -> {}, (session, tx, statement, rows) -> {}, 1 << 20);
    for (int i = 0; i < 100; i++) {
      Database database = new Database(new Product("H2", ""), Map.of(), "mem:" + i);
      ValueHistory.stated(database, 2)
          .begin(1)
          .write(1, 1, 11)
          .begin(2)
          .read(2, 1, 10)
          .commit(1)
          .commit(2)
          .events()
          .forEach(resolver::accept);
      assertThat(resolver.scopes()).isEqualTo(1);
      resolver.accept(new Event.SessionClosed(1));
      resolver.accept(new Event.SessionClosed(2));
      assertThat(resolver.scopes()).isZero();
    }
  }

  /** The row has other versions than what is read first, and they are not known any more. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsReadInADatabaseThatIsOpenedAgainIsNotWhatWasThereFirst(boolean recorded) {
    ValueHistory history = recorded ? new ValueHistory(1) : ValueHistory.stated(1);
    history.begin(1).read(1, 1, 10).commit(1);
    if (recorded) {
      history.recorded();
    }
    history.begin(1).write(1, 1, 11).commit(1);
    if (recorded) {
      history.changed(1, update(1, 10, 11, 0)).recorded();
    }
    history.closed().reopened(1).begin(1).read(1, 1, 11).commit(1);
    if (recorded) {
      history.recorded();
    }
    List<WriterList> read = new ArrayList<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {},
            (session, tx, statement, rows) ->
                rows.stream()
                    .map(row -> row.access())
                    .filter(access -> access.access() == Access.READ)
                    .forEach(access -> read.add(access.writers())),
            1 << 20);
    history.events().forEach(resolver::accept);
    resolver.flush();
    assertThat(read).hasSize(2);
    assertThat(read.get(0)).isEqualTo(WriterList.INITIAL);
    assertThat(read.get(1).complete()).isFalse();
    assertThat(history.anomalies()).isEmpty();
  }

  private static void assertConfirmed(List<Anomaly> found, Phenomenon phenomenon) {
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(phenomenon);
    assertThat(found).extracting(Anomaly::confidence).containsOnly(Confidence.CONFIRMED);
  }
}
