package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.document.DocumentFormat;
import io.txwatch.document.SourceFiles;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.TraceId;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Report;
import io.txwatch.slice.HistorySlice;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Two transactions lose an update, each in a trace of its own: H2 with OpenTelemetry's SDK and
 * Logback.
 */
class TraceIdsTest {

  private static final String HOSTILE =
      "<script>window.hit=1</script>`| \u001b[31m\n" + "x".repeat(10_000);

  @TempDir Path folder = Path.of("");

  private final String url = "jdbc:h2:mem:traces" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";

  /** Tracers of OpenTelemetry's SDK. Without a processor they make no spans. */
  private static SdkTracerProvider tracers() {
    return SdkTracerProvider.builder()
        .addSpanProcessor(SimpleSpanProcessor.create(SpanExporter.composite()))
        .build();
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100)");
      Watched.prepare(connection);
    }
  }

  /** A request, within its trace: reads the balance, runs another one, and writes the balance. */
  private static void request(Watched watched, String url, Runnable other) throws SQLException {
    try (Connection connection = watched.connect(url);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try (ResultSet rows = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
        assertThat(rows.next()).isTrue();
      }
      other.run();
      statement.execute("UPDATE account SET balance = 90 WHERE id = 1");
      connection.commit();
    }
  }

  private static void requestAlone(Watched watched, String url) {
    try {
      request(watched, url, () -> {});
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> traceIds(JsonNode anomaly) {
    List<String> found = new ArrayList<>();
    anomaly.get("transactions").forEach(t -> found.add(t.path("traceId").asText()));
    return found;
  }

  @Test
  void spansOfOpenTelemetryAreInTheHistoryTheReportAndThePage() throws Exception {
    Watched watched = new Watched(folder, Map.of());
    List<String> traces = new ArrayList<>();
    try (watched;
        SdkTracerProvider tracers = tracers()) {
      Tracer tracer = tracers.get("shop");
      Span first = tracer.spanBuilder("first").startSpan();
      Span second = tracer.spanBuilder("second").startSpan();
      traces.add(first.getSpanContext().getTraceId());
      traces.add(second.getSpanContext().getTraceId());
      MDC.put("trace_id", "of the log, which a span precedes");
      try (Scope outer = first.makeCurrent()) {
        request(
            watched,
            url,
            () -> {
              try (Scope inner = second.makeCurrent()) {
                requestAlone(watched, url);
              }
            });
      } finally {
        MDC.remove("trace_id");
      }
    }

    assertThat(traces.get(0)).isNotEqualTo(traces.get(1));
    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.phenomenon()).isEqualTo("LOST_UPDATE");
              assertThat(traceIds(lost.json())).containsExactlyElementsOf(traces);
            });
    assertThat(watched.events())
        .filteredOn(Event.TransactionBegan.class::isInstance)
        .extracting(event -> ((Event.TransactionBegan) event).traceId())
        .containsAll(traces);
    for (DocumentFormat format :
        List.of(
            DocumentFormat.HTML,
            DocumentFormat.MARKDOWN,
            DocumentFormat.SARIF,
            DocumentFormat.JUNIT)) {
      assertThat(format.write(report(watched.events()), SourceFiles.NONE))
          .as(format.name())
          .contains(traces);
    }
  }

  @Test
  void valueOfTheMdcIsTheTraceWithoutASpan() throws Exception {
    LoggerFactory.getLogger(TraceIdsTest.class).debug("Logback is in use");
    Watched watched = new Watched(folder, Map.of());
    try (watched) {
      MDC.put("traceId", "of Micrometer");
      request(
          watched,
          url,
          () -> {
            MDC.put("trace_id", "of OpenTelemetry's appender");
            requestAlone(watched, url);
            MDC.remove("trace_id");
          });
    } finally {
      MDC.remove("traceId");
    }

    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            lost ->
                assertThat(traceIds(lost.json()))
                    .containsExactly("of Micrometer", "of OpenTelemetry's appender"));
  }

  @Test
  void hostileTextIsCutAndStaysText() throws Exception {
    LoggerFactory.getLogger(TraceIdsTest.class).debug("Logback is in use");
    Watched watched = new Watched(folder, Map.of());
    try (watched) {
      MDC.put("trace_id", HOSTILE);
      request(watched, url, () -> requestAlone(watched, url));
    } finally {
      MDC.remove("trace_id");
    }

    String cut = HOSTILE.substring(0, TraceId.MAX_CHARACTERS);
    assertThat(watched.reported())
        .singleElement()
        .satisfies(lost -> assertThat(traceIds(lost.json())).containsExactly(cut, cut));
    Report report = report(watched.events());
    for (DocumentFormat format : DocumentFormat.values()) {
      assertThat(format.write(report, SourceFiles.NONE))
          .as(format.name())
          .doesNotContain("xx" + "x".repeat(TraceId.MAX_CHARACTERS), "\u001b");
    }
    assertThat(DocumentFormat.HTML.write(report, SourceFiles.NONE))
        .doesNotContain("<script>window.hit");
  }

  private static Report report(List<Event> events) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.named("dbms"), found::add)) {
      events.forEach(analyzer::accept);
      assertThat(found).isNotEmpty();
      assertThat(again(found.get(0))).as("its slice").isEqualTo(traceIds(found.get(0)));
      return new Report(
          "shop", Instant.EPOCH, found.stream().map(Group::new).toList(), 0, analyzer.coverage());
    }
  }

  private static List<String> traceIds(Anomaly anomaly) {
    return anomaly.transactions().stream().map(t -> t.traceId()).toList();
  }

  private static List<String> again(Anomaly anomaly) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.named("dbms"), found::add)) {
      HistorySlice.events(anomaly).forEach(analyzer::accept);
    }
    assertThat(found).hasSize(1);
    return traceIds(found.get(0));
  }
}
