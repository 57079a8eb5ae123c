package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.document.SourceFiles;
import io.txwatch.page.LivePage;
import io.txwatch.report.JsonReport;
import io.txwatch.report.TextReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code demo}: watches an application with real races, and its corrected version. */
@Command(
    name = "demo",
    description = {
      "Watches a small service with real races, then its corrected version.",
      "The service is watched as you would watch yours. The corrected version must be clean."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  ./txwatch demo",
      "  ./txwatch demo --db postgresql",
      "  ./txwatch demo --with url --json > demo.json",
      "  ./txwatch demo --db mariadb --versions columns",
      "  ./txwatch demo --url jdbc:postgresql://localhost/empty --user me",
      "",
      "The jar contains H2 and SQLite. What the other DBMSs need is fetched with Maven by the script",
      "./txwatch; the jar alone needs --url, or --driver-path for HSQLDB.",
      ""
    })
final class DemoCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--db",
      paramLabel = "h2|postgresql|mariadb|sqlite|hsqldb",
      defaultValue = "h2",
      description = "the DBMS, embedded (default: h2)")
  private CommandDbms db = CommandDbms.H2;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "an empty database of yours, instead of --db")
  private @Nullable String url;

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--with",
      paramLabel = "agent|url",
      defaultValue = "agent",
      description = "watch with -javaagent, or with jdbc:txwatch: in the URL (default: agent)")
  private DemoPhase.WatchMode watchMode = DemoPhase.WatchMode.AGENT;

  @Option(
      names = "--versions",
      paramLabel = "SOURCE",
      defaultValue = "auto",
      description = "where row versions come from, as txwatch.versions (default: auto)")
  private String versions = "auto";

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description =
          "write the report there (default: txwatch-demo.html in the temporary directory)")
  private Path report = Path.of(System.getProperty("java.io.tmpdir"), "txwatch-demo.html");

  @Option(
      names = "--hold",
      description = "keep the live page at the end, until the demo is stopped (Ctrl+C)")
  private boolean hold;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Set<Phenomenon> shown = EnumSet.noneOf(Phenomenon.class);

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    long start = System.nanoTime();
    Console console = Console.of(spec);
    Path jar =
        NestedJars.jar()
            .orElseThrow(
                () -> CommandException.badInput("the demo needs txwatch.jar: ./txwatch demo"));
    DocumentFile document = DocumentFile.of("--report", report, List.of());
    PrintWriter textOut = console.textOut(common.json());
    List<DemoPhase> phases = new ArrayList<>();
    Set<String> noted = new HashSet<>();
    DemoResults results = new DemoResults();
    try (LivePage page = results.openPage();
        DemoDatabase where = open()) {
      String address = "http://127.0.0.1:" + page.address().getPort() + "/";
      textOut.println("live page: " + address + " (what is found appears there, too)");
      textOut.println();
      textOut.flush();
      DemoRunner runner = new DemoRunner(jar, application(where), watchMode, versions, where);
      for (String name : DemoPhase.NAMES) {
        for (boolean fixed : new boolean[] {false, true}) {
          DemoPhase phase = runner.run(name, fixed);
          phases.add(phase);
          results.add(phase);
          phase.warnings().stream().filter(noted::add).forEach(console::note);
          print(textOut, phase);
        }
      }
      if (common.json()) {
        writeJson(console.out(), where.name(), phases);
      }
      textOut.print(TextReport.coverage(Terminal.width(), results.report().coverage()));
      textOut.printf(Locale.ROOT, "%.1f s in all%n", (System.nanoTime() - start) / 1e9);
      document.write(results.report(), SourceFiles.NONE);
      textOut.println("report: " + report.toUri());
      textOut.println(
          "live page: "
              + address
              + (hold ? " (stop it with Ctrl+C)" : " ends now; --hold keeps it"));
      textOut.flush();
      if (hold) {
        new CountDownLatch(1).await();
      }
    }
    boolean failed =
        phases.stream()
            .flatMap(phase -> phase.recorded().stream())
            .anyMatch(anomaly -> common.failOn.includes(anomaly));
    return failed ? ExitCode.ANOMALIES : ExitCode.CLEAN;
  }

  private DemoDatabase open() throws SQLException {
    if (url != null) {
      return DemoDatabase.ofUser(url, database);
    }
    DemoDatabase started =
        db.demo()
            .orElseThrow(
                () ->
                    CommandException.badInput(
                        "--db "
                            + db.subprotocol()
                            + ": the demo cannot start this DBMS; use --url"));
    if (db.driverJar().isEmpty() && !Drivers.isKnown(started.empty("driver"), database)) {
      throw CommandException.badInput(
          "--db "
              + db.subprotocol()
              + ": neither txwatch.jar nor --driver-path has a driver for it; add --driver-path "
              + db.subprotocol()
              + ".jar, or run the script ./txwatch, which fetches it");
    }
    return started;
  }

  /** The class path of the application: its own jars and its JDBC driver. */
  private List<Path> application(DemoDatabase where) {
    List<Path> jars = new ArrayList<>(NestedJars.unpack("demo", name -> true));
    jars.addAll(Drivers.nestedFor("jdbc:" + where.name() + ":"));
    jars.addAll(database.driverPath);
    return jars;
  }

  private void print(PrintWriter textOut, DemoPhase phase) {
    textOut.printf(
        Locale.ROOT,
        "%s, %s, at %s: %d transactions%n",
        phase.name(),
        phase.fixed() ? "corrected" : "as first written",
        phase.isolation(),
        phase.transactions());
    for (String line : phase.output()) {
      if (line.startsWith("own books") || line.startsWith("note: ")) {
        textOut.println("  " + line);
      }
    }
    textOut.println("  found: " + counts(phase.recorded()));
    if (phase.live().size() != phase.recorded().size()) {
      textOut.printf(
          Locale.ROOT,
          "  (while it ran: %d, from its history: %d)%n",
          phase.live().size(),
          phase.recorded().size());
    }
    for (Anomaly anomaly : phase.recorded()) {
      if (shown.add(anomaly.phenomenon())) {
        textOut.println();
        textOut.print(TextReport.fitting(Terminal.width(), anomaly));
      }
    }
    textOut.println();
    textOut.flush();
  }

  private static String counts(List<Anomaly> anomalies) {
    if (anomalies.isEmpty()) {
      return "nothing, clean";
    }
    Map<String, Integer> counts = new TreeMap<>();
    for (Anomaly anomaly : anomalies) {
      counts.merge(anomaly.phenomenon() + " (" + anomaly.verdict() + ")", 1, Integer::sum);
    }
    List<String> counted = new ArrayList<>();
    counts.forEach((kind, count) -> counted.add(count + " x " + kind));
    return String.join(", ", counted);
  }

  private static void writeJson(PrintWriter out, String db, List<DemoPhase> phases)
      throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "demo");
      json.writeStringField("db", db);
      json.writeArrayFieldStart("phases");
      for (DemoPhase phase : phases) {
        json.writeStartObject();
        json.writeStringField("name", phase.name());
        json.writeBooleanField("fixed", phase.fixed());
        json.writeStringField("isolation", phase.isolation());
        json.writeNumberField("transactions", phase.transactions());
        json.writeArrayFieldStart("anomalies");
        for (String anomaly : phase.live()) {
          json.writeRawValue(anomaly);
        }
        json.writeEndArray();
        json.writeFieldName("coverage");
        JsonReport.write(json, phase.coverage());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }
}
