package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.dependency.Interleavings;
import io.txwatch.dependency.PredicateSimulation;
import io.txwatch.dependency.PredicateSimulation.Mode;
import io.txwatch.dependency.PredicateSimulation.Seen;
import io.txwatch.dependency.ShedHistory;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Predicate dependencies of random executions, compared with the simulated truth. */
class PredicateProperties {

  /** What a predicate saw was there, and what it missed was not, when it was evaluated. */
  @Property
  void reportedDependenciesAreTrue(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 30) int transactions) {
    PredicateSimulation run = PredicateSimulation.run(mode, new Random(seed), 4, transactions);
    new InferredEdges(run.events)
        .all.stream()
            .filter(edge -> edge.evidence().byPredicate())
            .forEach(edge -> assertTrue(edge, run, edge.evidence().possible()));
  }

  /** The same while the share of the rows that is observed changes. */
  @Property
  void reportedDependenciesAreTrueUnderOverload(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 30) int transactions,
      @ForAll @IntRange(min = 5, max = 80) int eventsPerChange) {
    Random random = new Random(seed);
    PredicateSimulation run = PredicateSimulation.run(mode, random, 4, transactions);
    new InferredEdges(ShedHistory.of(run.events, random, eventsPerChange))
        .all.stream()
            .filter(edge -> edge.evidence().byPredicate())
            .forEach(edge -> assertTrue(edge, run, edge.evidence().possible()));
  }

  /** The same of what is proven, in whatever order the sessions' events arrive. */
  @Property
  void provenDependenciesAreTrueInEveryArrivalOrder(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 20) int transactions) {
    Random random = new Random(seed);
    PredicateSimulation run = PredicateSimulation.run(mode, random, 4, transactions);
    new InferredEdges(Interleavings.reordered(run.events, random))
        .all.stream()
            .filter(edge -> edge.evidence() == EdgeEvidence.PREDICATE)
            .forEach(edge -> assertTrue(edge, run, false));
  }

  /**
   * Transactions that do not overlap are in no cycle, whatever events are lost: no reported
   * dependency is opposite to the order in which they ran.
   */
  @Property
  void serialTransactionsAreInNoCycleWhateverIsLost(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 30) int transactions,
      @ForAll @IntRange(min = 0, max = 60) int percentLost,
      @ForAll boolean counted) {
    Random random = new Random(seed);
    PredicateSimulation run = PredicateSimulation.run(Mode.SERIAL, random, 4, transactions);
    List<Event> left = new ArrayList<>();
    for (Event event : run.events) {
      boolean lost = random.nextInt(100) < percentLost;
      if (!lost && event instanceof Event.TransactionEnded end && !counted) {
        left.add(
            new Event.TransactionEnded(
                end.session(), end.transaction(), end.outcome(), end.micros()));
      } else if (!lost) {
        left.add(event);
      } else if (random.nextBoolean()) {
        left.add(new Event.Gap(0, 0, GapReason.OVERFLOW, "", 1));
      }
    }
    assertThat(Notation.analyzed(left))
        .filteredOn(anomaly -> anomaly.cycleClass().isPresent())
        .isEmpty();
    for (Edge edge : new InferredEdges(left).all) {
      assertThat(edge.from().id()).as("%s", edge).isLessThan(edge.to().id());
    }
  }

  private static void assertTrue(Edge edge, PredicateSimulation run, boolean bySet) {
    boolean missed = edge.kind() == DependencyKind.RW;
    Transaction reader = missed ? edge.from() : edge.to();
    Transaction writer = missed ? edge.to() : edge.from();
    int statement = missed ? edge.fromStatement() : edge.toStatement();
    Seen seen = run.seen(reader.id(), statement);
    int commits = bySet ? seen.set() : seen.itself();
    int commit = run.commits.getOrDefault(writer.id(), 0);
    assertThat(commit).as("committed").isPositive();
    assertThat(missed ? commit > commits : commit <= commits).as("%s of %s", edge, seen).isTrue();
  }

  /**
   * The result does not depend on identity hash codes: {@code check} reports what was reported
   * live.
   */
  @Property
  void sameHistoryGivesTheSameResult(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 30) int transactions) {
    PredicateSimulation run = PredicateSimulation.run(mode, new Random(seed), 4, transactions);
    assertThat(new InferredEdges(run.events).all)
        .extracting(PredicateProperties::text)
        .isEqualTo(
            new InferredEdges(run.events).all.stream().map(PredicateProperties::text).toList());
    assertThat(Notation.analyzed(run.events)).isEqualTo(Notation.analyzed(run.events));
  }

  private static String text(Edge edge) {
    return edge.from().id()
        + "-"
        + edge.evidence()
        + edge.kind()
        + edge.row().id()
        + ">"
        + edge.to().id();
  }

  /**
   * A writer that commits during a transaction that has read by predicate gets an rw edge from it.
   */
  @Property
  void concurrentWritersArePredicateAntiDependencies(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int transactions) {
    PredicateSimulation run = PredicateSimulation.run(mode, new Random(seed), 4, transactions);
    Set<String> reported = new TreeSet<>();
    for (Edge edge : new InferredEdges(run.events).all) {
      if (edge.kind() == DependencyKind.RW && edge.evidence().byPredicate()) {
        reported.add(edge.from().id() + ">" + edge.to().id());
      }
    }
    Map<Long, int[]> spans = new HashMap<>();
    Map<Long, int[]> firstSet = new HashMap<>();
    Set<Long> writers = new HashSet<>();
    for (int i = 0; i < run.events.size(); i++) {
      Event event = run.events.get(i);
      if (event.transaction() != 0) {
        int at = i;
        spans.computeIfAbsent(event.transaction(), t -> new int[] {at, at})[1] = i;
      }
      if (event instanceof Event.StatementExecuted e) {
        if (!e.versionSets().isEmpty()) {
          firstSet.putIfAbsent(e.transaction(), new int[] {e.statement(), i});
        }
        if (e.rows().stream().anyMatch(row -> row.access().isWrite())) {
          writers.add(e.transaction());
        }
      }
    }
    firstSet.forEach(
        (reader, first) -> {
          if (!run.commits.containsKey(reader)) {
            return;
          }
          Seen seen = run.seen(reader, first[0]);
          for (long writer : writers) {
            boolean overlap =
                first[1] < span(spans, writer)[1]
                    && span(spans, writer)[0] < span(spans, reader)[1];
            boolean missed =
                writer != reader && run.commits.getOrDefault(writer, 0) > seen.set() && overlap;
            if (missed) {
              assertThat(reported).contains(reader + ">" + writer);
            }
          }
        });
  }

  private static int[] span(Map<Long, int[]> spans, long transaction) {
    return Objects.requireNonNull(spans.get(transaction));
  }

  @Property
  void serialExecutionHasNoPossibleAnomaly(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int transactions) {
    Random random = new Random(seed);
    PredicateSimulation run = PredicateSimulation.run(Mode.SERIAL, random, 3, transactions);
    assertThat(Notation.analyzed(run.events)).isEmpty();
    assertThat(Notation.analyzed(Interleavings.reordered(run.events, random)))
        .allMatch(Anomaly::possible);
  }

  @Property
  void snapshotIsolationPermitsOnlyAdjacentRwEdges(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int transactions) {
    PredicateSimulation run =
        PredicateSimulation.run(Mode.SNAPSHOT, new Random(seed), 5, transactions);
    assertThat(Notation.analyzed(run.events))
        .extracting(Anomaly::phenomenon)
        .isSubsetOf(Phenomenon.WRITE_SKEW, Phenomenon.G2_ITEM, Phenomenon.G2);
  }

  @Property
  void readCommittedHasNoDirtyReads(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int transactions) {
    PredicateSimulation run =
        PredicateSimulation.run(Mode.READ_COMMITTED, new Random(seed), 5, transactions);
    assertThat(Notation.analyzed(run.events))
        .extracting(Anomaly::phenomenon)
        .doesNotContain(
            Phenomenon.DIRTY_WRITE,
            Phenomenon.CIRCULAR_INFORMATION_FLOW,
            Phenomenon.ABORTED_READ,
            Phenomenon.INTERMEDIATE_READ,
            Phenomenon.INTERNAL);
  }
}
