package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.AnomalyDetector;
import io.txwatch.anomaly.Finding;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.PredicateSimulation;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Suspected is what would be found if those who run committed as they are: no more and no less. */
class SuspectedAnomaliesProperties {

  /** What is found by one read or between two transactions. */
  private static final class Found {
    private final Set<String> found = new TreeSet<>();
    private final AnomalyDetector detector = new AnomalyDetector(this::add);
    private final DependencyInference inference = new DependencyInference(detector);

    void add(Finding finding) {
      if (finding.edges().size() <= 2) {
        TreeSet<Long> ids = new TreeSet<>();
        finding.transactions().forEach(transaction -> ids.add(transaction.id()));
        found.add(ids.toString());
      }
    }

    void accept(Event event) {
      inference.accept(event);
      detector.flush();
    }

    Set<String> since() {
      Set<String> result = new TreeSet<>(found);
      found.clear();
      return result;
    }

    Set<String> suspected() {
      since();
      detector
          .findHypothetical(
              listener -> inference.inferHypothetical(Long.MAX_VALUE, Long.MAX_VALUE, listener))
          .forEach(this::add);
      return since();
    }
  }

  @Property
  void suspectedAnomaliesAreThoseThatCommitsWouldConfirm(
      @ForAll PredicateSimulation.Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 12) int transactions,
      @ForAll @IntRange(max = 100) int percent) {
    List<Event> history =
        PredicateSimulation.run(mode, new Random(seed), 3, transactions).events.stream()
            .map(DiscardProperties::byItem)
            .toList();
    Found found = new Found();
    Map<Long, Event> running = new LinkedHashMap<>();
    for (Event event : history.subList(0, history.size() * percent / 100)) {
      found.accept(event);
      if (event instanceof Event.TransactionBegan) {
        running.put(event.transaction(), event);
      } else if (event instanceof Event.TransactionEnded) {
        running.remove(event.transaction());
      }
    }
    Set<String> suspected = found.suspected();
    for (Event began : running.values()) {
      found.accept(
          new Event.TransactionEnded(began.session(), began.transaction(), Outcome.COMMITTED, 0));
    }
    assertThat(suspected).isEqualTo(found.since());
  }
}
