package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.Outcome;
import io.txwatch.register.ReadsFrom.Read;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The search for an explanation of a history in which each read has one writer: certain edges,
 * {@link Saturation}, a {@link ScheduleAttempt}, and what is left to the {@link WriteOrderSolver}.
 */
final class ExplanationSearch {

  private static final int NONE = -1;
  private static final int NO_PART = -2;

  /**
   * The result.
   *
   * @param valid whether there is an explanation; empty if undecided
   * @param cycles if there is none, cycles that show it; may be empty
   * @param reason why it is undecided, or what the result rests on
   */
  record Result(Optional<Boolean> valid, List<List<Cycles.Edge>> cycles, String reason) {}

  private final RegisterHistory history;
  private final ReadsFrom readsFrom;
  private final List<Read> reads;
  private final RegisterDemand demand;
  private final Budget budget;
  private final OrderGraph graph;
  private final Versions versions;
  private final int[] ranks;
  private final int[] nodeRanks;
  private long dependencies;
  private Optional<Saturation> saturation = Optional.empty();
  private Optional<Chains> chains = Optional.empty();

  ExplanationSearch(
      RegisterHistory history,
      ReadsFrom readsFrom,
      List<Read> reads,
      RegisterDemand demand,
      Budget budget) {
    this.history = history;
    this.readsFrom = readsFrom;
    this.reads = reads;
    this.demand = demand;
    this.budget = budget;
    this.versions = new Versions(history, readsFrom, reads);
    int n = history.transactions();
    this.graph = new OrderGraph(n, demand.hasSnapshots(), demand.realTimeOrder() ? n : 0);
    this.ranks = Ranks.of(history);
    this.nodeRanks = new int[graph.nodes()];
    for (int node = 0; node < nodeRanks.length; node++) {
      int t = graph.transaction(node);
      nodeRanks[node] = t >= 0 ? ranks[t] : 0;
    }
    addReads();
    if (demand.sessionOrder()) {
      addSessionOrder();
    }
    if (demand.realTimeOrder()) {
      addRealTimeOrder();
    }
    new KeyOrderEdges(history, readsFrom, reads, versions, demand.keyOrders(), graph).add();
  }

  private void addReads() {
    for (Read read : reads) {
      if (read.writer() >= 0) {
        dependencies++;
        graph.addDependency(
            read.writer(),
            read.reader(),
            DependencyKind.WR,
            read.write(),
            read.op(),
            OrderGraph.CERTAIN);
      }
    }
  }

  private void addSessionOrder() {
    int[] before = previousOfSession();
    for (int t = 0; t < before.length; t++) {
      if (before[t] >= 0) {
        graph.addDependency(before[t], t, DependencyKind.SO, -1, -1, OrderGraph.CERTAIN);
      }
    }
  }

  /** The transaction before each one in its session. */
  private int[] previousOfSession() {
    int[] before = new int[history.transactions()];
    Map<Long, Integer> last = new HashMap<>();
    for (int t = 0; t < before.length; t++) {
      Integer previous = readsFrom.isCommitted(t) ? last.put(history.session(t), t) : null;
      before[t] = previous == null ? NONE : previous;
    }
    return before;
  }

  /** Through a node for the end of each transaction, in their order. */
  private void addRealTimeOrder() {
    for (int t = 0; t < history.transactions(); t++) {
      if (t > 0) {
        graph.addInner(graph.time(t - 1), graph.time(t));
      }
      if (history.outcome(t) == Outcome.COMMITTED) {
        graph.addInner(graph.commit(t), graph.time(t));
      }
      if (readsFrom.isCommitted(t) && history.startedAfter(t) > 0) {
        graph.addInner(graph.time(history.startedAfter(t) - 1), graph.snapshot(t));
      }
    }
  }

  /**
   * Chains: the sessions, if their order counts; otherwise each transaction follows one that it
   * read from, or that ended before, of the same session.
   */
  private Chains chains() {
    int[] before = previousOfSession();
    if (!demand.sessionOrder()) {
      boolean[] taken = new boolean[before.length];
      int[] order = graph.topologicalOrder(nodeRanks);
      for (int node : order) {
        int t = graph.transaction(node);
        if (t >= 0 && node == graph.snapshot(t)) {
          int candidate = demand.realTimeOrder() && isBefore(before[t], t) ? before[t] : NONE;
          for (int i = versions.firstReadBy(t); i < versions.endReadBy(t); i++) {
            int writer = reads.get(versions.readBy(i)).writer();
            boolean free = candidate < 0 || taken[candidate];
            candidate = free && writer >= 0 ? writer : candidate;
          }
          before[t] = candidate >= 0 && !taken[candidate] ? candidate : NONE;
          if (before[t] >= 0) {
            taken[before[t]] = true;
          }
        }
      }
    }
    for (int t = 0; t < before.length; t++) {
      before[t] = readsFrom.isCommitted(t) ? before[t] : NO_PART;
    }
    return new Chains(versions, before);
  }

  private boolean isBefore(int one, int other) {
    return one >= 0
        && history.outcome(one) == Outcome.COMMITTED
        && one < history.startedAfter(other);
  }

  /** rw edges from the readers of an initial version to the first writer of each chain. */
  private void addInitialReads(Chains chains) {
    for (Read read : reads) {
      int key = history.key(read.op());
      for (int group = chains.firstGroup(key);
          read.writer() < 0 && group < chains.endGroup(key);
          group++) {
        int version = chains.member(chains.groupStart(group));
        int writer = versions.writer(version);
        if (writer != read.reader()) {
          dependencies++;
          graph.addDependency(
              read.reader(),
              writer,
              DependencyKind.RW,
              read.op(),
              versions.write(version),
              OrderGraph.CERTAIN);
        }
      }
    }
  }

  /** The number of dependencies that are certain. */
  long dependencies() {
    return dependencies;
  }

  /** Cycles of edges that hold in every order of writes; all of them are found before a search. */
  List<List<Cycles.Edge>> certainCycles() {
    boolean acyclic = isAcyclic();
    if (acyclic && demand.forbidsAntiDependencies()) {
      Chains groups = chains();
      chains = Optional.of(groups);
      addInitialReads(groups);
      acyclic = isAcyclic();
      if (acyclic) {
        Saturation rules = new Saturation(graph, versions, reads, groups, nodeRanks, budget);
        saturation = Optional.of(rules);
        acyclic = !rules.run() || !rules.isCyclic();
      }
    }
    return acyclic ? List.of() : new Cycles(graph, reads).find();
  }

  private boolean isAcyclic() {
    return graph.topologicalOrder(nodeRanks).length == graph.nodes();
  }

  /** Searches for an order of the writes; {@link #certainCycles} has found nothing. */
  Result search() {
    if (saturation.isEmpty() || chains.isEmpty()) {
      return new Result(Optional.of(true), List.of(), ""); // any order that agrees with the edges
    }
    if (new ScheduleAttempt(graph, versions, reads, nodeRanks).succeeds(budget)) {
      return new Result(
          Optional.of(true), List.of(), "an execution that explains all reads was found");
    }
    if (budget.isExhausted()) {
      return undecided(
          "nothing certain is wrong, but the analysis ended with its budget of "
              + budget.limit().toSeconds()
              + " s of processor time");
    }
    if (!saturation.get().isWhole()) {
      return undecided(
          "nothing certain is wrong, but the table of what precedes what does not fit in memory:"
              + " give Java more (-Xmx)");
    }
    WriteOrderSolver.Result result =
        new WriteOrderSolver(
                graph, versions, reads, chains.get(), saturation.get(), nodeRanks, budget)
            .solve();
    if (result.valid().isEmpty()) {
      return undecided(result.reason());
    }
    return new Result(
        result.valid(),
        result.example().isEmpty() ? List.of() : List.of(result.example()),
        result.valid().get()
            ? "an order of the writes that explains all reads was found"
            : "no order of the writes explains all reads; the cycle is that of one order");
  }

  private static Result undecided(String reason) {
    return new Result(Optional.empty(), List.of(), reason);
  }

  /** Whether a candidate cannot be what a read returned, by what is certain. */
  boolean isExcluded(int reader, int key, int write) {
    if (saturation.isEmpty() || chains.isEmpty() || !saturation.get().isWhole()) {
      return false;
    }
    Saturation known = saturation.get();
    Chains groups = chains.get();
    int writer = write < 0 ? NONE : readsFrom.owner(write);
    if (writer >= 0 && known.precedes(reader, writer)) {
      return true;
    }
    for (int group = groups.firstGroup(key); group < groups.endGroup(key); group++) {
      int other = known.lastBefore(group, reader);
      int between = other < 0 ? NONE : versions.writer(other);
      if (between >= 0 && between != writer && (writer < 0 || known.precedes(writer, between))) {
        return true;
      }
    }
    return false;
  }

  /** A number for each transaction that grows along a plausible order. */
  int rank(int transaction) {
    return ranks[transaction];
  }
}
