package io.txwatch.cli;

import io.txwatch.campaign.Campaign;
import io.txwatch.campaign.Summary;
import io.txwatch.dbms.Dbms;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.history.IsolationLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
      "  txwatch fuzz --url jdbc:mariadb://localhost/test --url jdbc:mariadb://localhost:3307/test"
          + " --user root --duration 24h --out findings --resume",
      "  txwatch fuzz --url jdbc:mariadb://localhost/test --user root --compare"
          + " jdbc:h2:mem:other --out findings",
      "",
      "A finding is BY_DESIGN (the DBMS's manual describes it), a KNOWN_BUG (its tracker has a",
      "number), or NEW. The last two make the exit code 1. If most cases are undecided, because the",
      "DBMS rejects their statements or for other reasons, the exit code is 5.",
      "With --json, a line for each finding, and a summary at the end:",
      "  {\"type\":\"finding\",\"oracle\":…,\"isolation\":…,\"case\":…,\"reproducedRuns\":\"5/5\",…}",
      "  {\"type\":\"summary\",\"seed\":N,\"cases\":N,\"undecided\":N,\"casesPerSecond\":x,…}",
      "The same seed generates the same cases, on every machine and with any number of workers.",
      "With isorel or aptrans as the only oracle the cases differ. With --weights learnt they also",
      "depend on what earlier cases have shown, and --resume learns again from the first new case.",
      ""
    })
final class FuzzCommand implements Callable<Integer> {

  private static final Duration DEFAULT_DURATION = Duration.ofSeconds(60);
  private static final Duration UNLIMITED = Duration.ofDays(365);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "the database (default: H2 in memory); several are examined at once")
  private List<String> urls = new ArrayList<>();

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
      paramLabel = "all|" + OracleNames.ALL,
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
      names = "--weights",
      paramLabel = "fixed|learnt",
      defaultValue = "fixed",
      description =
          "how often each form of statement is generated (default: fixed); learnt: forms that bring"
              + " something new are generated more often")
  private WeightMode weights = WeightMode.FIXED;

  @Option(
      names = "--free-threads",
      description =
          "execute isorel's cases also without a schedule, each session as fast as it can; what this"
              + " finds depends on the processors, too")
  private boolean freeThreads;

  @Option(
      names = "--exhaustive",
      description =
          "execute each case's statements also in other orders: those that may matter, up to 30,"
              + " with up to 2 preemptions; on PostgreSQL, MySQL, MariaDB and H2")
  private boolean exhaustive;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "write a folder for each finding into this one; with several databases, into one for"
              + " each")
  private @Nullable Path out;

  @Mixin private ComparisonOption comparison = new ComparisonOption();

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
    List<FuzzTarget> targets = new ArrayList<>();
    try (DatabaseComparisons comparisons = new DatabaseComparisons()) {
      for (String url : urls.isEmpty() ? List.of(CommandDbms.FUZZED_URL) : urls) {
        targets.add(FuzzTarget.open(url, database, console));
      }
      comparisons.open(comparison.urls, database, console);
      List<FuzzRun> runs = runs(targets, comparisons, console);
      Collection<Summary> summaries = new FuzzRuns(runs, console, common.json()).run();
      if (common.failOn == FailOn.NEVER) {
        return ExitCode.CLEAN;
      } else if (runs.stream().anyMatch(FuzzRun::hasFault)) {
        return ExitCode.ANOMALIES;
      } else if (summaries.stream().noneMatch(Summary::isUndecided)) {
        return ExitCode.CLEAN;
      }
      return common.failOn == FailOn.UNKNOWN ? ExitCode.ANOMALIES : ExitCode.UNDECIDED;
    } finally {
      for (FuzzTarget target : targets) {
        target.closeQuietly();
      }
    }
  }

  private List<FuzzRun> runs(
      List<FuzzTarget> targets, DatabaseComparisons comparisons, Console console)
      throws IOException {
    long chosenSeed = seed == null ? ThreadLocalRandom.current().nextLong(1L << 31) : seed;
    Set<String> folders = new HashSet<>();
    List<FuzzRun> runs = new ArrayList<>();
    for (FuzzTarget target : targets) {
      Optional<Path> folder = Optional.ofNullable(out);
      if (targets.size() > 1) {
        String name = folderName(target, folders);
        folder = folder.map(all -> all.resolve(name));
      }
      FuzzReport report =
          new FuzzReport(
              console, common.json(), target, graph.judge, comparisons, folder, targets.size() > 1);
      runs.add(new FuzzRun(target, plan(target.dbms(), chosenSeed), report, folder, resume));
    }
    return runs;
  }

  /** {@code mariadb-10.11.5}, and {@code mariadb-10.11.5-2} for another of this version. */
  private static String folderName(FuzzTarget target, Set<String> taken) {
    String name = target.dbms().describe().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-");
    String free = name;
    for (int i = 2; !taken.add(free); i++) {
      free = name + "-" + i;
    }
    return free;
  }

  private Campaign.Plan plan(Dbms dbms, long chosenSeed) {
    List<IsolationLevel> chosen = levels.isEmpty() ? dbms.levels() : levels;
    for (IsolationLevel level : chosen) {
      DbmsLevels.require(dbms, level);
    }
    Optional<String> obstacle = dbms.whyUnwatchable();
    if (obstacle.isPresent() && OracleNames.needColumns(oracles)) {
      throw CommandException.badInput(
          "--oracle "
              + String.join(",", oracles)
              + ": here expected "
              + OracleNames.withoutColumns()
              + "; "
              + obstacle.get());
    }
    Campaign.Plan plan =
        new Campaign.Plan(
            chosenSeed,
            chosen,
            OracleNames.named(oracles, graph.judge),
            cases == null ? Long.MAX_VALUE : cases,
            duration != null ? duration : cases == null ? DEFAULT_DURATION : UNLIMITED,
            Math.min(workers, dbms.maxWorkers()),
            maxStatements);
    plan = weights == WeightMode.LEARNT ? plan.with(Campaign.Mode.LEARNT_WEIGHTS) : plan;
    plan = exhaustive ? plan.with(Campaign.Mode.FURTHER_ORDERS) : plan;
    return freeThreads ? plan.with(Campaign.Mode.FREE_THREADS) : plan;
  }

  /** How often each form of statement is generated. */
  private enum WeightMode {
    /** As often in each case. */
    FIXED,
    /** More often if it brings something new. */
    LEARNT
  }
}
