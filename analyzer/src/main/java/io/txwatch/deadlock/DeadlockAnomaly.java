package io.txwatch.deadlock;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.guarantee.Advice;
import io.txwatch.history.CallSite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A deadlock as an anomaly. */
final class DeadlockAnomaly {

  private DeadlockAnomaly() {}

  /**
   * The anomaly.
   *
   * @param sides its transactions, each of which waited for the next; the DBMS rolled the first one
   *     back
   * @param named true if the DBMS named them
   */
  static Anomaly of(List<Side> sides, boolean named) {
    List<Dependency> waits = new ArrayList<>();
    for (int i = 0; i < sides.size(); i++) {
      waits.add(wait(sides.get(i), sides.get((i + 1) % sides.size()), named));
    }
    Side failed = sides.get(0);
    return new Anomaly(
        Phenomenon.DEADLOCK,
        Optional.empty(),
        Verdict.DEADLOCK,
        Confidence.CONFIRMED,
        failed.database(),
        failed.transaction().level(),
        sides.stream().map(Side::transaction).toList(),
        waits,
        advice(sides));
  }

  private static Dependency wait(Side waiting, Side holding, boolean named) {
    boolean isCertain = named || waiting.isUnknown() || holding.isUnknown();
    return new Dependency(
        waiting.transaction().id(),
        holding.transaction().id(),
        DependencyKind.WAITS,
        waiting.tables().size() == 1 ? waiting.tables().iterator().next() : "",
        0,
        "",
        waiting.waited(),
        holding.lockFor(waiting).map(lock -> lock.statement().number()).orElse(0),
        isCertain ? EdgeEvidence.ITEM : EdgeEvidence.POSSIBLE_ITEM,
        List.of());
  }

  private static String advice(List<Side> sides) {
    List<String> orders = new ArrayList<>();
    for (int i = 0; i < sides.size(); i++) {
      Side side = sides.get(i);
      Side waiting = sides.get((i + sides.size() - 1) % sides.size());
      Optional<String> first = side.lockFor(waiting).map(lock -> place(lock.statement()));
      Optional<String> second = side.waitedIn().map(DeadlockAnomaly::place);
      if (first.isPresent() && second.isPresent()) {
        orders.add(
            "T" + (i + 1) + " locks first at " + first.get() + " and then at " + second.get());
      }
    }
    Optional<String> begin =
        sides.get(0).locks().stream().findFirst().map(lock -> place(lock.statement()));
    return "Let all transactions lock these rows in one order"
        + (orders.isEmpty() ? "" : " (" + String.join("; ", orders) + ")")
        + ", or lock all that is needed at the beginning"
        + begin.map(at -> ", before " + at).orElse("")
        + ", with "
        + Advice.lockClause(sides.get(0).database())
        + " in the order of the key. Repeat the transaction that was rolled back.";
  }

  private static String place(ObservedStatement statement) {
    return statement.callSite().isEmpty()
        ? "statement " + statement.number()
        : CallSite.shown(statement.callSite());
  }
}
