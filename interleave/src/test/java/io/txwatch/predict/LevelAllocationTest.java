package io.txwatch.predict;

import static io.txwatch.predict.TemplateText.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.Promise;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The allocations of the benchmarks, and of operations that one level is made for. */
class LevelAllocationTest {

  /** PostgreSQL's. */
  static final Map<IsolationLevel, Promise.Kind> SNAPSHOTS =
      Map.of(
          IsolationLevel.READ_COMMITTED, Promise.Kind.COMMITTED_BY_STATEMENT,
          IsolationLevel.REPEATABLE_READ, Promise.Kind.SNAPSHOT,
          IsolationLevel.SERIALIZABLE, Promise.Kind.SERIALIZABLE);

  /** H2's. */
  private static final Map<IsolationLevel, Promise.Kind> NO_SERIALIZABLE =
      Map.of(
          IsolationLevel.READ_COMMITTED, Promise.Kind.COMMITTED,
          IsolationLevel.REPEATABLE_READ, Promise.Kind.REPEATABLE,
          IsolationLevel.SNAPSHOT, Promise.Kind.CONSISTENT_READS,
          IsolationLevel.SERIALIZABLE, Promise.Kind.REPEATABLE);

  private static final OperationTemplate TRANSFER =
      template("transfer", "U account[a].balance", "U account[b].balance");
  private static final OperationTemplate TOTAL = template("total", "* R account[a].owner,balance");
  private static final OperationTemplate WITHDRAW =
      template("withdraw", "R account[a].balance", "W account[a].balance");
  private static final OperationTemplate SIGN_OFF =
      template("signOff", "R doctor().shift,on_call,name", "W doctor[d].on_call");

  private static List<String> levels(
      Map<IsolationLevel, Promise.Kind> promises, OperationTemplate... operations) {
    return levels(promises, false, List.of(operations));
  }

  private static List<String> levels(
      Map<IsolationLevel, Promise.Kind> promises,
      boolean readsLock,
      List<OperationTemplate> operations) {
    return LevelAllocation.of(operations, promises, readsLock, Map.of()).stream()
        .map(
            one ->
                one.operation() + " " + one.level().map(IsolationLevel::shortName).orElse("none"))
        .toList();
  }

  /** Its one dangerous structure is Balance, WriteCheck, TransactSavings. */
  @Test
  void smallBank() {
    assertThat(levels(SNAPSHOTS, false, SmallBankTest.ALL))
        .containsExactlyInAnyOrder(
            "Balance SER",
            "DepositChecking RC",
            "TransactSavings SER",
            "Amalgamate RC",
            "WriteCheck SER");
  }

  @Test
  void pivotAloneWhereSerializableLocksWhatItReads() {
    assertThat(levels(SNAPSHOTS, true, SmallBankTest.ALL))
        .containsExactlyInAnyOrder(
            "Balance RR",
            "DepositChecking RC",
            "TransactSavings RC",
            "Amalgamate RC",
            "WriteCheck SER");
  }

  @Test
  void tpccNeedsNoSerializable() {
    assertThat(levels(SNAPSHOTS, false, TpccTest.ALL))
        .containsExactlyInAnyOrder(
            "NewOrder RC", "Payment RC", "OrderStatus RR", "Delivery RR", "StockLevel RR");
  }

  @Test
  void operationsOfTheDemo() {
    assertThat(levels(SNAPSHOTS, TRANSFER, TOTAL, WITHDRAW, SIGN_OFF))
        .containsExactly("transfer RC", "total RR", "withdraw RR", "signOff SER");
  }

  @Test
  void noLevelWhereNoneIsSerializable() {
    assertThat(levels(NO_SERIALIZABLE, TRANSFER, WITHDRAW, SIGN_OFF))
        .containsExactly("transfer RC", "withdraw none", "signOff none");
  }

  /** The rows that it reads may be those of different moments. */
  @Test
  void queryOfSeveralRowsNeedsASnapshot() {
    OperationTemplate all = template("all", "R account().balance");

    assertThat(levels(NO_SERIALIZABLE, all)).containsExactly("all SI");
    assertThat(levels(SNAPSHOTS, all)).containsExactly("all RC");
  }

  @Test
  void levelThatReadsUncommittedDataIsNotAllocated() {
    Map<IsolationLevel, Promise.Kind> dirty =
        Map.of(
            IsolationLevel.READ_UNCOMMITTED, Promise.Kind.DIRTY,
            IsolationLevel.READ_COMMITTED, Promise.Kind.COMMITTED_BY_STATEMENT);

    assertThat(levels(dirty, TRANSFER)).containsExactly("transfer RC");
  }

  @Test
  void refutedCandidateIsNoReason() {
    List<OperationTemplate> operations = List.of(WITHDRAW);
    AllocatedLevel all = LevelAllocation.of(operations, SNAPSHOTS, false, Map.of()).get(0);
    List<RaceCandidate> candidates = all.prevented().get(0).candidates();
    AllocatedLevel after =
        LevelAllocation.of(
                operations,
                SNAPSHOTS,
                false,
                Map.of(IsolationLevel.READ_COMMITTED, Set.copyOf(candidates)))
            .get(0);

    assertThat(candidates)
        .extracting(RaceCandidate::toString)
        .containsExactly("lost update: withdraw -> withdraw");
    assertThat(after.level()).contains(IsolationLevel.READ_COMMITTED);
  }

  /** Of one column each: no update is lost, but neither sees what the other has done. */
  @Test
  void twoColumnsOfOneRow() {
    OperationTemplate one = template("one", "R t[x].a", "W t[x].b");
    OperationTemplate other = template("other", "R t[x].b", "W t[x].a");

    assertThat(
            CandidateSearch.search(List.of(one, other), Promise.Kind.COMMITTED_BY_STATEMENT)
                .candidates())
        .extracting(RaceCandidate::toString)
        .containsExactly("write skew: one -> other");
    assertThat(levels(SNAPSHOTS, one, other)).containsExactly("one RR", "other RR");
  }

  /** Which row it writes is not known: it may be the one that was read. */
  @Test
  void upsertMayOverwriteWhatWasRead() {
    OperationTemplate count = template("count", "R counter[c].n", "P counter().n");
    OperationTemplate reset = template("reset", "P counter().n");

    assertThat(atReadCommitted(count))
        .containsExactly("G2: count -> count", "phantom: count -> count");
    assertThat(atReadCommitted(count, reset))
        .contains("phantom: count -> reset", "G2: reset -> count");
    assertThat(atReadCommitted(reset)).isEmpty();
  }

  private static List<String> atReadCommitted(OperationTemplate... operations) {
    return CandidateSearch.search(List.of(operations), Promise.Kind.COMMITTED_BY_STATEMENT)
        .candidates()
        .stream()
        .map(RaceCandidate::toString)
        .toList();
  }
}
