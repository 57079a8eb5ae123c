package io.txwatch.serve;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.HistoryWriter;
import io.txwatch.link.Address;
import io.txwatch.link.TcpProvider;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.stale.Across;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A server on a free loopback port, and what it reported. */
final class TestServer implements AutoCloseable, ServerListener {

  static final String TOKEN = "the token of these tests";

  final AnalysisServer server;
  final List<String> lines = new CopyOnWriteArrayList<>();
  final List<Anomaly> found = new CopyOnWriteArrayList<>();
  final List<Anomaly> replayedAnomalies = new CopyOnWriteArrayList<>();

  TestServer() throws IOException {
    this(null, Duration.ofSeconds(30));
  }

  /** One with a shorter limit for the silence of a client. */
  static TestServer impatient(Duration silence) throws IOException {
    return new TestServer(0, null, ServerOptions.GRACE, silence, Optional.empty());
  }

  /** The same by TLS. */
  static TestServer impatient(Duration silence, SSLContext tls) throws IOException {
    return new TestServer(0, null, ServerOptions.GRACE, silence, Optional.of(tls));
  }

  TestServer(@Nullable Path history, Duration grace) throws IOException {
    this(0, history, grace);
  }

  TestServer(int port, @Nullable Path history, Duration grace) throws IOException {
    this(port, history, grace, ServerOptions.SILENCE, Optional.empty());
  }

  TestServer(SSLContext tls) throws IOException {
    this(0, null, ServerOptions.GRACE, ServerOptions.SILENCE, Optional.of(tls));
  }

  private TestServer(
      int port, @Nullable Path history, Duration grace, Duration silence, Optional<SSLContext> tls)
      throws IOException {
    this.server =
        AnalysisServer.open(
            new ServerOptions(
                new Address(false, "127.0.0.1", port),
                tls,
                TOKEN,
                Optional.ofNullable(history),
                HistoryWriter.MAX_FILE_BYTES,
                Judge.DBMS,
                Granularity.DEFAULT,
                Across.OFF,
                Baseline.NONE,
                grace,
                silence,
                64 << 20),
            this);
  }

  int port() {
    return server.address().getPort();
  }

  /** A client that the server takes for a process of its own. */
  EventSink service(String name) throws IOException {
    return service(port(), name, 1);
  }

  /** The same by TLS, trusting the certificates of a file; those of the JVM if there is none. */
  EventSink secureService(String name, String trusted) throws IOException {
    Map<Setting, String> given = given("tls://127.0.0.1:" + port(), name, 1);
    given.put(Setting.TLS_TRUST, trusted);
    return new TcpProvider.OverTls().open(Settings.of(given));
  }

  static EventSink service(int port, String name, int mebibytes) throws IOException {
    return new TcpProvider().open(Settings.of(given("tcp://127.0.0.1:" + port, name, mebibytes)));
  }

  private static Map<Setting, String> given(String analyzer, String name, int mebibytes) {
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    given.put(Setting.ANALYZER, analyzer);
    given.put(Setting.TOKEN, TOKEN);
    given.put(Setting.SERVICE, name);
    given.put(Setting.BUFFER, String.valueOf(mebibytes));
    return given;
  }

  /** The anomalies, each as its phenomenon and its transactions. */
  List<String> phenomena() {
    return phenomena(found);
  }

  static List<String> phenomena(List<Anomaly> anomalies) {
    return anomalies.stream()
        .map(
            anomaly -> {
              TreeSet<Long> ids = new TreeSet<>();
              anomaly.transactions().forEach(transaction -> ids.add(transaction.id()));
              return anomaly.phenomenon() + " " + ids;
            })
        .sorted()
        .toList();
  }

  @Override
  public void found(Anomaly anomaly, boolean replayed) {
    (replayed ? replayedAnomalies : found).add(anomaly);
  }

  @Override
  public void log(String line) {
    lines.add(line);
  }

  void awaitEvents(long count) throws InterruptedException {
    await(() -> server.status().events() >= count, "events");
  }

  void awaitLine(String part) throws InterruptedException {
    await(() -> lines.stream().anyMatch(line -> line.contains(part)), "a line with " + part);
  }

  void await(BooleanSupplier condition, String what) throws InterruptedException {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i == 1_500) {
        throw new AssertionError(
            "expected " + what + ", found " + server.status().json() + " and " + lines);
      }
      Thread.sleep(20);
    }
  }

  static void send(EventSink to, List<Event> events) {
    events.forEach(to::accept);
  }

  @Override
  public void close() {
    server.close();
  }
}
