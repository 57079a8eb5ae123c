package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.campaign.Campaign;
import io.txwatch.campaign.CampaignFinding;
import io.txwatch.campaign.PatternCount;
import io.txwatch.campaign.Summary;
import io.txwatch.catalog.DatabaseProbe;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.Grammar;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.report.JsonReport;
import io.txwatch.testcase.CaseWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code fuzz}: searches for isolation bugs of a DBMS. */
@Command(
    name = "fuzz",
    description = {
      "Generates concurrent transactions, runs them, and reports isolation bugs.",
      "Each finding is a short case that replay runs again. It works in schemas, databases or"
          + " files",
      "of its own, which are dropped afterwards, on a server that may crash. A database with"
          + " tables",
      "is refused."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch fuzz",
      "  txwatch fuzz --url jdbc:mariadb://localhost/test --user root --duration 10m --out"
          + " findings",
      "  txwatch fuzz --url jdbc:postgresql://localhost/test --isolation RC,SER --seed 7 --cases"
          + " 500",
      "  txwatch fuzz --url jdbc:mysql://localhost/test --user root --oracle isorel --isolation RR"
          + " --statements 10",
      "  txwatch fuzz --url jdbc:mariadb://localhost/test --user root --duration 24h --out findings"
          + " --resume",
      "",
      "A finding is BY_DESIGN (the DBMS's manual describes it), a KNOWN_BUG (its tracker has a",
      "number), or NEW. The last two make the exit code 1.",
      "With --json, a line for each finding, and a summary at the end:",
      "  {\"type\":\"finding\",\"oracle\":…,\"isolation\":…,\"case\":…,\"reproducedRuns\":\"5/5\",…}",
      "  {\"type\":\"summary\",\"seed\":N,\"cases\":N,\"undecided\":N,\"casesPerSecond\":x,…}",
      "The same seed generates the same cases, on every machine and with any number of workers.",
      "With isorel or aptrans as the only oracle the cases differ.",
      ""
    })
final class FuzzCommand implements Callable<Integer> {

  /** The folder, within that of the findings, of violations that did not always occur again. */
  private static final String NOT_REPRODUCED = "not-reproduced";

  private static final String IN_MEMORY_URL = "jdbc:h2:mem:fuzz";
  private static final Duration DEFAULT_DURATION = Duration.ofSeconds(60);
  private static final Duration UNLIMITED = Duration.ofDays(365);
  private static final long SAVING_INTERVAL_MILLIS = 10_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--url", paramLabel = "URL", description = "the database (default: H2 in memory)")
  private String url = IN_MEMORY_URL;

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--isolation",
      split = ",",
      paramLabel = "LEVEL",
      converter = IsolationLevelConverter.class,
      description = "the levels, in turn (default: all that the database has)")
  private List<IsolationLevel> levels = new ArrayList<>();

  @Option(
      names = "--oracle",
      split = ",",
      paramLabel = "all|writecheck|troc|isorel|aptrans|txcheck",
      defaultValue = "all",
      description =
          "the oracles (default: all); with isorel alone, transactions access the same rows more"
              + " often; with aptrans alone, all follow an anomaly pattern")
  private List<String> oracles = new ArrayList<>();

  @Mixin private GraphJudgeOption graph = new GraphJudgeOption();

  @Option(names = "--cases", paramLabel = "N", description = "stop after this number of cases")
  private @Nullable Long cases;

  @Option(
      names = "--duration",
      paramLabel = "60s|10m|2h",
      converter = DurationConverter.class,
      description = "stop after this time (default: 60s; unlimited if --cases is given)")
  private @Nullable Duration duration;

  @Option(names = "--seed", paramLabel = "N", description = "generates the cases (default: random)")
  private @Nullable Long seed;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "2",
      description = "the number of cases run at a time (default: 2)")
  private int workers = 2;

  @Option(
      names = "--statements",
      paramLabel = "N",
      defaultValue = "" + CaseGenerator.MAX_STATEMENTS,
      description =
          "the most statements of a transaction (default: 4); with more, isorel finds more and the"
              + " other oracles decide less")
  private int maxStatements = CaseGenerator.MAX_STATEMENTS;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "write a folder for each finding into this one")
  private @Nullable Path out;

  @Option(
      names = "--resume",
      description =
          "continue the campaign whose findings are in --out, with its seed, where it stopped")
  private boolean resume;

  @Mixin private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = Console.of(spec);
    if (workers < 1) {
      throw CommandException.badInput("--workers " + workers + ": expected at least 1");
    }
    if (maxStatements < 1) {
      throw CommandException.badInput("--statements " + maxStatements + ": expected at least 1");
    }
    if (cases != null && cases < 1) {
      throw CommandException.badInput("--cases " + cases + ": expected at least 1");
    }
    if (resume && (out == null || seed != null)) {
      throw CommandException.badInput(
          "--resume needs --out with the folder of the campaign, and no --seed");
    }
    if (out != null) {
      Files.createDirectories(out);
    }
    String real = Drivers.unwatched(url);
    if (real.matches("jdbc:h2:mem:(;.*)?")) {
      real = real.replaceFirst("mem:", "mem:fuzz");
    }
    try (Connection keep = Drivers.connect(real, database)) {
      DatabaseProbe probe = DatabaseProbe.of(keep, real);
      Grammar grammar =
          Grammar.of(probe.database().product(), probe.dialect())
              .orElseThrow(
                  () ->
                      CommandException.badInput(
                          "no statements can be generated for this DBMS, or for its sql_mode"));
      EmptyDatabaseCheck.requireEmpty(keep, Drivers.shown(real));
      Dbms dbms = Dbms.of(real, target -> Drivers.reconnect(target, database));
      EmptyDatabaseCheck.requireRights(dbms, Drivers.shown(real))
          .ifPresent(note -> console.note("txwatch: " + note));
      return run(console, dbms, grammar);
    } catch (UnsupportedDbmsException e) {
      throw CommandException.badInput(Objects.requireNonNull(e.getMessage()));
    } catch (SQLException e) {
      throw CommandException.unreachable(Drivers.shown(real) + ": " + e.getMessage());
    }
  }

  private int run(Console console, Dbms dbms, Grammar grammar)
      throws SQLException, InterruptedException, IOException {
    Campaign.Plan plan = plan(dbms, grammar);
    PrintWriter textOut = console.textOut(common.json());
    textOut.println(
        dbms.describe()
            + " at "
            + plan.levels().stream().map(Enum::name).collect(Collectors.joining(", "))
            + ", seed "
            + plan.seed()
            + (resume ? ", from case " + plan.first() : ""));
    textOut.flush();
    Report report = new Report(console, dbms);
    Campaign campaign = new Campaign(dbms, grammar, plan, report);
    Thread onSignal = new Thread(() -> stopAndWait(campaign), "stop");
    Runtime.getRuntime().addShutdownHook(onSignal);
    Progress progress = Progress.of(console, () -> progress(campaign.summary(), plan));
    Timer saving = new Timer("campaign", true);
    saving.schedule(
        new TimerTask() {
          @Override
          public void run() {
            save(campaign, plan, dbms, console);
          }
        },
        SAVING_INTERVAL_MILLIS,
        SAVING_INTERVAL_MILLIS);
    try {
      Summary summary = campaign.run();
      progress.close();
      print(textOut, summary);
      if (out != null && !summary.patterns().isEmpty()) {
        Files.write(
            out.resolve("patterns.md"),
            PatternTable.of(summary.patterns()).markdown(dbms.describe()));
      }
      if (common.json()) {
        writeJson(console.out(), summary);
      }
    } catch (SQLException e) {
      if (dbms.isOutOfConnections(e)) {
        throw tooManyWorkers(e);
      }
      throw e;
    } finally {
      saving.cancel();
      save(campaign, plan, dbms, console);
      progress.close();
      finished = true;
      removeHook(onSignal);
    }
    boolean failing = common.failOn != FailOn.NEVER && report.hasFault;
    return failing ? ExitCode.ANOMALIES : ExitCode.CLEAN;
  }

  /** Saves where a later campaign continues. */
  private synchronized void save(
      Campaign campaign, Campaign.Plan plan, Dbms dbms, Console console) {
    if (out == null) {
      return;
    }
    try {
      CampaignState.of(campaign, plan, dbms).write(out);
    } catch (IOException e) {
      console.note("not saved for --resume: " + e.getMessage());
    }
  }

  private Campaign.Plan plan(Dbms dbms, Grammar grammar) throws SQLException, IOException {
    List<IsolationLevel> chosen = levels.isEmpty() ? dbms.levels() : levels;
    for (IsolationLevel level : chosen) {
      DbmsLevels.require(dbms, level);
    }
    Campaign.Plan plan =
        new Campaign.Plan(
            seed == null ? ThreadLocalRandom.current().nextLong(1L << 31) : seed,
            chosen,
            OracleNames.named(oracles, graph.judge),
            cases == null ? Long.MAX_VALUE : cases,
            duration != null ? duration : cases == null ? DEFAULT_DURATION : UNLIMITED,
            Math.min(workers, dbms.maxWorkers()),
            maxStatements);
    if (out == null) {
      return plan;
    }
    Campaign.Plan withoutReported = plan.with(CampaignState.shapes(out, dbms, grammar.dialect()));
    if (!resume) {
      return withoutReported;
    }
    CampaignState state = CampaignState.read(out);
    String now = CampaignState.planOf(plan, dbms);
    if (!state.plan().equals(now)) {
      throw CommandException.badInput(
          "--resume: the campaign in " + out + " was " + state.plan() + "; this is " + now);
    }
    return withoutReported.continuing(state.seed(), state.next());
  }

  /** The progress with the time that is left, as far as the options determine it. */
  private static String progress(Summary summary, Campaign.Plan plan) {
    double byTime = plan.duration().toSeconds() - summary.seconds();
    double byCases =
        summary.casesPerSecond() <= 0
            ? Double.MAX_VALUE
            : (plan.cases() - summary.cases()) / summary.casesPerSecond();
    double left = Math.min(byTime, byCases);
    return progress(summary)
        + (left > UNLIMITED.toSeconds() / 2.0
            ? ""
            : String.format(Locale.ROOT, ", %.0f s left", Math.max(0, left)));
  }

  private CommandException tooManyWorkers(SQLException refused) {
    return CommandException.badInput(
        "--workers "
            + workers
            + ": the server accepts no more connections ("
            + refused.getMessage()
            + "), and a worker opens up to forty; use fewer workers, or raise the limit"
            + " (max_connections)");
  }

  private volatile boolean finished;

  /** Handles a signal: the running cases are finished, and the summary is printed. */
  private void stopAndWait(Campaign campaign) {
    campaign.stop();
    long deadline = System.nanoTime() + Duration.ofSeconds(15).toNanos();
    while (!finished && System.nanoTime() < deadline) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running, so it cannot be removed.
      hook.interrupt();
    }
  }

  /** Reports findings as they are made. */
  private final class Report implements Campaign.Listener {
    private final Console console;
    private final FindingFolder folder;
    private volatile boolean hasFault;

    Report(Console console, Dbms dbms) {
      this.console = console;
      this.folder = new FindingFolder(dbms, Drivers.shown(Drivers.unwatched(url)), graph.judge);
    }

    @Override
    public synchronized void found(CampaignFinding finding) {
      hasFault |= finding.findingClass().isFault();
      try {
        String place = out == null ? "" : folder.write(finding, out).toString();
        if (common.json()) {
          writeJson(console.out(), finding, place);
        }
        print(finding, place);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public synchronized void notReproduced(CampaignFinding violation) {
      try {
        String place =
            out == null ? "" : ", " + folder.write(violation, out.resolve(NOT_REPRODUCED));
        console.note(
            "not reproduced: case "
                + violation.original().header("number").orElse("?")
                + " at "
                + violation.level()
                + ", "
                + violation.reproduced()
                + " of "
                + violation.runs()
                + " runs"
                + place
                + ": "
                + Console.printable(violation.reason()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void print(CampaignFinding finding, String place) {
      console.clearProgress();
      PrintWriter textOut = console.textOut(common.json());
      textOut.println();
      textOut.println(
          "FOUND by "
              + finding.oracle()
              + " at "
              + finding.level()
              + ", "
              + finding.reproduced()
              + " of "
              + finding.runs()
              + " runs"
              + ", "
              + finding.findingClass()
              + finding.known().map(known -> ": " + known.id()).orElse("")
              + (place.isEmpty() ? "" : ", " + place));
      Console.printable(CaseWriter.write(finding.reduced()))
          .lines()
          .forEach(line -> textOut.println("  " + line));
      textOut.println("  " + Console.printable(finding.reason()));
      if (!finding.disagreeing().isEmpty()) {
        textOut.println("  no violation by " + String.join(", ", finding.disagreeing()));
      }
      textOut.flush();
    }
  }

  private static String progress(Summary summary) {
    return String.format(
        Locale.ROOT,
        "%.0f s: %d cases, %.1f a second, %d undecided, %d findings%s",
        summary.seconds(),
        summary.cases(),
        summary.casesPerSecond(),
        summary.undecided(),
        summary.findings(),
        summary.classes().isEmpty()
            ? ""
            : summary.classes().entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", ", " (", ")")));
  }

  private static void print(PrintWriter textOut, Summary summary) {
    textOut.println();
    textOut.println(
        progress(summary)
            + ", "
            + summary.repeated()
            + " more like those, "
            + summary.unsupported()
            + " that no oracle applies to, "
            + summary.unreproduced()
            + " not reproduced");
    textOut.printf(
        Locale.ROOT,
        "%d statements, %.1f %% accepted: %s%n",
        summary.statements(),
        100 * summary.accepted(),
        summary.kinds().entrySet().stream()
            .map(kind -> kind.getValue() + " " + kind.getKey())
            .collect(Collectors.joining(", ")));
    for (Map.Entry<GraphAnomaly.Kind, Long> anomaly : summary.anomalies().entrySet()) {
      GraphAnomaly.Kind kind = anomaly.getKey();
      textOut.printf(
          Locale.ROOT,
          "%-16s  %-25s in %4d cases, %s by the DBMS's promise, %s by Adya's levels%n",
          kind.level(),
          kind.phenomenon().term(),
          anomaly.getValue(),
          kind.byDbms().name().toLowerCase(Locale.ROOT),
          kind.byAdya().name().toLowerCase(Locale.ROOT));
    }
    PatternTable.of(summary.patterns()).text().forEach(textOut::println);
    textOut.println("seed " + summary.seed() + " generates the same cases again");
    textOut.flush();
  }

  private static void writeJson(PrintWriter out, CampaignFinding finding, String place)
      throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "finding");
      json.writeStringField("oracle", finding.oracle());
      json.writeStringField(
          "phenomenon",
          finding
              .verdict()
              .phenomenon()
              .map(Enum::name)
              .orElse(
                  switch (finding.oracle()) {
                    case "writecheck" -> "WRITE_SPECIFIC_SERIALIZABILITY";
                    case "aptrans" -> "ANOMALY_PATTERN";
                    default -> "STATEMENT_EXPECTATION";
                  }));
      json.writeStringField("isolation", finding.level().name());
      json.writeStringField("case", place);
      json.writeStringField("text", CaseWriter.write(finding.reduced()));
      json.writeNumberField("statements", finding.reduced().steps().size());
      json.writeStringField("reproducedRuns", finding.reproduced() + "/" + finding.runs());
      if (finding.known().isPresent()) {
        json.writeStringField("knownBehaviour", finding.known().get().id());
      } else {
        json.writeNullField("knownBehaviour");
      }
      json.writeStringField("class", finding.findingClass().name());
      json.writeStringField("reason", finding.reason());
      json.writeArrayFieldStart("others");
      for (OracleVerdict other : finding.others()) {
        json.writeStartObject();
        json.writeStringField("oracle", other.oracle());
        json.writeStringField("result", other.result().name());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void writeJson(PrintWriter out, Summary summary) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "summary");
      json.writeNumberField("seed", summary.seed());
      json.writeNumberField("cases", summary.cases());
      json.writeNumberField("undecided", summary.undecided());
      json.writeNumberField("unsupported", summary.unsupported());
      json.writeNumberField("notReproduced", summary.unreproduced());
      json.writeNumberField("casesPerSecond", summary.casesPerSecond());
      json.writeNumberField("findings", summary.findings());
      json.writeObjectFieldStart("classes");
      for (var count : summary.classes().entrySet()) {
        json.writeNumberField(count.getKey().name(), count.getValue());
      }
      json.writeEndObject();
      json.writeNumberField("repeated", summary.repeated());
      json.writeNumberField("statements", summary.statements());
      json.writeNumberField("accepted", summary.accepted());
      json.writeObjectFieldStart("kinds");
      for (var kind : summary.kinds().entrySet()) {
        json.writeNumberField(kind.getKey(), kind.getValue());
      }
      json.writeEndObject();
      json.writeArrayFieldStart("anomalies");
      for (Map.Entry<GraphAnomaly.Kind, Long> anomaly : summary.anomalies().entrySet()) {
        json.writeStartObject();
        json.writeStringField("isolation", anomaly.getKey().level().name());
        json.writeStringField("phenomenon", anomaly.getKey().phenomenon().name());
        json.writeNumberField("cases", anomaly.getValue());
        json.writeStringField("dbms", anomaly.getKey().byDbms().name());
        json.writeStringField("adya", anomaly.getKey().byAdya().name());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeArrayFieldStart("patterns");
      for (Map.Entry<PatternCount, Long> pattern : summary.patterns().entrySet()) {
        json.writeStartObject();
        json.writeStringField("pattern", pattern.getKey().pattern());
        json.writeStringField("isolation", pattern.getKey().level().name());
        json.writeStringField("outcome", pattern.getKey().outcome().name());
        json.writeNumberField("cases", pattern.getValue());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberField("seconds", summary.seconds());
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  /** {@code 60s}, {@code 10m}, {@code 2h}. */
  static final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,6})(s|m|h)");

    @Override
    public Duration convert(String value) {
      Matcher matcher = FORM.matcher(value);
      if (!matcher.matches()) {
        throw new TypeConversionException(
            "expected a duration such as 60s, 10m or 2h, not '" + value + "'");
      }
      long count = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        default -> Duration.ofHours(count);
      };
    }
  }
}
