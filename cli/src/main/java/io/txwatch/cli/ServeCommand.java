package io.txwatch.cli;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.guarantee.Judge;
import io.txwatch.link.Address;
import io.txwatch.link.Tls;
import io.txwatch.link.TopicInput;
import io.txwatch.link.TopicRelay;
import io.txwatch.live.LiveSource;
import io.txwatch.metrics.MeterBean;
import io.txwatch.page.LivePage;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.ConsoleReporter;
import io.txwatch.report.JsonReport;
import io.txwatch.report.LogTarget;
import io.txwatch.report.ReportFile;
import io.txwatch.serve.AnalysisServer;
import io.txwatch.serve.ServerListener;
import io.txwatch.serve.ServerOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code serve}: one analyzer for many processes. */
@Command(
    name = "serve",
    description = {
      "Runs one live analyzer for many watched processes.",
      "Watched processes connect with txwatch.analyzer=tcp://HOST:PORT. Anomalies between"
          + " processes",
      "are detected, too. It runs until it is stopped (SIGINT, SIGTERM) and then prints a summary."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch serve",
      "  java -javaagent:txwatch.jar=analyzer=tcp://127.0.0.1:7078,service=orders -jar orders.jar",
      "",
      "  txwatch serve --listen 0.0.0.0:7078 --token-file token --tls-cert cert.pem --tls-key"
          + " key.pem",
      "  TXWATCH_TOKEN=$(cat token) java \\",
      "    -javaagent:txwatch.jar=analyzer=tls://HOST:7078,tls-trust=cert.pem -jar orders.jar",
      "",
      "  txwatch serve --from kafka://broker:9092/txwatch",
      "",
      "  http://127.0.0.1:7077/ is its page, and http://127.0.0.1:7077/status its status as JSON.",
      "",
      "With --json, each anomaly is written to standard output as found, one on each line.",
      ""
    })
final class ServeCommand implements Callable<Integer> {

  private static final int MIN_TOKEN_LENGTH = 16;
  private static final Duration REPORT_OPEN_TIMEOUT = Duration.ofSeconds(2);
  private static final long MAX_HISTORY_MIB = 999_999_999;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7078",
      description = "the address for watched processes (default: 127.0.0.1:7078)")
  private String listen = "127.0.0.1:7078";

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT|none",
      defaultValue = "127.0.0.1:7077",
      description = "the address of its live page (default: 127.0.0.1:7077)")
  private String http = "127.0.0.1:7077";

  @Option(
      names = "--from",
      paramLabel = "kafka://HOST:PORT/TOPIC",
      description =
          "also analyse what processes have written, and write, to this topic of Kafka; needs"
              + " txwatch-kafka.jar in the folder of txwatch.jar")
  private @Nullable String from;

  @Option(
      names = "--anomalies",
      paramLabel = "kafka://HOST:PORT/TOPIC",
      description =
          "also show on the page the anomalies that the job of Flink writes to this topic; needs"
              + " txwatch-kafka.jar, too")
  private @Nullable String anomalies;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "a file whose first line is the token that clients must send (default: the environment"
              + " variable TXWATCH_TOKEN; without a token it listens on this machine only)")
  private @Nullable Path tokenFile;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "use TLS with this certificate and its chain (PEM)")
  private @Nullable Path tlsCertificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "the key of the certificate (PEM, PKCS#8 without a password)")
  private @Nullable Path tlsKey;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description =
          "append the history to this file, also after a restart, which first reads FILE.1,"
              + " FILE.2, ... and FILE")
  private @Nullable Path history;

  @Option(
      names = "--history-max",
      paramLabel = "MIB",
      defaultValue = "1024",
      description =
          "MiB after which the history file is renamed to FILE.1, FILE.2, ... and a new one is"
              + " started (default: 1024)")
  private long historyMax = 1024;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "append each anomaly to this file, as one line of JSON")
  private @Nullable String report;

  @Option(
      names = "--predictions",
      paramLabel = "FILE",
      description =
          "predictions.jsonl, which predict --out writes, or its directory: its races are a section"
              + " of the live page; read again when it changes")
  private @Nullable Path predictions;

  @Option(
      names = "--judge-by",
      paramLabel = "dbms|adya",
      defaultValue = "dbms",
      description =
          "the standard for a level: the DBMS's documentation or Adya's definition (default: dbms)")
  private Judge judge = Judge.DBMS;

  @Mixin private GranularityOption granularity = new GranularityOption();

  @Mixin private AcrossOption across = new AcrossOption();

  @Option(
      names = "--grace",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "how long to await a client that was cut off before its open transactions get an unknown"
              + " outcome (default: 30)")
  private long grace = 30;

  @Mixin private BaselineOption baseline = new BaselineOption();

  @Mixin private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (historyMax < 1 || historyMax > MAX_HISTORY_MIB) {
      throw CommandException.badInput("--history-max: expected a number of MiB, 1 or more");
    }
    if (predictions != null && http.equals("none")) {
      throw CommandException.badInput("--predictions needs the live page: leave out --http none");
    }
    if (anomalies != null && http.equals("none")) {
      throw CommandException.badInput("--anomalies needs the live page: leave out --http none");
    }
    String token = token();
    Address clients = address("--listen", listen, token);
    Optional<Address> status =
        http.equals("none") ? Optional.empty() : Optional.of(address("--http", http, token));
    Optional<SSLContext> tls = tls();
    Console console = Console.of(spec);
    Optional<ReportFile> file = reportFile(console);
    Baseline accepted = baseline.baseline(common.failOn);
    ServerReporter reporter = new ServerReporter(console, file, accepted);
    ServerOptions options =
        new ServerOptions(
            clients,
            tls,
            token,
            Optional.ofNullable(history),
            historyMax << 20,
            judge,
            granularity.value,
            across.value,
            accepted,
            Duration.ofSeconds(grace),
            ServerOptions.SILENCE,
            Runtime.getRuntime().maxMemory() / 2);
    Optional<TopicInput> topic =
        from == null ? Optional.empty() : Optional.of(CheckedTopic.input(from));
    Optional<TopicInput> written =
        anomalies == null ? Optional.empty() : Optional.of(CheckedTopic.input(anomalies));
    AnalysisServer server = openServer(options, reporter);
    Optional<TopicRelay> relay = relay(topic, server, token, console);
    @Nullable LivePage page =
        status.isPresent()
            ? openPage(status.get(), tls, token, server, written, accepted, console)
            : null;
    registerBean(console, server);
    printAddresses(console, server, page, tls.isPresent());
    addShutdownHook(
        () -> {
          relay.ifPresent(TopicRelay::close);
          int code = stop(server, page, reporter);
          console.out().flush();
          console.err().flush();
          Runtime.getRuntime().halt(code);
        });
    new CountDownLatch(1).await(); // until a signal ends the JVM
    return ExitCode.CLEAN;
  }

  private AnalysisServer openServer(ServerOptions options, ServerReporter reporter)
      throws IOException {
    try {
      return AnalysisServer.open(options, reporter);
    } catch (BindException e) {
      throw CommandException.badInput("--listen " + listen + ": " + e.getMessage());
    }
  }

  private Optional<TopicRelay> relay(
      Optional<TopicInput> topic, AnalysisServer server, String token, Console console)
      throws IOException {
    if (from == null || topic.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new TopicRelay(
            CheckedTopic.address(from),
            topic.get(),
            server.address(),
            Optional.ofNullable(tlsCertificate),
            token,
            line -> console.note("txwatch: " + line)));
  }

  private LivePage openPage(
      Address address,
      Optional<SSLContext> tls,
      String token,
      AnalysisServer server,
      Optional<TopicInput> written,
      Baseline accepted,
      Console console)
      throws IOException {
    try {
      LiveSource own = server.liveSource();
      LiveSource source =
          written.isEmpty()
              ? own
              : ServedAnomalies.open(
                  own,
                  written.get(),
                  judge,
                  new AnomalyGroups(accepted),
                  line -> console.note("txwatch: " + line));
      return LivePage.open(
          address,
          tls,
          token,
          predictions == null
              ? source
              : ServedPredictions.open(
                  predictions, source, line -> console.note("txwatch: " + line)));
    } catch (BindException e) {
      server.close();
      throw CommandException.badInput("--http " + http + ": " + e.getMessage());
    } catch (IOException | CommandException e) {
      server.close();
      throw e;
    }
  }

  /** Registers the figures of the analyzer with JMX, where tools of this machine find them. */
  private static void registerBean(Console console, AnalysisServer server) {
    try {
      MeterBean.open(server.liveSource());
    } catch (JMException e) {
      console.note("txwatch: no bean with the figures of the analyzer: " + e.getMessage());
    }
  }

  /**
   * Adds a hook that ends the JVM: after a signal the JVM exits with a code of its own, unless the
   * last hook exits with another.
   */
  private static void addShutdownHook(Runnable hook) {
    Runtime.getRuntime().addShutdownHook(new Thread(null, hook, "txwatch-stop", 0, false));
  }

  /**
   * A file that cannot be opened is an error at once; one that blocks is opened in the background.
   */
  private Optional<ReportFile> reportFile(Console console) throws InterruptedException {
    if (report == null) {
      return Optional.empty();
    }
    AtomicBoolean serving = new AtomicBoolean();
    ReportFile file =
        ReportFile.append(
            report,
            line -> {
              if (serving.get()) {
                console.note("txwatch: " + line);
              }
            });
    Optional<String> failure = file.openFailure(REPORT_OPEN_TIMEOUT);
    if (failure.isPresent()) {
      file.close();
      throw CommandException.badInput(failure.get().replace("txwatch.report:", "--report:"));
    }
    serving.set(true);
    return Optional.of(file);
  }

  private void printAddresses(
      Console console, AnalysisServer server, @Nullable LivePage page, boolean tls) {
    InetSocketAddress at = server.address();
    String where = url(tls ? "tls" : "tcp", at);
    console.note(
        "txwatch: analysing what is reported to "
            + where
            + (page == null
                ? ""
                : ", live page at " + url(tls ? "https" : "http", page.address()) + "/"));
    if (!tls && !at.getAddress().isLoopbackAddress()) {
      console.note(
          "txwatch: the token and the histories are sent unencrypted: use --tls-cert and"
              + " --tls-key");
    }
  }

  private static String url(String scheme, InetSocketAddress address) {
    InetAddress host = address.getAddress();
    String text =
        host.isAnyLocalAddress()
            ? "0.0.0.0"
            : host instanceof Inet6Address
                ? "[" + host.getHostAddress() + "]"
                : host.getHostAddress();
    return scheme + "://" + text + ":" + address.getPort();
  }

  private int stop(AnalysisServer server, @Nullable LivePage page, ServerReporter reporter) {
    if (page != null) {
      page.close();
    }
    server.close();
    return reporter.finish(server);
  }

  private String token() throws IOException {
    if (tokenFile != null) {
      String token = Files.readString(tokenFile).lines().findFirst().orElse("").strip();
      if (token.length() < MIN_TOKEN_LENGTH) {
        throw CommandException.badInput(
            tokenFile + ": expected a token of at least " + MIN_TOKEN_LENGTH + " characters");
      }
      return token;
    }
    return Optional.ofNullable(System.getenv("TXWATCH_TOKEN")).orElse("").strip();
  }

  private static Address address(String option, String text, String token) throws IOException {
    Address address =
        Address.of(text)
            .orElseThrow(
                () ->
                    CommandException.badInput(option + ": expected HOST:PORT, not '" + text + "'"));
    if (token.isEmpty() && !LivePage.isLoopback(address)) {
      throw CommandException.badInput(
          option
              + " "
              + text
              + ": an address that other machines can reach requires a token (--token-file or"
              + " TXWATCH_TOKEN)");
    }
    return address;
  }

  private Optional<SSLContext> tls() throws IOException {
    if (tlsCertificate == null && tlsKey == null) {
      return Optional.empty();
    }
    if (tlsCertificate == null || tlsKey == null) {
      throw CommandException.badInput("--tls-cert and --tls-key must be given together");
    }
    return Optional.of(Tls.server(tlsCertificate, tlsKey));
  }

  /** Reports anomalies as they are found, and a summary at the end. */
  private final class ServerReporter implements ServerListener {

    private final Console console;
    private final Optional<ReportFile> file;
    private final ConsoleReporter consoleReporter;
    private final Baseline accepted;
    private boolean failed;

    ServerReporter(Console console, Optional<ReportFile> file, Baseline accepted) {
      this.accepted = accepted;
      this.console = console;
      this.file = file;
      this.consoleReporter = new ConsoleReporter(new StandardError(), System::nanoTime, accepted);
    }

    /** Prints to standard error, each text with one call. */
    private final class StandardError implements LogTarget {
      @Override
      public void warn(String text) {
        console.err().print(text);
        console.err().flush();
      }

      @Override
      public void info(String text) {
        warn(text);
      }
    }

    @Override
    public void found(Anomaly anomaly, boolean replayed) {
      failed =
          failed
              || (common.failOn.includes(anomaly)
                  && accepted.accepting(Fingerprint.of(anomaly)).isEmpty());
      if (replayed) {
        consoleReporter.countReported(anomaly);
        return;
      }
      consoleReporter.report(anomaly);
      file.ifPresent(report -> report.write(anomaly));
      if (common.json()) {
        console.out().println(JsonReport.anomaly(anomaly));
        console.out().flush();
      }
    }

    @Override
    public void withdrawn(Anomaly anomaly) {
      consoleReporter.withdraw(anomaly);
      file.ifPresent(report -> report.withdraw(anomaly));
      if (common.json()) {
        console.out().println(JsonReport.withdrawn(anomaly));
        console.out().flush();
      }
    }

    @Override
    public void log(String line) {
      console.note("txwatch: " + line);
    }

    @Override
    public void tick() {
      consoleReporter.tick();
    }

    /** Prints the summary; returns the exit code. */
    int finish(AnalysisServer server) {
      consoleReporter.close(server.status().coverage());
      file.ifPresent(ReportFile::close);
      return failed ? ExitCode.ANOMALIES : ExitCode.CLEAN;
    }
  }
}
