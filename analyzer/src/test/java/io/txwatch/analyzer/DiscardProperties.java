package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.AnomalyDetector;
import io.txwatch.anomaly.Finding;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Interleavings;
import io.txwatch.dependency.PredicateSimulation;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Discarding misses only the anomalies that {@link Analyzer} documents. */
class DiscardProperties {

  private record Span(int began, int horizon, int ended) {}

  /** What is found between two transactions, or by one read. */
  private static Set<String> found(List<Event> history, boolean discarding, Map<Long, Span> spans) {
    Set<String> found = new TreeSet<>();
    AnomalyDetector detector =
        new AnomalyDetector(
            finding -> {
              if (finding.edges().size() <= 2 && overlap(finding, spans)) {
                found.add(text(finding));
              }
            });
    DependencyInference inference = new DependencyInference(detector);
    for (Event event : history) {
      inference.accept(event);
      detector.flush();
      if (discarding) {
        inference.discard(Long.MAX_VALUE, Long.MAX_VALUE);
        detector.discard();
      }
    }
    return found;
  }

  private static String text(Finding finding) {
    TreeSet<Long> ids = new TreeSet<>();
    finding.transactions().forEach(transaction -> ids.add(transaction.id()));
    return finding.phenomenon() + " " + ids;
  }

  /** Whether no transaction ended before the horizon of another. */
  private static boolean overlap(Finding finding, Map<Long, Span> spans) {
    for (Transaction one : finding.transactions()) {
      for (Transaction other : finding.transactions()) {
        if (span(spans, one.id()).ended() < span(spans, other.id()).horizon()) {
          return false;
        }
      }
    }
    return true;
  }

  private static Span span(Map<Long, Span> spans, long transaction) {
    return Objects.requireNonNull(spans.get(transaction));
  }

  private static Map<Long, Span> spans(List<Event> history) {
    Map<Long, Integer> running = new LinkedHashMap<>();
    Map<Long, Span> spans = new HashMap<>();
    for (int i = 0; i < history.size(); i++) {
      long id = history.get(i).transaction();
      if (history.get(i) instanceof Event.TransactionBegan) {
        int oldest = running.isEmpty() ? i : running.values().iterator().next();
        spans.put(id, new Span(i, oldest, Integer.MAX_VALUE));
        running.put(id, i);
      } else if (history.get(i) instanceof Event.TransactionEnded) {
        running.remove(id);
        Span span = span(spans, id);
        spans.put(id, new Span(span.began(), span.horizon(), i));
      }
    }
    return spans;
  }

  @Property
  void discardingMissesNoOtherAnomaly(
      @ForAll PredicateSimulation.Mode mode,
      @ForAll long seed,
      @ForAll boolean inOrder,
      @ForAll @IntRange(min = 2, max = 30) int transactions) {
    Random random = new Random(seed);
    List<Event> history =
        PredicateSimulation.run(mode, random, 3, transactions).events.stream()
            .map(DiscardProperties::byItem)
            .toList();
    if (!inOrder) {
      history = Interleavings.reordered(history, random);
    }
    Map<Long, Span> spans = spans(history);
    assertThat(found(history, true, spans)).isEqualTo(found(history, false, spans));
  }

  /**
   * Transactions stay in the graphs for a time after they were discarded, while searches for
   * suspected anomalies copy a graph and the first possible dependency begins another one.
   */
  @Property
  void discardingMakesUpNoCycle(
      @ForAll PredicateSimulation.Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 60) int transactions) {
    Random random = new Random(seed);
    List<Finding> findings = new ArrayList<>();
    AnomalyDetector detector = new AnomalyDetector(findings::add);
    DependencyInference inference = new DependencyInference(detector);
    for (Event event : PredicateSimulation.run(mode, random, 3, transactions).events) {
      inference.accept(event);
      detector.flush();
      inference.discard(Long.MAX_VALUE, Long.MAX_VALUE);
      switch (random.nextInt(16)) {
        case 0 -> detector.discard();
        case 1, 2 ->
            detector.findHypothetical(
                listener -> inference.inferHypothetical(Long.MAX_VALUE, Long.MAX_VALUE, listener));
        default -> {
          // the next event
        }
      }
    }
    assertThat(findings).allSatisfy(DiscardProperties::isClosed);
  }

  private static void isClosed(Finding finding) {
    List<Edge> edges = finding.edges();
    if (finding.phenomenon().isCycle()) {
      for (int i = 0; i < edges.size(); i++) {
        assertThat(edges.get(i).to()).isSameAs(edges.get((i + 1) % edges.size()).from());
      }
    }
  }

  /** Much later reads may prove what a predicate missed; such anomalies are excepted. */
  static Event byItem(Event event) {
    return event instanceof Event.StatementExecuted e
        ? new Event.StatementExecuted(
            e.session(),
            e.transaction(),
            e.statement(),
            e.kind(),
            e.sql(),
            e.callSite(),
            e.rows(),
            e.writesSeen(),
            e.sqlState())
        : event;
  }
}
