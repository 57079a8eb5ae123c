package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.demo.DemoApp;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.NoHistoryException;
import io.txwatch.history.Outcome;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The races of the demo are proven from what one client did. */
class PredictCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder = Path.of("");

  static Stream<Arguments> phases() {
    return TestServers.concurrentKinds()
        .filter(kind -> kind != ServerKind.MYSQL)
        .flatMap(
            kind ->
                Stream.of(
                    Arguments.of(kind, "lost-update", "BankService", "LOST_UPDATE"),
                    Arguments.of(kind, "double-booking", "BookingService", "LOST_UPDATE"),
                    Arguments.of(kind, "write-skew", "RosterService", "WRITE_SKEW"),
                    Arguments.of(kind, "read-skew", "ReportService", "READ_SKEW")));
  }

  @ParameterizedTest
  @MethodSource("phases")
  void oneClientShowsTheRacesOfTheDemo(
      ServerKind kind, String phase, String service, String phenomenon) throws Exception {
    String url = TestServers.freshDatabase(kind);
    List<JsonNode> confirmed = confirmed(predict(url, record(url, phase)));
    assertThat(confirmed).extracting(one -> one.get("phenomenon").asText()).contains(phenomenon);
    assertThat(confirmed)
        .allSatisfy(
            one -> {
              assertThat(one.get("operations").toString()).contains(service);
              assertThat(Path.of(one.get("case").asText())).exists();
              assertThat(sources()).isNotEmpty().allSatisfy(PredictCommandTest::assertCompiles);
            });
    assertThat(confirmed)
        .filteredOn(one -> one.get("phenomenon").asText().equals(phenomenon))
        .anySatisfy(one -> assertThat(one.get("advice").asText()).isNotEmpty());
  }

  @ParameterizedTest
  @MethodSource("phases")
  void itsCorrectedVersionHasNone(ServerKind kind, String phase, String service, String phenomenon)
      throws Exception {
    String url = TestServers.freshDatabase(kind);
    assertThat(confirmed(predict(url, record(url, phase, "--fixed")))).isEmpty();
  }

  @Test
  void aHistoryWithoutValuesIsRefused() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    Path file = record(url, "lost-update", "off");
    Invocation run = Invocation.of("predict", file.toString(), "--url", url);
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).contains("contains no values of statements", "txwatch.predict=on");
  }

  @Test
  void aDatabaseInMemoryIsMadeAgain() throws Exception {
    Path file = record(TestServers.freshDatabase(ServerKind.H2), "write-skew");
    List<JsonNode> confirmed = confirmed(Invocation.of("predict", "--json", file.toString()));
    assertThat(confirmed).extracting(one -> one.get("phenomenon").asText()).contains("WRITE_SKEW");
  }

  @Test
  void aServersDatabaseIsNot() throws Exception {
    Path file = record(TestServers.freshDatabase(ServerKind.POSTGRESQL), "write-skew");
    Invocation run = Invocation.of("predict", file.toString());
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).contains("--url is needed");
  }

  @Test
  void reportsShowThemWithoutValues() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    Path file = record(url, "lost-update");
    Path earlier = Files.createDirectory(folder.resolve("cases")).resolve("predictions.jsonl");
    Files.writeString(earlier, "of an earlier run");
    Invocation run = predict(url, file);
    Path written = folder.resolve("cases/predictions.jsonl");
    assertThat(Files.readString(written)).isEqualToNormalizingNewlines(run.out());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(written)))
        .isEqualTo("rw-------");
    assertThat(confirmed(run))
        .isNotEmpty()
        .allSatisfy(
            one -> {
              assertThat(one.get("schedule").toString()).containsPattern("= \\d");
              assertThat(one.get("order")).hasSameSizeAs(one.get("schedule"));
              assertThat(one.get("order").toString())
                  .contains("= ?")
                  .doesNotContainPattern("= \\d");
            });
    Path report = folder.resolve("report.md");
    Invocation.of(
        "report", file.toString(), "--predictions", written.toString(), "--out", report.toString());
    assertThat(Files.readString(report))
        .containsPattern("### Lost update: BankService.*BankService")
        .containsPattern("\\(BankService.java:\\d+\\\\\\), observed \\d+ times")
        .contains("T2: commit\n", "Prevented, when it was tried, by:")
        .doesNotContainPattern("(?m)^T\\d: .*= \\d");
  }

  @Test
  void theFileIsWrittenWithoutJsonToo() throws Exception {
    Path file = record(TestServers.freshDatabase(ServerKind.H2), "write-skew", "--fixed");
    Path out = folder.resolve("cases");
    Invocation.of("predict", file.toString(), "--out", out.toString());
    List<String> lines = Files.readAllLines(out.resolve("predictions.jsonl"));
    assertThat(JSON.readTree(lines.get(lines.size() - 1)).get("type").asText())
        .isEqualTo("predict");
  }

  private List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("cases"))) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** Against stubs of the module that this one does not know. */
  private static void assertCompiles(Path source) throws IOException {
    Path stubs = Files.createDirectories(source.resolveSibling("stubs/io/txwatch/junit"));
    Path test = stubs.resolve("InterleaveTest.java");
    Path run = stubs.resolve("Interleaving.java");
    Files.writeString(test, "package io.txwatch.junit; public @interface InterleaveTest {}");
    Files.writeString(
        run,
        "package io.txwatch.junit; public interface Interleaving {"
            + " void operation(String name, Runnable body); }");
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                messages,
                "-d",
                stubs.toString(),
                source.toString(),
                test.toString(),
                run.toString());
    assertThat(code).as(messages.toString(StandardCharsets.UTF_8)).isZero();
  }

  private static List<JsonNode> confirmed(Invocation run) throws IOException {
    List<JsonNode> confirmed = new ArrayList<>();
    for (String line : run.out().lines().toList()) {
      JsonNode one = JSON.readTree(line);
      if (one.path("result").asText().equals("CONFIRMED")) {
        confirmed.add(one);
      }
    }
    assertThat(run.code())
        .as(run.err())
        .isIn(
            confirmed.isEmpty()
                ? List.of(ExitCode.CLEAN, ExitCode.UNDECIDED)
                : List.of(ExitCode.ANOMALIES));
    return confirmed;
  }

  private Invocation predict(String url, Path history) throws Exception {
    return Invocation.of(
        "predict",
        history.toString(),
        "--json",
        "--url",
        url,
        "--out",
        folder.resolve("cases").toString());
  }

  /** Runs a phase of the demo with one client. */
  private Path record(String url, String phase, String... more) throws Exception {
    Path file = folder.resolve("demo.history");
    boolean isOff = List.of(more).contains("off");
    String separator = url.startsWith("jdbc:h2:") ? ";" : url.contains("?") ? "&" : "?";
    String watched =
        url.replaceFirst("jdbc:", "jdbc:txwatch:")
            + separator
            + String.join(
                separator.equals("?") ? "&" : separator,
                "txwatch.history=" + file,
                "txwatch.predict=" + (isOff ? "off" : "on"),
                "txwatch.log=none");
    List<String> arguments =
        new ArrayList<>(
            List.of("--url", watched, "--phase", phase, "--one-client", "--rounds", "3"));
    Stream.of(more).filter(one -> one.startsWith("-")).forEach(arguments::add);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Method run =
        DemoApp.class.getDeclaredMethod(
            "run", String[].class, PrintStream.class, PrintStream.class);
    run.setAccessible(true);
    PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
    Object code = run.invoke(null, arguments.toArray(String[]::new), printed, printed);
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(code).as(text).isEqualTo(0);
    int transactions = Integer.parseInt(text.replaceAll("(?s).*transactions=(\\d+).*", "$1"));
    for (int i = 0; i < 1_000 && committed(file) < transactions; i++) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    assertThat(committed(file)).isGreaterThanOrEqualTo(transactions);
    return file;
  }

  private static int committed(Path file) throws IOException {
    int[] count = new int[1];
    if (!Files.exists(file)) {
      return 0;
    }
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(
          event -> {
            if (event instanceof Event.TransactionEnded ended
                && ended.outcome() == Outcome.COMMITTED) {
              count[0]++;
            }
          });
    } catch (NoHistoryException e) {
      return 0; // nothing was written yet
    }
    return count[0];
  }
}
