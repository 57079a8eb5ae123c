package io.txwatch.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.KnownRow;
import io.txwatch.dependency.KnownRow.Bound;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RowAccess;
import io.txwatch.version.StoreSimulation.Shape;
import io.txwatch.version.StoreSimulation.Truth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** What is resolved from values and a record of changes, beside what truly happened. */
class ResolutionProperties {

  private static final IsolationLevel[] LEVELS = {
    IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE
  };

  private static Shape shape(Random random) {
    return new Shape(
        LEVELS[random.nextInt(LEVELS.length)],
        random.nextBoolean(),
        2 + random.nextInt(5),
        2 + random.nextInt(6),
        random.nextBoolean() ? 3 : 1000,
        60 + random.nextInt(200),
        random.nextInt(3) == 0,
        random.nextInt(3) == 0,
        random.nextInt(3) == 0);
  }

  /** One key of each read: a statement of the simulation reads one row. */
  private record Read(long transaction, int statement) {}

  private static Read read(Truth truth) {
    return new Read(truth.transaction(), truth.statement());
  }

  /**
   * Without numbers of connections, the change of a writer that is not watched may be attributed to
   * a watched one that set the same values right after it. Whether that one wrote the row after it
   * is nowhere recorded, so both answers are right then: that it did, and that it did not.
   */
  @Property
  void everyReadIsResolvedToTheVersionThatItReturned(@ForAll long seed) {
    Shape shape = shape(new Random(seed));
    StoreSimulation store = new StoreSimulation(shape, seed).run();
    Map<Read, List<KnownRow>> found = new HashMap<>();
    VersionResolver resolver =
        new VersionResolver(
            event -> {},
            (session, transaction, statement, rows) ->
                rows.stream()
                    .filter(row -> row.access().access() == Access.READ)
                    .forEach(
                        row ->
                            found
                                .computeIfAbsent(
                                    new Read(transaction, statement), r -> new ArrayList<>())
                                .add(row)),
            1 << 24);
    store.byValue().forEach(resolver::accept);
    resolver.flush();
    StoreSimulation other =
        shape.unwatched() && !shape.numbered()
            ? new StoreSimulation(shape, seed, true).run()
            : store;
    Map<Read, Truth> most = new HashMap<>(); // a row of which its snapshot has none may be its own
    other.truths().forEach(truth -> most.put(read(truth), truth));
    for (Truth truth : store.truths()) {
      List<KnownRow> rows = found.getOrDefault(read(truth), List.of());
      if (other == store) {
        check(store, truth, rows);
      } else {
        checkBetween(other, truth, Objects.requireNonNull(most.get(read(truth))), rows);
      }
    }
  }

  /**
   * Rows that an UPDATE of the key moved; changes that may be the reader's, or of somebody else.
   */
  @Example
  void samplesThatWereResolvedToWrongVersions() {
    for (long seed :
        new long[] {
          -199_473,
          7_424_998_550_473_439_381L,
          545_062,
          -866_388_453_929_374_820L,
          -99_014,
          -444_438_887_445_489_077L,
          2_716_678_534L,
          94_678
        }) {
      everyReadIsResolvedToTheVersionThatItReturned(seed);
    }
  }

  private static void checkBetween(
      StoreSimulation store, Truth least, Truth most, List<KnownRow> rows) {
    List<Long> order = store.orders().getOrDefault(least.place(), List.of());
    int from = order.lastIndexOf(least.writer());
    int to = order.lastIndexOf(most.writer());
    for (KnownRow row : rows) {
      int at = order.lastIndexOf(writer(row.access()));
      if (at >= 0 && row.access().certain()) {
        assertThat(from <= at || row.bound() == Bound.LOWER)
            .as("%s %s in %s", least, rows, order)
            .isTrue();
        assertThat(at <= to || row.bound() == Bound.UPPER)
            .as("%s %s in %s", most, rows, order)
            .isTrue();
      }
    }
  }

  private static void check(StoreSimulation store, Truth truth, List<KnownRow> rows) {
    List<Long> order = store.orders().getOrDefault(truth.place(), List.of());
    for (KnownRow row : rows) {
      long writer = writer(row.access());
      if (writer < 0) {
        continue; // a recorded writer that was not attributed to any transaction
      }
      if (row.access().certain() && row.bound() == Bound.EXACT) {
        assertThat(writer).as("%s %s in %s", truth, rows, order).isEqualTo(truth.writer());
      } else if (row.access().certain()
          && order.contains(writer)
          && order.contains(truth.writer())) {
        int bound = order.indexOf(writer) - order.indexOf(truth.writer());
        assertThat(row.bound() == Bound.LOWER ? bound : -bound)
            .as("%s %s in %s", truth, rows, order)
            .isLessThanOrEqualTo(0);
      }
    }
  }

  private static long writer(RowAccess access) {
    int last = access.writers().size() - 1;
    return last < 0 ? 0 : access.writers().transaction(last);
  }

  @Property
  void anomaliesAreThoseOfTheExactHistory(@ForAll long seed) {
    Shape shape = shape(new Random(seed));
    StoreSimulation store = new StoreSimulation(shape, seed).run();
    assertReal(shape, seed, store.byValue());
  }

  /** They write the same values to the same rows as those that are watched, to and fro. */
  @Property
  void writersThatAreNotWatchedForgeNothing(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape =
        new Shape(
            LEVELS[random.nextInt(LEVELS.length)],
            false,
            2 + random.nextInt(3),
            1 + random.nextInt(2),
            2,
            100 + random.nextInt(200),
            true,
            random.nextInt(4) == 0,
            random.nextInt(4) == 0);
    assertReal(shape, seed, new StoreSimulation(shape, seed).run().byValue());
  }

  @Property
  void lostEventsForgeNothing(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape = shape(random);
    StoreSimulation store = new StoreSimulation(shape, seed).run();
    assertReal(shape, seed, withGaps(store.byValue(), new Random(seed)));
  }

  /** A thread goes on late after its statement: the record is ahead of its events. */
  @Property
  void eventsThatArriveLateForgeNothing(@ForAll long seed) {
    Shape shape = shape(new Random(seed));
    StoreSimulation store = new StoreSimulation(shape, seed).run();
    assertReal(shape, seed, late(store.byValue(), new Random(seed)));
  }

  /** Some events, and the later ones of their sessions, arrive after some of other sessions. */
  private static List<Event> late(List<Event> events, Random random) {
    List<Event> arrived = new ArrayList<>();
    Map<Long, List<Event>> delayed = new TreeMap<>();
    for (Event event : events) {
      List<Event> before = delayed.get(event.session());
      if (before != null) {
        before.add(event);
      } else if (event instanceof Event.StatementExecuted && random.nextInt(4) == 0) {
        delayed.put(event.session(), new ArrayList<>(List.of(event)));
      } else {
        arrived.add(event);
      }
      if (random.nextInt(4) == 0 && !delayed.isEmpty()) {
        List<Long> sessions = List.copyOf(delayed.keySet());
        arrived.addAll(delayed.remove(sessions.get(random.nextInt(sessions.size()))));
      }
    }
    delayed.values().forEach(arrived::addAll);
    return arrived;
  }

  /** Drops some runs of events; a gap precedes what follows each. */
  static List<Event> withGaps(List<Event> events, Random random) {
    List<Event> kept = new ArrayList<>();
    int lost = 0;
    for (Event event : events) {
      boolean opening =
          event instanceof Event.SessionOpened
              || event instanceof Event.SessionIdentified
              || event instanceof Event.WritesStated;
      if (lost == 0 && random.nextInt(40) == 0) {
        lost = 1 + random.nextInt(8);
      }
      if (lost > 0 && !opening) {
        if (--lost == 0) {
          kept.add(new Event.Gap(0, 0, GapReason.OVERFLOW, "", 1));
        }
      } else {
        kept.add(event);
      }
    }
    return kept;
  }

  /** An UPDATE by key of an equal value is a write, although the record does not show it. */
  private static void assertReal(Shape shape, long seed, List<Event> byValue) {
    DefaultDirectedGraph<Long, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    addDependencies(new StoreSimulation(shape, seed).run(), graph);
    addDependencies(new StoreSimulation(shape, seed, true).run(), graph);
    List<Set<Long>> components =
        new KosarajuStrongConnectivityInspector<>(graph).stronglyConnectedSets();
    for (Anomaly anomaly : ValueHistory.anomalies(byValue)) {
      if (anomaly.confidence() == Confidence.CONFIRMED && !anomaly.possible()) {
        Set<Long> together = new TreeSet<>();
        anomaly.transactions().forEach(transaction -> together.add(id(transaction)));
        assertThat(components)
            .as("%s %s", anomaly.phenomenon(), anomaly)
            .anyMatch(component -> component.containsAll(together));
      }
    }
  }

  @Property(tries = 100)
  void writersThatAreNotWatchedAreNamed(@ForAll boolean numbered) {
    int named = 0;
    for (long seed = 0; seed < 20; seed++) {
      Shape shape =
          new Shape(IsolationLevel.READ_COMMITTED, numbered, 1, 2, 1000, 200, true, false, false);
      for (Anomaly anomaly :
          ValueHistory.anomalies(new StoreSimulation(shape, seed).run().byValue())) {
        named +=
            (int) anomaly.transactions().stream().filter(ResolutionProperties::isNamed).count();
      }
    }
    assertThat(named).isPositive();
  }

  private static boolean isNamed(ObservedTransaction transaction) {
    return transaction.session().startsWith("a session that is not watched");
  }

  /** The id in the simulation: one that is said to be not watched is certainly not. */
  private static long id(ObservedTransaction transaction) {
    if (!isNamed(transaction)) {
      return transaction.id();
    }
    assertThat(transaction.endedMicros()).isGreaterThan(StoreSimulation.UNWATCHED);
    return transaction.endedMicros();
  }

  private static void addDependencies(
      StoreSimulation store, DefaultDirectedGraph<Long, DefaultEdge> graph) {
    DependencyInference exact =
        new DependencyInference(
            listener(
                edge -> {
                  graph.addVertex(edge.from().id());
                  graph.addVertex(edge.to().id());
                  graph.addEdge(edge.from().id(), edge.to().id());
                }));
    store.exact().forEach(exact::accept);
  }

  @Property
  void uniqueReadsHaveTheDependenciesOfTheExactHistory(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape =
        new Shape(
            LEVELS[random.nextInt(3)],
            true,
            2 + random.nextInt(5),
            2 + random.nextInt(6),
            1_000_000,
            60 + random.nextInt(200),
            false,
            random.nextBoolean(),
            false);
    StoreSimulation store = new StoreSimulation(shape, seed).run();
    Set<String> expected = new HashSet<>();
    DependencyInference exact = new DependencyInference(edge(expected));
    store.exact().forEach(exact::accept);
    Set<String> found = new HashSet<>();
    DependencyInference inference = new DependencyInference(edge(found));
    VersionResolver resolver = new VersionResolver(inference::accept, inference::known, 1 << 24);
    store.byValue().forEach(resolver::accept);
    resolver.flush();
    Resolution counts = resolver.counts();
    if (counts.unique() == counts.rows()) {
      assertThat(found).as("%s", shape).isEqualTo(expected);
    } else {
      assertThat(counts.unique()).isGreaterThan(0);
    }
  }

  private static DependencyListener edge(Set<String> edges) {
    return listener(edge -> edges.add(edge.from().id() + " " + edge.kind() + " " + edge.to().id()));
  }

  static DependencyListener listener(Consumer<Edge> edges) {
    return new DependencyListener() {
      @Override
      public void committed(Transaction transaction) {}

      @Override
      public void dependency(Edge edge) {
        edges.accept(edge);
      }

      @Override
      public void wrongRead(WrongRead why, Edge read) {}

      @Override
      public void forkedWrite(
          Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
        throw new AssertionError(first + " and " + second + " wrote the same version");
      }
    };
  }
}
