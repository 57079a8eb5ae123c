package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.StrongComponents;
import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sat4j.core.VecInt;
import org.sat4j.minisat.SolverFactory;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.ISolver;
import org.sat4j.specs.TimeoutException;

/**
 * Decides whether the writers that {@link Saturation} left unordered can be ordered without a
 * cycle.
 *
 * <p>Each unordered pair of transactions that write a common key is a variable. A satisfying
 * assignment adds its ww and rw edges to the graph. Each cycle of that graph becomes a clause: one
 * of its pairs must be ordered otherwise. This is repeated until there is no cycle, or until the
 * clauses are contradictory. The solver, Sat4j, starts with a plausible order of the transactions.
 */
final class WriteOrderSolver {

  /** Each takes about 100 bytes. */
  private static final int MAX_PAIRS =
      (int) Math.min(20_000_000, Runtime.getRuntime().maxMemory() / 500);

  private static final int MAX_CLAUSES_PER_ROUND = 2_000;
  private static final int CONFLICTS_PER_SLICE = 2_000;

  /**
   * The result.
   *
   * @param valid whether there is an order; empty if undecided
   * @param reason why it is undecided
   * @param example if there is no order, a cycle in a plausible one
   */
  record Result(Optional<Boolean> valid, String reason, List<Cycles.Edge> example) {}

  private final OrderGraph graph;
  private final Versions versions;
  private final List<Read> reads;
  private final Chains chains;
  private final Saturation saturation;
  private final int[] ranks;
  private final Budget budget;
  private final Map<Long, Integer> variables = new HashMap<>();
  private final Ints firsts = new Ints();
  private final Ints seconds = new Ints();
  // The keys that the transactions of a pair have in common: versions of each, and the next ones.
  private final Ints pairOf = new Ints();
  private final Ints firstVersions = new Ints();
  private final Ints secondVersions = new Ints();
  private final int certainEdges;
  private final Ints literals = new Ints();
  private final int[] distances;
  private final int[] via;
  private final Ints visited = new Ints();

  WriteOrderSolver(
      OrderGraph graph,
      Versions versions,
      List<Read> reads,
      Chains chains,
      Saturation saturation,
      int[] ranks,
      Budget budget) {
    this.graph = graph;
    this.versions = versions;
    this.reads = reads;
    this.chains = chains;
    this.saturation = saturation;
    this.ranks = ranks;
    this.budget = budget;
    this.certainEdges = graph.edges();
    this.distances = new int[graph.nodes()];
    this.via = new int[graph.nodes()];
    Arrays.fill(distances, -1);
  }

  Result solve() {
    for (int key = 0; key < versions.keys(); key++) {
      if (!addPairs(key)) {
        return undecided(
            budget.isExhausted()
                ? budgetEnded()
                : "more than "
                    + MAX_PAIRS
                    + " pairs of writes are not ordered: give Java more memory"
                    + " (-Xmx)");
      }
    }
    ISolver solver = SolverFactory.newDefault();
    solver.newVar(firsts.size());
    solver.setTimeoutOnConflicts(CONFLICTS_PER_SLICE);
    try {
      while (true) {
        if (!satisfiable(solver)) {
          return budget.isExhausted() ? undecided(budgetEnded()) : invalid();
        }
        addChosenEdges(solver);
        List<VecInt> clauses = cycleClauses();
        graph.truncate(certainEdges);
        if (clauses.isEmpty()) {
          return new Result(Optional.of(true), "", List.of());
        }
        for (VecInt clause : clauses) {
          solver.addClause(clause);
        }
      }
    } catch (ContradictionException e) {
      return invalid();
    }
  }

  /** With a cycle in the plausible order. */
  private Result invalid() {
    for (int i = 0; i < pairOf.size(); i++) {
      addOrder(firstVersions.get(i), secondVersions.get(i), 0);
    }
    List<List<Cycles.Edge>> cycles = new Cycles(graph, reads).find();
    graph.truncate(certainEdges);
    return new Result(Optional.of(false), "", cycles.isEmpty() ? List.of() : cycles.get(0));
  }

  private Result undecided(String reason) {
    return new Result(Optional.empty(), reason, List.of());
  }

  private String budgetEnded() {
    return "nothing certain is wrong, but the search for an order of "
        + firsts.size()
        + " pairs of transactions that write a common key ended with its budget of "
        + budget.limit().toSeconds()
        + " s of processor time";
  }

  /** Solves in slices, between which the budget is checked; false if it ended, too. */
  private boolean satisfiable(ISolver solver) {
    while (!budget.isExhausted()) {
      try {
        return solver.isSatisfiable();
      } catch (TimeoutException e) {
        // the next slice
      }
    }
    return false;
  }

  // Pairs.

  private boolean addPairs(int key) {
    for (int group = chains.firstGroup(key); group < chains.endGroup(key); group++) {
      for (int i = chains.groupStart(group); i < chains.groupEnd(group); i++) {
        int version = chains.member(i);
        for (int other = group + 1; other < chains.endGroup(key); other++) {
          if (!addPairs(version, other)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private boolean addPairs(int version, int group) {
    int t = versions.writer(version);
    int last = saturation.lastBefore(group, t);
    int place = chains.groupStart(group);
    if (last >= 0) {
      int low = place;
      int high = chains.groupEnd(group);
      int position = chains.position(versions.writer(last));
      while (low < high) {
        int middle = low + high >>> 1;
        if (chains.position(versions.writer(chains.member(middle))) <= position) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      place = low;
    }
    for (; place < chains.groupEnd(group); place++) {
      int other = chains.member(place);
      if (budget.isExhausted() || pairOf.size() >= MAX_PAIRS) {
        return false;
      }
      if (saturation.precedes(t, versions.writer(other))) {
        break;
      }
      addPair(version, other);
    }
    return true;
  }

  private void addPair(int one, int other) {
    int a = versions.writer(one);
    int b = versions.writer(other);
    boolean ordered = ranks[graph.commit(a)] <= ranks[graph.commit(b)];
    int first = ordered ? a : b;
    int second = ordered ? b : a;
    int variable =
        variables.computeIfAbsent(
            (long) Math.min(a, b) << 32 | Math.max(a, b),
            k -> {
              firsts.add(first);
              seconds.add(second);
              return firsts.size() - 1;
            });
    boolean same = firsts.get(variable) == a;
    pairOf.add(variable);
    firstVersions.add(same ? one : other);
    secondVersions.add(same ? other : one);
  }

  // An assignment. A variable is false if the pair is in the plausible order, which Sat4j tries
  // first.

  private void addChosenEdges(ISolver solver) {
    literals.clear();
    for (int i = 0; i < pairOf.size(); i++) {
      int variable = pairOf.get(i) + 1;
      boolean swapped = solver.model(variable);
      int earlier = swapped ? secondVersions.get(i) : firstVersions.get(i);
      int later = swapped ? firstVersions.get(i) : secondVersions.get(i);
      addOrder(earlier, later, swapped ? variable : -variable);
    }
  }

  private void addOrder(int earlier, int later, int literal) {
    int writer = versions.writer(earlier);
    int next = versions.writer(later);
    int write = versions.write(later);
    add(writer, next, DependencyKind.WW, versions.write(earlier), write, literal);
    for (int i = versions.firstReadOf(earlier); i < versions.endReadOf(earlier); i++) {
      Read read = reads.get(versions.readOf(i));
      if (read.reader() != next) {
        add(read.reader(), next, DependencyKind.RW, read.op(), write, literal);
      }
    }
  }

  private void add(int from, int to, DependencyKind kind, int fromOp, int toOp, int literal) {
    graph.addDependency(from, to, kind, fromOp, toOp, OrderGraph.CERTAIN);
    literals.add(literal);
  }

  private int literal(int edge) {
    return edge < certainEdges ? 0 : literals.get(edge - certainEdges);
  }

  // Cycles.

  private List<VecInt> cycleClauses() {
    List<VecInt> clauses = new ArrayList<>();
    if (graph.topologicalOrder(ranks).length == graph.nodes()) {
      return clauses;
    }
    int[] component = StrongComponents.of(graph);
    boolean[] used = new boolean[firsts.size() + 1];
    for (int edge = certainEdges;
        edge < graph.edges() && clauses.size() < MAX_CLAUSES_PER_ROUND;
        edge++) {
      int start = graph.from(edge);
      if (component[start] >= 0
          && component[start] == component[graph.to(edge)]
          && !used[Math.abs(literal(edge))]) {
        clauses.add(clause(edge, component, used));
        if (budget.isExhausted()) {
          return clauses;
        }
      }
    }
    return clauses;
  }

  /** Forbids the cycle through an edge that has the fewest chosen edges. */
  private VecInt clause(int closing, int[] component, boolean[] used) {
    int start = graph.to(closing);
    int end = graph.from(closing);
    for (int i = 0; i < visited.size(); i++) {
      distances[visited.get(i)] = -1;
    }
    visited.clear();
    distances[start] = 0;
    visited.add(start);
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    queue.add(start);
    while (!queue.isEmpty()) {
      int node = queue.removeFirst();
      if (node == end) {
        break;
      }
      for (int edge = graph.first(node); edge >= 0; edge = graph.next(node, edge)) {
        int to = graph.to(edge);
        if (component[to] != component[start]) {
          continue;
        }
        int cost = edge < certainEdges ? 0 : 1;
        int distance = distances[node] + cost;
        if (distances[to] < 0 || distance < distances[to]) {
          if (distances[to] < 0) {
            visited.add(to);
          }
          distances[to] = distance;
          via[to] = edge;
          if (cost == 0) {
            queue.addFirst(to);
          } else {
            queue.addLast(to);
          }
        }
      }
    }
    VecInt clause = new VecInt();
    addNegated(clause, literal(closing), used);
    for (int node = end; node != start; node = graph.from(via[node])) {
      addNegated(clause, literal(via[node]), used);
    }
    return clause;
  }

  private static void addNegated(VecInt clause, int literal, boolean[] used) {
    if (literal != 0 && !clause.contains(-literal)) {
      clause.push(-literal);
      used[Math.abs(literal)] = true;
    }
  }
}
