package io.txwatch.register;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.IsolationLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Checks a register history: first what is certain, then by a search within a budget.
 *
 * <p>At READ_UNCOMMITTED and READ_COMMITTED the certain edges decide: every history whose read-from
 * edges form no cycle has an order of versions that agrees with them. REPEATABLE_READ equals
 * SERIALIZABLE here, since there are no predicates.
 */
public final class RegisterCheck {

  private RegisterCheck() {}

  /**
   * The result of a check.
   *
   * @param valid whether the history satisfies its level; empty if undecided
   * @param reason why not, or what the result rests on; for display
   */
  public record Result(Optional<Boolean> valid, String reason) {}

  /**
   * Checks a history.
   *
   * @param level the level, by Adya's definitions
   * @param sessions whether session order counts
   * @param budget the time limit of the search
   * @param found receives each anomaly
   */
  public static Result check(
      RegisterHistory history,
      IsolationLevel level,
      boolean sessions,
      Duration budget,
      Consumer<Anomaly> found) {
    boolean snapshots = level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
    ReadsFrom readsFrom = new ReadsFrom(history, level != IsolationLevel.READ_UNCOMMITTED);
    CertainEdges edges = new CertainEdges(history, readsFrom);
    if (snapshots) {
      edges.addOverwrites();
    }
    if (sessions) {
      edges.addSessionOrder();
    }
    RegisterAnomalies anomalies = new RegisterAnomalies(history, level);
    List<Anomaly> all = new ArrayList<>();
    readsFrom.wrong().forEach(wrong -> all.add(anomalies.of(wrong)));
    for (List<CertainEdges.Edge> cycle : edges.cycles(level != IsolationLevel.SNAPSHOT)) {
      all.add(anomalies.of(cycle));
    }
    all.forEach(found);
    if (all.stream().anyMatch(anomaly -> anomaly.verdict() == Verdict.VIOLATION)) {
      return new Result(Optional.of(false), "");
    } else if (edges.count() == 0) {
      return new Result(Optional.empty(), "no transaction depends on another");
    } else if (readsFrom.unresolved() > 0) {
      return new Result(
          Optional.empty(),
          readsFrom.unresolved()
              + " reads of values that more than one transaction may have written: nothing certain"
              + " is wrong, and nothing more can be said");
    } else if (!snapshots) {
      return new Result(Optional.of(true), "");
    }
    return search(
        new Replay(history, readsFrom, sessions), level == IsolationLevel.SNAPSHOT, budget);
  }

  private static Result search(Replay replay, boolean snapshot, Duration budget) {
    long end = System.nanoTime() + budget.toNanos();
    // Serializable implies snapshot isolation and is decided sooner.
    Optional<Boolean> result = replay.ofTransactions().search(() -> !snapshot && isBefore(end));
    if (snapshot && !result.equals(Optional.of(true))) {
      result = replay.ofSnapshotsAndCommits().search(() -> isBefore(end));
    }
    if (result.isEmpty()) {
      return new Result(
          result,
          "nothing certain is wrong, but the search for an execution that explains all reads ended"
              + " with its budget of "
              + budget.toSeconds()
              + " s");
    }
    return new Result(
        result,
        result.get()
            ? "an execution that explains all reads was found"
            : "no execution explains all reads, in whatever order the writes are put: every one was"
                + " tried");
  }

  private static boolean isBefore(long end) {
    return System.nanoTime() - end < 0;
  }

  /** Whether a phenomenon violates a level. */
  static boolean isProscribed(Phenomenon phenomenon, IsolationLevel level) {
    return io.txwatch.anomaly.AdyaLevel.of(level).compareTo(phenomenon.proscribedFrom()) >= 0
        || level == IsolationLevel.SNAPSHOT
            && phenomenon != Phenomenon.WRITE_SKEW
            && phenomenon != Phenomenon.G2_ITEM;
  }
}
