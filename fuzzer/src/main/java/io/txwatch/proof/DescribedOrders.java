package io.txwatch.proof;

import io.txwatch.interleave.Interruption;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.predict.TemplateConflict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The orders in which a candidate would be a race: one operation stops behind a statement of the
 * cycle, and the others run completely.
 */
final class DescribedOrders {

  private static final int MAX_ORDERS = 8;

  private DescribedOrders() {}

  /** The orders, the split schedule first. */
  static List<Interruption> of(RaceCandidate candidate, CandidateCase made) {
    Set<Interruption> all = new LinkedHashSet<>();
    int operations = made.instances().size();
    for (int operation = 0; operation < operations; operation++) {
      for (TemplateConflict conflict : candidate.conflicts()) {
        if (conflict.from() == operation) {
          behind(made, operation, conflict.fromStatement().number(), all);
        }
      }
      all.add(new Interruption(operation, 1)); // where a snapshot is taken
    }
    return all.stream().limit(MAX_ORDERS).toList();
  }

  /** Of a statement in a loop, behind its first and its last execution. */
  private static void behind(
      CandidateCase made, int operation, int number, Set<Interruption> orders) {
    ProofInstance instance = made.instance(operation);
    List<Integer> calls = new ArrayList<>();
    for (int i = 0; i < instance.sample().statements().size(); i++) {
      if (instance.sample().statements().get(i).number() == number) {
        calls.add(i + 1);
      }
    }
    if (!calls.isEmpty()) {
      orders.add(new Interruption(operation, calls.get(0)));
      orders.add(new Interruption(operation, calls.get(calls.size() - 1)));
    }
  }
}
