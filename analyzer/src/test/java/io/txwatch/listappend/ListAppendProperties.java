package io.txwatch.listappend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.history.IsolationLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares the check with {@link BruteForceJudge}, on random small histories. */
class ListAppendProperties {

  static final List<Set<CommitOrder>> ORDERS =
      List.of(Set.of(), Set.of(CommitOrder.SESSION), Set.of(CommitOrder.REAL_TIME));

  static final List<IsolationLevel> LEVELS =
      List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.SNAPSHOT, IsolationLevel.SERIALIZABLE);

  @Property(tries = 500)
  void verdictIsThatOfASearchOfAllOrders(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 8) int transactions) {
    SmallHistory history = SmallHistory.random(new Random(seed), transactions);
    for (IsolationLevel level : LEVELS) {
      for (Set<CommitOrder> orders : ORDERS) {
        assertThat(disagreement(history, level, orders)).isEmpty();
      }
    }
  }

  /** Where the check and the judge disagree; empty if they agree. */
  static Optional<String> disagreement(
      SmallHistory history, IsolationLevel level, Set<CommitOrder> orders) {
    List<Anomaly> found = new ArrayList<>();
    ListAppendCheck.Result result =
        ListAppendCheck.check(
            history.listHistory(), level, orders, Duration.ofSeconds(20), found::add);
    boolean valid = BruteForceJudge.isValid(history, level, orders);
    boolean accused = found.stream().anyMatch(a -> a.verdict() == Verdict.VIOLATION);
    boolean agree =
        result.valid().isPresent()
            ? result.valid().get() == valid && (!accused || !valid)
            : valid && !accused && result.reason().startsWith("no transaction depends");
    return agree
        ? Optional.empty()
        : Optional.of(
            level + " " + orders + " judge: " + valid + ", check: " + result + found + history);
  }
}
