package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.agent.TxWatchAgent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.example.orders.OrderService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to a service that runs under the agent in a JVM of its own. */
class InterleavedRequestsTest {

  private static final String TOKEN = "token-of-this-test";
  private static final String ORDER = "POST /orders {\"item\":1}";
  private static final String LOCKED_ORDER = "POST /locked-orders {\"item\":1}";

  @TempDir private static Path directory = Path.of("");

  private static Service shared;

  /** A service that runs. */
  private record Service(Process process, String url, int gate, Path errors) {

    /** Starts it on a database of its own. */
    static Service start(String arguments, String database) throws IOException {
      int gate = freePort();
      return start(arguments, database, gate);
    }

    static Service start(String arguments, String database, int gate) throws IOException {
      Path errors = Files.createTempFile(directory, "errors", "");
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-XX:TieredStopAtLevel=1");
      command.add("-javaagent:" + agent() + "=log=none" + arguments.replace("PORT", "" + gate));
      command.add("-cp");
      command.add(
          System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
      command.add(OrderService.class.getName());
      command.add("jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1");
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String port = lines.readLine();
      assertThat(port).as(Files.readString(errors)).isNotNull();
      return new Service(process, "http://127.0.0.1:" + port, gate, errors);
    }

    Invocation interleave(String token, String... more) throws IOException {
      Path file = Files.writeString(Files.createTempFile(directory, "token", ""), token);
      List<String> all = new ArrayList<>(List.of("interleave", "--json", "--service", url));
      all.addAll(List.of("--gate", "127.0.0.1:" + gate, "--token-file", file.toString()));
      all.addAll(List.of(more));
      return Invocation.of(all.toArray(String[]::new));
    }

    Invocation interleaveTwice(String request) throws IOException {
      return interleave(TOKEN, "--request", request, "--request", request);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** The classes are on the class path; the jar only names the agent class. */
  private static Path agent() throws IOException {
    Path jar = directory.resolve("agent.jar");
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", TxWatchAgent.class.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    if (Files.notExists(jar)) {
      try (OutputStream out = Files.newOutputStream(jar);
          JarOutputStream written = new JarOutputStream(out, manifest)) {
        written.finish();
      }
    }
    return jar;
  }

  @BeforeAll
  static void start() throws IOException {
    shared = Service.start(",gate=PORT,token=" + TOKEN, "orders");
  }

  @AfterAll
  static void stop() {
    shared.process().destroyForcibly();
  }

  private static JsonNode json(Invocation invocation) throws IOException {
    return new ObjectMapper().readTree(invocation.out());
  }

  @Test
  void ordersThatReadAndWriteRaceAndThoseThatLockDoNot() throws Exception {
    Invocation race = shared.interleaveTwice(ORDER);
    assertThat(race.code()).as(race.out() + race.err()).isEqualTo(ExitCode.ANOMALIES);
    JsonNode found = json(race);
    assertThat(found.path("result").asText()).isEqualTo("RACE");
    assertThat(found.path("phenomenon").asText()).isEqualTo("LOST_UPDATE");
    assertThat(found.path("reason").asText())
        .contains(ORDER + " returns 201 {\"left\":4}, " + ORDER + " #2 returns 201 {\"left\":4}");
    assertThat(found.path("schedule")).hasSize(6);
    assertThat(found.path("service").asText()).isEqualTo(shared.url());
    assertThat(found.path("requests")).hasSize(2);

    Invocation safe = shared.interleaveTwice(LOCKED_ORDER);
    assertThat(safe.code()).as(safe.out() + safe.err()).isZero();
    assertThat(json(safe).path("result").asText()).isEqualTo("SAFE");
    assertThat(json(safe).path("executions").asInt()).isGreaterThan(1);
    assertThat(json(safe).path("notes")).isEmpty();
  }

  @Test
  void aCommandRunsBeforeEachExecution() throws Exception {
    Path resets = directory.resolve("resets");
    String refill = "POST /stock";
    Invocation safe =
        shared.interleave(
            TOKEN, "--request", refill, "--request", refill, "--reset", "echo x >> " + resets);
    assertThat(safe.code()).as(safe.out() + safe.err()).isZero();
    assertThat(Files.readAllLines(resets).size())
        .isGreaterThan(json(safe).path("executions").asInt());

    Invocation failed =
        shared.interleave(TOKEN, "--request", ORDER, "--request", ORDER, "--reset", "exit 7");
    assertThat(failed.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(failed.err()).isEqualTo("txwatch: --reset: 'exit 7' has ended with exit code 7\n");
    Invocation again = shared.interleaveTwice(LOCKED_ORDER);
    assertThat(again.code()).as(again.out() + again.err()).isZero();
  }

  @Test
  void requestsThatReachNoDatabaseAreUndecided() throws Exception {
    Invocation none = shared.interleaveTwice("GET /time");
    assertThat(none.code()).as(none.out() + none.err()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(json(none).path("reason").asText())
        .startsWith("no call of an operation has reached a watched connection");
  }

  @Test
  void badInputIsNamed() throws Exception {
    assertRefused(
        shared.interleave(TOKEN, "--request", ORDER),
        ExitCode.BAD_INPUT,
        "--request: two to 5 requests are interleaved, and there are 1");
    assertRefused(
        shared.interleaveTwice("orders"),
        ExitCode.BAD_INPUT,
        "--request: expected 'METHOD /PATH' or 'METHOD /PATH BODY', not 'orders'");
    assertRefused(
        shared.interleave("wrong", "--request", ORDER, "--request", ORDER),
        ExitCode.BAD_INPUT,
        "the token is not that of the gate");
    assertRefused(
        shared.interleave("", "--request", ORDER, "--request", ORDER),
        ExitCode.BAD_INPUT,
        "the gate needs the token");
    assertRefused(
        Invocation.of("interleave", "--request", ORDER), ExitCode.BAD_INPUT, "need --service URL");
    assertRefused(Invocation.of("interleave"), ExitCode.BAD_INPUT, "expected a CASE and --url");
  }

  private static void assertRefused(Invocation invocation, int code, String why) {
    assertThat(invocation.err()).startsWith("txwatch: ").contains(why).hasLineCount(1);
    assertThat(invocation.code()).isEqualTo(code);
  }

  @Test
  void whatCannotBeReachedIsNamed() throws Exception {
    int nothing = freePort();
    assertRefused(
        new Service(shared.process(), "http://127.0.0.1:" + nothing, shared.gate(), directory)
            .interleaveTwice(ORDER),
        ExitCode.UNREACHABLE,
        "http://127.0.0.1:" + nothing + ": the service cannot be reached");
    assertRefused(
        new Service(shared.process(), shared.url(), nothing, directory).interleaveTwice(ORDER),
        ExitCode.UNREACHABLE,
        "start the service with -javaagent:txwatch.jar=gate=" + nothing);
  }

  @Test
  void aDatabaseThatIsNotForTestsIsNotTouched() throws Exception {
    Service service = Service.start(",gate=PORT,token=" + TOKEN, "production");
    try {
      Invocation refused = service.interleaveTwice(ORDER);
      assertThat(refused.code()).as(refused.out()).isEqualTo(ExitCode.UNDECIDED);
      assertThat(json(refused).path("reason").asText())
          .contains("does not look like a database for tests");
    } finally {
      service.process().destroyForcibly();
    }
    Service listed =
        Service.start(",gate=PORT,test-database=production,token=" + TOKEN, "production");
    try {
      assertThat(listed.interleaveTwice(ORDER).code()).isEqualTo(ExitCode.ANOMALIES);
    } finally {
      listed.process().destroyForcibly();
    }
  }

  @Test
  void aTokenIsPrintedAndAPortInUsePreventsNoStart() throws Exception {
    Service service = Service.start(",gate=PORT", "printed");
    try {
      String printed =
          Files.readString(service.errors()).replaceFirst("(?s).*TXWATCH_TOKEN=(\\w+).*", "$1");
      assertThat(printed).hasSize(32);
      Invocation race = service.interleave(printed, "--request", ORDER, "--request", ORDER);
      assertThat(race.code()).as(race.out() + race.err()).isEqualTo(ExitCode.ANOMALIES);
    } finally {
      service.process().destroyForcibly();
    }
    try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Service started = Service.start(",gate=PORT", "used", used.getLocalPort());
      started.process().destroyForcibly();
      assertThat(started.errors())
          .content()
          .contains("txwatch: txwatch.gate: 127.0.0.1:" + used.getLocalPort() + " cannot be used");
    }
  }
}
