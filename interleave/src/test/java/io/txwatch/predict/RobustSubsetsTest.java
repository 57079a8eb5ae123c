package io.txwatch.predict;

import static io.txwatch.predict.TemplateText.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The largest sets of programs of which no candidate is found at READ COMMITTED, of all sets. */
class RobustSubsetsTest {

  private static List<List<OperationTemplate>> subsets(List<OperationTemplate> programs) {
    List<List<OperationTemplate>> all = new ArrayList<>();
    for (int chosen = 1; chosen < 1 << programs.size(); chosen++) {
      List<OperationTemplate> subset = new ArrayList<>();
      for (int i = 0; i < programs.size(); i++) {
        if ((chosen & 1 << i) != 0) {
          subset.add(programs.get(i));
        }
      }
      all.add(subset);
    }
    return all;
  }

  private static boolean isRobust(List<OperationTemplate> programs) {
    return CandidateSearch.search(programs, Promise.Kind.COMMITTED_BY_STATEMENT)
        .candidates()
        .isEmpty();
  }

  private static boolean areAllAtReadCommitted(List<OperationTemplate> programs) {
    return LevelAllocation.of(programs, LevelAllocationTest.SNAPSHOTS, false, Map.of()).stream()
        .allMatch(one -> one.level().equals(Optional.of(IsolationLevel.READ_COMMITTED)));
  }

  private static List<String> largest(List<OperationTemplate> programs) {
    List<List<OperationTemplate>> robust =
        subsets(programs).stream().filter(RobustSubsetsTest::isRobust).toList();
    return robust.stream()
        .filter(
            one ->
                robust.stream()
                    .noneMatch(other -> other.size() > one.size() && other.containsAll(one)))
        .map(one -> String.join(" ", one.stream().map(OperationTemplate::name).sorted().toList()))
        .toList();
  }

  @Test
  void smallBank() {
    assertThat(largest(SmallBankTest.ALL))
        .containsExactlyInAnyOrder(
            "Amalgamate DepositChecking TransactSavings",
            "Balance DepositChecking",
            "Balance TransactSavings");
  }

  @Test
  void tpcc() {
    assertThat(largest(TpccTest.ALL))
        .containsExactlyInAnyOrder("OrderStatus Payment StockLevel", "NewOrder Payment");
  }

  /** The certificate does not differ from the search of one level. */
  @Test
  void programsAreAllAllocatedReadCommittedExactlyIfTheyAreRobust() {
    for (List<OperationTemplate> programs : List.of(SmallBankTest.ALL, TpccTest.ALL)) {
      for (List<OperationTemplate> subset : subsets(programs)) {
        assertThat(areAllAtReadCommitted(subset)).as("%s", subset).isEqualTo(isRobust(subset));
      }
    }
  }

  /** No foreign key is known: that two rows belong together is known by their equal keys alone. */
  @Test
  void writeOfTheParentExcludesOthersWhereItsKeyIsThatOfTheChild() {
    OperationTemplate byBuyer =
        template("bid", "U buyer[b].calls", "R bids[b].bid", "W bids[b].bid");
    OperationTemplate byItem =
        template("bid", "U buyer[b].calls", "R bids[i].bid", "W bids[i].bid");

    assertThat(isRobust(List.of(byBuyer))).isTrue();
    assertThat(isRobust(List.of(byItem))).isFalse();
  }
}
