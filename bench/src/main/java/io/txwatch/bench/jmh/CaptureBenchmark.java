package io.txwatch.bench.jmh;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.capture.CallSites;
import io.txwatch.capture.Observation;
import io.txwatch.capture.Pipeline;
import io.txwatch.capture.SessionTracker;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.history.QueueSink;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** Measures capture, from JDBC calls to events, and the processing of events. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CaptureBenchmark {

  private static final CallSites CALL_SITES = CallSites.of("");

  private static final Database DATABASE =
      new Database(new Product("PostgreSQL", "18.6"), Map.of());
  private static final int ROWS = 10_000;

  /** Discards all events. */
  private static final class NullSink implements EventSink {
    @Override
    public void accept(Event event) {}

    @Override
    public void close() {}
  }

  private final NullSink behind = new NullSink();
  private final QueueSink queue = new QueueSink(1 << 16, List.of(behind), line -> {});
  private final SessionTracker session = session(new NullSink());
  private final SessionTracker queued = session(queue);
  private final Analyzer analyzer = new Analyzer(Judge.named("dbms"), anomaly -> {});
  private final SessionTracker analysed = session(analyzer);
  private final String[] versions = new String[ROWS];
  private int row;

  private static SessionTracker session(EventSink sink) {
    return new SessionTracker(
        "benchmark",
        DATABASE,
        Products.of(Dialect.POSTGRESQL).transactionRules(DATABASE),
        false,
        IsolationLevel.READ_COMMITTED,
        () -> 0,
        committed -> {},
        new Pipeline(Ids.ofNode(1), sink));
  }

  /** Ends the queue's thread. */
  @TearDown
  public void tearDown() {
    queue.close();
  }

  /** Finds the call site of a statement in the application. */
  @Benchmark
  public String callSite() {
    return CALL_SITES.current();
  }

  /** Creates a writer token. */
  @Benchmark
  public String token() {
    return WriterToken.of(0x1234_5678_0000_0001L + row++, 3);
  }

  /** A transaction that reads a row and writes it: four events. */
  @Benchmark
  public void transaction() {
    readAndWrite(session);
  }

  /** A thread of an application with its own class loader, in a servlet container for example. */
  @State(Scope.Thread)
  public static class ApplicationThread {

    /** Gives the thread a class loader of its own. */
    @Setup
    public void setUp() {
      Thread.currentThread()
          .setContextClassLoader(
              new URLClassLoader(new URL[0], CaptureBenchmark.class.getClassLoader()));
    }
  }

  /** The same on two threads of different applications. */
  @Benchmark
  @Threads(2)
  public void transactionOfTwoApplications(ApplicationThread thread) {
    readAndWrite(session);
  }

  /** The same with the queue and the thread that empties it. */
  @Benchmark
  public void transactionQueued() {
    readAndWrite(queued);
  }

  /** The same, analysed on this thread: the work of the analyzer's own thread. */
  @Benchmark
  public void transactionAnalysed() {
    readAndWrite(analysed);
  }

  private void readAndWrite(SessionTracker tracker) {
    row = (row + 7_919) % ROWS;
    String before = versions[row] == null ? "" : versions[row];
    Observation read =
        tracker.begin(StatementKind.SELECT, "SELECT v FROM t WHERE id = ?", "A.java:1");
    read.row(Access.READ, "t", row + 1, before);
    read.succeeded(true);
    Observation write =
        tracker.begin(StatementKind.UPDATE, "UPDATE t SET v = ? WHERE id = ?", "A.java:2");
    String after = before.length() < 112 ? before : before.substring(WriterToken.LENGTH);
    after += write.token();
    write.row(Access.UPDATE, "t", row + 1, after);
    write.succeeded(true);
    tracker.committed();
    versions[row] = after;
  }
}
