package io.txwatch.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.version.StoreSimulation.Shape;
import io.txwatch.version.StoreSimulation.Truth;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.alg.shortestpath.BFSShortestPath;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;
import org.junit.jupiter.api.Test;

/**
 * What is resolved from the writes that statements state, beside what truly happened: by a
 * dependency that is certain the one transaction truly precedes the other, if by way of others that
 * are not known.
 */
class StatedWritesProperties {

  private static final IsolationLevel[] LEVELS = {
    IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE
  };

  /** Values that are not watched are seen nowhere else: those that are cannot be distinguished. */
  private static Shape shape(Random random) {
    boolean unwatched = random.nextInt(3) == 0;
    return new Shape(
        LEVELS[random.nextInt(LEVELS.length)],
        false,
        2 + random.nextInt(5),
        1 + random.nextInt(6),
        unwatched ? 1_000_000 : 2 + random.nextInt(4),
        60 + random.nextInt(200),
        unwatched,
        random.nextInt(3) == 0,
        random.nextInt(3) == 0);
  }

  /** Without the record, and with some writes whose rows are not stated. */
  private static List<Event> stated(List<Event> events, int unstatedPercent, Random random) {
    List<Event> kept = new ArrayList<>();
    for (Event event : events) {
      if (event instanceof Event.Changed
          || event instanceof Event.ChangesRead
          || event.session() == ValueHistory.READER) {
        continue;
      }
      kept.add(event);
      if (event instanceof Event.SessionOpened) {
        kept.add(new Event.WritesStated(event.session()));
      } else if (event instanceof Event.ValuesObserved observed
          && !observed.writes().isEmpty()
          && random.nextInt(100) < unstatedPercent) {
        kept.set(kept.size() - 1, unstated(observed, random.nextBoolean()));
      }
    }
    return kept;
  }

  private static Event unstated(Event.ValuesObserved event, boolean namesTable) {
    List<StatedWrite> writes = new ArrayList<>();
    for (StatedWrite write : event.writes()) {
      RowValues none =
          new RowValues(write.rows().table(), write.rows().columns(), new long[0], new int[0]);
      writes.add(new StatedWrite(write.access(), none, false));
    }
    return new Event.ValuesObserved(
        event.session(),
        event.transaction(),
        event.statement(),
        event.sent(),
        event.returned(),
        event.reads(),
        namesTable ? writes : List.of(),
        event.unread());
  }

  /**
   * What truly precedes what. Rows are those of a key, whether they were deleted and inserted again
   * or not: a statement that does not say what it deletes does not show the difference.
   */
  private static DefaultDirectedGraph<Long, DefaultEdge> exact(StoreSimulation store) {
    DefaultDirectedGraph<Long, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    DependencyInference exact =
        new DependencyInference(
            ResolutionProperties.listener(edge -> add(graph, edge.from().id(), edge.to().id())));
    store.exact().forEach(exact::accept);
    for (List<Long> writers : store.orders().values()) {
      for (int i = 1; i < writers.size(); i++) {
        add(graph, writers.get(i - 1), writers.get(i));
      }
    }
    for (Truth read : store.truths()) {
      List<Long> writers = store.orders().getOrDefault(read.place(), List.of());
      int version = writers.lastIndexOf(read.writer());
      if (version >= 0 && read.writer() != read.transaction()) {
        add(graph, read.writer(), read.transaction());
        if (version + 1 < writers.size()) {
          add(graph, read.transaction(), writers.get(version + 1));
        }
      }
    }
    return graph;
  }

  private static void add(DefaultDirectedGraph<Long, DefaultEdge> graph, long from, long to) {
    if (from != to) {
      graph.addVertex(from);
      graph.addVertex(to);
      graph.addEdge(from, to);
    }
  }

  @Property(seed = "2026112801", tries = 500)
  void whatIsCertainIsTrue(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape = shape(random);
    StoreSimulation store = new StoreSimulation(shape, seed, true).run();
    int unstated = random.nextInt(3) == 0 ? 10 : random.nextInt(3) == 0 ? 50 : 0;
    assertCertainIsTrue(shape, store, stated(store.byValue(), unstated, random));
  }

  @Property(seed = "2026112801", tries = 200)
  void lostEventsForgeNothing(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape = shape(random);
    StoreSimulation store = new StoreSimulation(shape, seed, true).run();
    List<Event> events = stated(store.byValue(), 0, random);
    assertAnomaliesAreReal(shape, store, ResolutionProperties.withGaps(events, random));
  }

  private static void assertCertainIsTrue(Shape shape, StoreSimulation store, List<Event> events) {
    DefaultDirectedGraph<Long, DefaultEdge> truth = exact(store);
    BFSShortestPath<Long, DefaultEdge> paths = new BFSShortestPath<>(truth);
    Set<String> wrong = new HashSet<>();
    DependencyInference inference =
        new DependencyInference(
            ResolutionProperties.listener(
                edge -> {
                  long from = edge.from().id();
                  long to = edge.to().id();
                  if (!edge.evidence().possible()
                      && (!truth.containsVertex(from)
                          || !truth.containsVertex(to)
                          || paths.getPath(from, to) == null)) {
                    wrong.add(from + " " + edge.kind() + " " + to + " " + edge.row());
                  }
                }));
    VersionResolver resolver = new VersionResolver(inference::accept, inference::known, 1 << 24);
    events.forEach(resolver::accept);
    resolver.flush();
    assertThat(wrong).as("%s", shape).isEmpty();
    assertAnomaliesAreReal(shape, store, events);
  }

  private static void assertAnomaliesAreReal(
      Shape shape, StoreSimulation store, List<Event> events) {
    List<Set<Long>> components =
        new KosarajuStrongConnectivityInspector<>(exact(store)).stronglyConnectedSets();
    for (Anomaly anomaly : ValueHistory.anomalies(events)) {
      if (anomaly.confidence() == Confidence.CONFIRMED && !anomaly.possible()) {
        Set<Long> together = new HashSet<>();
        anomaly.transactions().forEach(transaction -> together.add(transaction.id()));
        assertThat(components)
            .as("%s %s %s", shape, anomaly.phenomenon(), anomaly)
            .anyMatch(component -> component.containsAll(together));
      }
    }
  }

  /** Everything is stated and no two values are the same: next to nothing is missed. */
  @Test
  void readsOfDistinctValuesAreResolved() {
    Resolution counts = Resolution.NONE;
    for (int seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      IsolationLevel level = LEVELS[random.nextInt(LEVELS.length)];
      Shape shape = new Shape(level, false, 4, 5, 1_000_000, 250, false, false, false);
      VersionResolver resolver =
          new VersionResolver(event -> {}, (session, tx, statement, rows) -> {}, 1 << 24);
      StoreSimulation store = new StoreSimulation(shape, seed, true).run();
      stated(store.byValue(), 0, random).forEach(resolver::accept);
      resolver.flush();
      counts = counts.plus(resolver.counts());
    }
    assertThat(counts.unique()).as("%s", counts).isGreaterThan(counts.rows() * 9 / 10);
  }
}
