package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.metrics.MeterBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two services, each a process of its own, one database, one {@code txwatch serve}. */
class ServeCommandTest {

  private static final String TOKEN = "a token of twenty characters";

  @TempDir private Path directory = Path.of("");

  /** A process whose lines can be waited for. */
  private static final class Child implements AutoCloseable {

    private final Process process;
    private final BufferedReader err;

    Child(List<String> jvmOptions, Class<?> main, String... arguments) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
      command.add(System.getProperty("java.class.path"));
      command.addAll(jvmOptions);
      command.add(main.getName());
      command.addAll(List.of(arguments));
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("TXWATCH_TOKEN", TOKEN);
      process = builder.start();
      err = reader(process.getErrorStream());
    }

    static BufferedReader reader(InputStream stream) {
      return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    /** Reads lines from standard error up to the first that contains the text. */
    String await(String part) throws IOException {
      List<String> read = new ArrayList<>();
      for (String line = err.readLine(); line != null; line = err.readLine()) {
        if (line.contains(part)) {
          return line;
        }
        read.add(line);
      }
      throw new AssertionError("expected " + part + ", found " + read);
    }

    /** Has the application do its next step. */
    void step() throws IOException {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
      assertThat(process.getInputStream().read()).isEqualTo('.');
    }

    int end() throws Exception {
      process.getOutputStream().close();
      return process.waitFor();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** Reads a balance, adds to it, commits: a step at a time. */
  static final class Service {

    private Service() {}

    public static void main(String[] args) throws Exception {
      try (Connection connection = DriverManager.getConnection(args[0])) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        while (System.in.read() >= 0) {
          int balance = balance(connection);
          done();
          System.in.read();
          try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE account SET balance = " + (balance + 10));
          }
          done();
          System.in.read();
          connection.commit();
          done();
        }
      }
    }

    private static int balance(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT balance FROM account")) {
        row.next();
        return row.getInt(1);
      }
    }

    private static void done() {
      System.out.print('.');
      System.out.flush();
    }
  }

  private static Child service(String name, int port, String database) throws IOException {
    return new Child(
        List.of(
            "-Dtxwatch.analyzer=tcp://127.0.0.1:" + port,
            "-Dtxwatch.service=" + name,
            "-Dtxwatch.prepare=auto"),
        Service.class,
        "jdbc:txwatch:" + database);
  }

  private static int port(String line, String scheme) {
    Matcher found = Pattern.compile(scheme + "://127\\.0\\.0\\.1:([0-9]+)").matcher(line);
    assertThat(found.find()).isTrue();
    return Integer.parseInt(found.group(1));
  }

  /** Waits until the status page has this part. */
  private static void awaitStatus(int port, String part) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
            .header("Authorization", "Bearer " + TOKEN)
            .build();
    HttpClient client = HttpClient.newHttpClient();
    String status = "";
    for (int i = 0; i < 3_000 && !status.contains(part); i++) {
      Thread.sleep(10);
      status = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
    assertThat(status).contains(part);
  }

  /** {@code serve}, and a tool in its JVM that reads an attribute of its bean. */
  static final class ServeWithTool {

    private ServeWithTool() {}

    public static void main(String[] args) throws Exception {
      Thread serve = new Thread(() -> Main.main(args));
      serve.start();
      MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName(MeterBean.NAME);
      while (!beans.isRegistered(name)) {
        Thread.sleep(10);
      }
      System.err.println("observed: " + beans.getAttribute(name, "StatementsObserved"));
      serve.join();
    }
  }

  @Test
  @Timeout(60)
  void figuresAreAttributesOfABean() throws Exception {
    try (Child server =
        new Child(
            List.of(), ServeWithTool.class, "serve", "--listen", "127.0.0.1:0", "--http", "none")) {
      assertThat(server.await("observed")).isEqualTo("observed: 0");
    }
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void lostUpdateAcrossTwoJvmsIsReported() throws Exception {
    Path history = directory.resolve("history");
    Server h2 = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    String database = "jdbc:h2:tcp://127.0.0.1:" + h2.getPort() + "/mem:shop";
    try (Connection setUp = DriverManager.getConnection(database + ";DB_CLOSE_DELAY=-1");
        Statement statement = setUp.createStatement();
        Child server =
            new Child(
                List.of(),
                Main.class,
                "serve",
                "--listen=127.0.0.1:0",
                "--http=127.0.0.1:0",
                "--json",
                "--fail-on=hazard",
                "--grace=1",
                "--history=" + history)) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100)");
      String line = server.await("analysing what is reported to");
      int port = port(line, "tcp");
      try (Child orders = service("orders", port, database);
          Child billing = service("billing", port, database)) {
        orders.step();
        billing.step();
        orders.step();
        orders.step();
        billing.step();
        billing.step();
        server.await("LOST_UPDATE");

        // One process dies within a transaction, whose outcome is then unknown.
        orders.step();
        orders.step();
        awaitStatus(port(line, "http"), "\"openTransactions\":1");
        orders.close();
        server.await("the outcome of 1 open transactions is unknown");
        assertThat(billing.end()).isZero();
        server.await("billing has ended");
      }
      server.process.toHandle().destroy(); // Process.destroy would close its streams, too
      server.await("in 2 sessions");
      server.await("1 CUT_OFF");
      assertThat(server.process.waitFor()).isEqualTo(ExitCode.ANOMALIES);

      List<JsonNode> anomalies = new ArrayList<>();
      ObjectMapper mapper = new ObjectMapper();
      try (BufferedReader out = Child.reader(server.process.getInputStream())) {
        for (String json = out.readLine(); json != null; json = out.readLine()) {
          anomalies.add(mapper.readTree(json));
        }
      }
      assertThat(anomalies).hasSize(1);
      assertThat(anomalies.get(0).get("phenomenon").asText()).isEqualTo("LOST_UPDATE");
      assertThat(anomalies.get(0).get("transactions"))
          .extracting(t -> t.get("session").asText().replaceFirst("/.*", ""))
          .containsExactlyInAnyOrder("orders", "billing");
    } finally {
      h2.stop();
    }
    Invocation check = Invocation.of("check", "--json", history.toString());
    assertThat(check.out()).contains("\"phenomenon\":\"LOST_UPDATE\"");
  }

  @Test
  void invalidOptionsAreReportedInOneLine() throws Exception {
    Path shortToken = Files.writeString(directory.resolve("token"), "short\n");
    Path noHistory = Files.writeString(directory.resolve("no-history"), "something else");
    Stream.of(
            List.of("--listen=0.0.0.0:0", "--http=none"),
            List.of("--listen=127.0.0.1:0", "--http=0.0.0.0:0"),
            List.of("--listen=nowhere"),
            List.of("--token-file=" + shortToken),
            List.of("--token-file=" + directory.resolve("none")),
            List.of("--tls-cert=" + shortToken),
            List.of("--listen=127.0.0.1:0", "--http=none", "--history=" + noHistory),
            List.of("--listen=127.0.0.1:0", "--http=none", "--predictions=" + noHistory),
            List.of("--listen=127.0.0.1:0", "--http=127.0.0.1:0", "--predictions=" + noHistory),
            List.of("--listen=127.0.0.1:0", "--http=127.0.0.1:0", "--predictions=" + directory))
        .forEach(
            arguments -> {
              List<String> line = new ArrayList<>(List.of("serve"));
              line.addAll(arguments);
              Invocation run = Invocation.of(line.toArray(String[]::new));
              assertThat(run.code()).as(line.toString()).isEqualTo(ExitCode.BAD_INPUT);
              assertThat(run.err()).startsWith("txwatch: ").hasLineCount(1);
              assertThat(run.out()).isEmpty();
            });
  }

  @Test
  void addressInUseIsReportedInOneLine() throws Exception {
    try (java.net.ServerSocket taken = new java.net.ServerSocket()) {
      taken.bind(new java.net.InetSocketAddress("127.0.0.1", 0));
      Invocation run =
          Invocation.of("serve", "--http=none", "--listen=127.0.0.1:" + taken.getLocalPort());
      assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
      assertThat(run.err()).contains("--listen").hasLineCount(1);
    }
  }
}
