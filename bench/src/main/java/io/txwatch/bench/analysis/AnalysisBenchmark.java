package io.txwatch.bench.analysis;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import io.txwatch.graph.DependencyGraph;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.HistoryWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.DirectedAcyclicGraph;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Measures the steps of an analysis, for one event or one edge, on a serializable history that
 * restarts at its end: no edge closes a cycle.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnalysisBenchmark {

  private static final long OPERATIONS = 100_000;

  /** The inferred transactions and edges, in order. */
  private static final class Inferred implements DependencyListener {
    final List<Object> all = new ArrayList<>();

    @Override
    public void committed(Transaction transaction) {
      all.add(transaction);
    }

    @Override
    public void dependency(Edge edge) {
      all.add(edge);
    }

    @Override
    public void wrongRead(WrongRead why, Edge read) {
      throw new AssertionError("a wrong read in a serializable history");
    }

    @Override
    public void forkedWrite(
        Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
      throw new AssertionError("a forked write in a serializable history");
    }
  }

  private final List<Event> events = new ArrayList<>();
  private final Inferred inferred = new Inferred();
  private final Path file;
  private HistoryReader reader;
  private int nextEvent;
  private int next;
  private Analyzer analyzer = analyzer();
  private DependencyInference inference = new DependencyInference(new Inferred());
  private DependencyGraph graph = new DependencyGraph();
  private DirectedAcyclicGraph<Transaction, DefaultEdge> acyclic =
      new DirectedAcyclicGraph<>(DefaultEdge.class);

  /** Generates the history and infers its edges. */
  public AnalysisBenchmark() {
    try {
      new TwoPhaseLockingSimulation<>(
              new SimulatedDriverEvents(events::add),
              TwoPhaseLockingSimulation.SEED,
              Integer.MAX_VALUE)
          .run(OPERATIONS);
      file = Files.createTempFile("txwatch", ".history");
      Files.delete(file);
      try (HistoryWriter writer = HistoryWriter.open(file)) {
        events.forEach(writer::accept);
      }
      reader = HistoryReader.open(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    DependencyInference all = new DependencyInference(inferred);
    events.forEach(all::accept);
  }

  /** Deletes the history. */
  @TearDown
  public void tearDown() throws IOException {
    reader.close();
    Files.delete(file);
  }

  private static Analyzer analyzer() {
    return new Analyzer(Judge.named("dbms"), anomaly -> {});
  }

  private void begin() {
    analyzer = analyzer();
    inference = new DependencyInference(new Inferred());
    graph = new DependencyGraph();
    acyclic = new DirectedAcyclicGraph<>(DefaultEdge.class);
    nextEvent = 0;
    next = 0;
  }

  private Event event() {
    if (nextEvent == events.size()) {
      begin();
    }
    return events.get(nextEvent++);
  }

  /** Decodes an event from a file. */
  @Benchmark
  public Event decodeEvent() throws IOException {
    Optional<Event> event = reader.next();
    if (event.isEmpty()) {
      reader.close();
      reader = HistoryReader.open(file);
      event = reader.next();
    }
    return event.orElseThrow();
  }

  /** Infers the dependencies of an event. */
  @Benchmark
  public void inferEvent() {
    inference.accept(event());
  }

  /** Infers the dependencies of an event and detects anomalies. */
  @Benchmark
  public void analyseEvent() {
    analyzer.accept(event());
  }

  /** Adds an edge that closes no cycle to the live graph. */
  @Benchmark
  public void addEdge(Blackhole result) {
    Object inferredItem = nextInferred();
    for (; inferredItem instanceof Transaction; inferredItem = nextInferred()) {
      graph.add((Transaction) inferredItem);
    }
    result.consume(graph.add((Edge) inferredItem));
  }

  /** The same with JGraphT's acyclic graph, which also maintains its order by Pearce and Kelly. */
  @Benchmark
  public void addEdgeToDirectedAcyclicGraphOfJGraphT(Blackhole result) {
    Object inferredItem = nextInferred();
    for (; inferredItem instanceof Transaction; inferredItem = nextInferred()) {
      acyclic.addVertex((Transaction) inferredItem);
    }
    Edge edge = (Edge) inferredItem;
    result.consume(acyclic.addEdge(edge.from(), edge.to()));
  }

  private Object nextInferred() {
    if (next == inferred.all.size()) {
      begin();
    }
    return inferred.all.get(next++);
  }
}
