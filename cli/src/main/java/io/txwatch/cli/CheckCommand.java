package io.txwatch.cli;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.baseline.Baseline;
import io.txwatch.changes.debezium.SchemaRegistry;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.format.ForeignFormat;
import io.txwatch.format.ForeignHistory;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryParts;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.NoHistoryException;
import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicReader;
import io.txwatch.register.KeyOrder;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.BaselineText;
import io.txwatch.report.Counted;
import io.txwatch.settings.Setting;
import io.txwatch.settings.SettingSource;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code check}: reports the anomalies of recorded histories. */
@Command(
    name = "check",
    description = {
      "Checks recorded histories and reports their anomalies.",
      "It reads histories of txwatch, of Elle (list-append, rw-register; EDN or JSON), of Plume"
          + " and",
      "PolySI (text), of AWDIT (text), of dbcop (JSON, bincode) and of Cobra (a directory of"
          + " logs).",
      "The format is detected from the start of the file. For a txwatch history, FILE.1, FILE.2,"
          + " ...",
      "next to FILE are read as its earlier parts. kafka://HOST:PORT/TOPIC reads what a topic of"
          + " Kafka",
      "contains now, with txwatch-kafka.jar; TXWATCH_KAFKA_CONFIG names a file with settings of"
          + " its client."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch check shop.history",
      "  txwatch check --json --fail-on hazard shop.history > anomalies.json",
      "  txwatch check --judge-by adya --isolation SERIALIZABLE shop.history",
      "  txwatch check store/latest/history.edn --isolation SNAPSHOT",
      "  txwatch check kafka://broker:9092/txwatch",
      "  TXWATCH_VALUE_KEY=… txwatch check shop.history --changes kafka://broker:9092/shop",
      "",
      "With --json, one object for each file:",
      "  {\"type\":\"check\",\"file\":…,\"operations\":N,\"transactions\":N,",
      "   \"valid\":true|false|\"unknown\",\"anomalies\":[…],\"seconds\":x,",
      "   \"readingSeconds\":x}",
      "Each anomaly has Elle's names in \"elle\".",
      "An accepted one has \"accepted\": the id, the reason, who and until when.",
      "valid is false if a level was violated, and \"unknown\" if there was nothing to check or",
      "events are missing; \"reason\" states which. The exit code is then 5.",
      ""
    })
final class CheckCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "a history, or kafka://HOST:PORT/TOPIC")
  private List<String> names = new ArrayList<>();

  /** The names that are not those of topics. */
  private final List<Path> files = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "auto|txwatch|elle-append|elle-register|plume|awdit|dbcop|cobra",
      defaultValue = "auto",
      description = "the format of the files (default: auto)")
  private String format = "auto";

  @Option(
      names = "--judge-by",
      paramLabel = "dbms|adya",
      description =
          "the standard for a level: the DBMS's documentation or Adya's definition (default: dbms;"
              + " adya for histories of other tools, which name no DBMS)")
  private @Nullable Judge judge;

  @Option(
      names = "--isolation",
      paramLabel = "LEVEL",
      converter = IsolationLevelConverter.class,
      description =
          "judge every transaction at this level: "
              + IsolationLevelConverter.NAMES
              + " (default: its own level; SERIALIZABLE for histories of other tools)")
  private @Nullable IsolationLevel isolation;

  @Option(
      names = "--session-order",
      paramLabel = "true|false",
      description =
          "whether to require session order: strong session serializability, or strong session"
              + " snapshot isolation (default: true for "
              + ForeignFormat.REQUIRE_SESSION_ORDER
              + ", whose own checkers require it; otherwise false)")
  private @Nullable Boolean sessionOrder;

  @Option(
      names = "--real-time-order",
      description =
          "also require real-time order: strict serializability (for txwatch histories, between"
              + " transactions of one process; for Elle's, by :invoke and :ok)")
  private boolean realTimeOrder;

  @Mixin private GranularityOption granularity = new GranularityOption();

  @Mixin private AcrossOption across = new AcrossOption();

  @Option(
      names = "--row-level",
      description =
          "also print how many pairs of accesses use different columns of one row, and so do not"
              + " depend on each other (for txwatch histories)")
  private boolean rowLevel;

  @Option(
      names = "--initial",
      paramLabel = "VALUE",
      description =
          "the value of every register before its first write (default: 0 for plume and dbcop;"
              + " otherwise none)")
  private @Nullable Long initial;

  @Option(
      names = "--linearizable-keys",
      description =
          "assume that each register is linearizable: real time orders its versions"
              + " (elle-register)")
  private boolean linearizableKeys;

  @Option(
      names = "--sequential-keys",
      description =
          "assume that each register is sequentially consistent: a process sees no older version"
              + " than it saw before (formats of registers)")
  private boolean sequentialKeys;

  @Option(
      names = "--wfr-keys",
      description =
          "assume that what a transaction writes follows what it has read of the same register;"
              + " every level implies this (formats of registers)")
  private boolean wfrKeys;

  @Option(
      names = "--budget",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "the limit of the check of a register history, in processor time (default: 60)")
  private long budget = 60;

  @Option(
      names = "--changes",
      paramLabel = "FILE|DIRECTORY|kafka://HOST:PORT/PREFIX",
      description =
          "join the history with the changes of Debezium's topics, which versions=statements needs"
              + " to know what others wrote: all topics of that prefix, or files of their records,"
              + " with keys, as kafka-console-consumer prints them")
  private @Nullable String changes;

  @Option(
      names = "--schema-registry",
      paramLabel = "URL",
      description =
          "with --changes: the registry of the schemas of records in Avro, as in the connector's"
              + " setting, with the interface of Confluent's")
  private @Nullable String schemaRegistry;

  @Option(
      names = "--value-key-file",
      paramLabel = "FILE",
      description =
          "with --changes: a file whose first line is the txwatch.value-key with which the history"
              + " was recorded (default: that setting, as in TXWATCH_VALUE_KEY)")
  private @Nullable Path valueKeyFile;

  @Mixin private BaselineOption baseline = new BaselineOption();

  @Mixin private CommonOptions common = new CommonOptions();

  private Baseline accepted = Baseline.NONE;

  /** What {@link #changes} names; null without that option. */
  private @Nullable DebeziumInput debezium;

  @Override
  public Integer call() throws IOException {
    Console console = Console.of(spec);
    for (String name : names) {
      if (name.startsWith(TopicAddress.SCHEME)) {
        CheckedTopic.address(name);
      } else {
        Path file = Path.of(name);
        if (HistoryParts.of(file).isEmpty()) {
          throw new NoSuchFileException(name);
        }
        files.add(file);
      }
    }
    accepted = baseline.baseline(common.failOn);
    SchemaRegistry registry = registry();
    debezium = changes == null ? null : DebeziumInput.read(changes, valueKey(), registry);
    int code = ExitCode.CLEAN;
    for (String name : names) {
      boolean isTopic = name.startsWith(TopicAddress.SCHEME);
      if (!isTopic && isReadWithItsHistory(Path.of(name))) {
        continue;
      }
      CheckResult result = isTopic ? checkTopic(name) : check(Path.of(name));
      if (common.json()) {
        result.writeJson(console.out());
      }
      result.print(console.textOut(common.json()), rowLevel);
      console
          .textOut(common.json())
          .print(BaselineText.notes(result.groups().match(), baseline.shownName()));
      console.textOut(common.json()).flush();
      code = worse(code, exitCode(result));
    }
    return code;
  }

  private @Nullable SchemaRegistry registry() {
    if (schemaRegistry == null) {
      return null;
    }
    if (changes == null) {
      throw CommandException.badInput("--schema-registry is for --changes, which is missing");
    }
    return SchemaRegistry.ofUrl(schemaRegistry)
        .orElseThrow(
            () ->
                CommandException.badInput(
                    "--schema-registry: expected http://HOST:PORT, maybe with a path, without a"
                        + " user"));
  }

  private String valueKey() throws IOException {
    Settings settings = Settings.ofUrlProperties(new Properties());
    if (valueKeyFile != null) {
      String key = Files.readString(valueKeyFile).lines().findFirst().orElse("").strip();
      settings =
          Settings.read(
              List.of(
                  new SettingSource(
                      valueKeyFile.toString(), Map.of(Setting.VALUE_KEY.key(), key))));
    }
    String key = settings.get(Setting.VALUE_KEY);
    if (key.isEmpty()) {
      throw CommandException.badInput(
          "--changes: expected the key with which the history was recorded: TXWATCH_VALUE_KEY or"
              + " --value-key-file");
    }
    return key;
  }

  private int exitCode(CheckResult result) {
    boolean invalid = result.level() != null && result.valid().equals(Optional.of(false));
    if (common.failOn == FailOn.NEVER) {
      return ExitCode.CLEAN;
    } else if (invalid
        || result.groups().groups().stream().anyMatch(group -> common.failOn.includes(group))) {
      return ExitCode.ANOMALIES;
    } else if (result.valid().isPresent()) {
      return ExitCode.CLEAN;
    }
    return common.failOn == FailOn.UNKNOWN ? ExitCode.ANOMALIES : ExitCode.UNDECIDED;
  }

  /** Of the codes of two files: anomalies, then undecided, then clean. */
  private static int worse(int one, int other) {
    return one == ExitCode.ANOMALIES || other == ExitCode.CLEAN ? one : other;
  }

  /**
   * Whether a file is a numbered part of a history that is named, too, as by {@code shop.history*}.
   */
  private boolean isReadWithItsHistory(Path file) throws IOException {
    Optional<Path> history = HistoryParts.historyOf(file).filter(files::contains);
    return history.isPresent() && foreign(history.get()).isEmpty();
  }

  private CheckResult check(Path file) throws IOException {
    Optional<ForeignFormat> foreign = foreign(file);
    return foreign.isPresent() ? checkForeign(file, foreign.get()) : checkOwn(file);
  }

  /** The format of a file, if it is another tool's. */
  private Optional<ForeignFormat> foreign(Path file) throws IOException {
    if (format.equals("txwatch")) {
      return Optional.empty();
    } else if (format.equals("auto")) {
      if (!Files.exists(file)) {
        return Optional.empty(); // only numbered parts of a history exist
      }
      return ForeignFormat.of(file);
    }
    Optional<ForeignFormat> named = ForeignFormat.named(format);
    if (named.isEmpty()) {
      String formats =
          Stream.of(ForeignFormat.values())
              .map(ForeignFormat::id)
              .collect(Collectors.joining(", "));
      throw CommandException.badInput(
          "--format: expected auto, txwatch, " + formats + ", not '" + format + "'");
    }
    return named;
  }

  private CheckResult checkForeign(Path file, ForeignFormat of) throws IOException {
    if (changes != null) {
      throw CommandException.badInput(
          file + ": --changes joins histories of txwatch alone, and this is one of " + of.id());
    }
    if (judge == Judge.DBMS) {
      throw CommandException.badInput(
          file + ": a history of another tool names no DBMS: omit --judge-by, or use adya");
    }
    if (realTimeOrder && !of.hasRealTimeOrder()) {
      throw CommandException.badInput(
          file + ": " + of.id() + " histories contain no real-time order: omit --real-time-order");
    }
    if (!of.isOfRegisters() && (initial != null || !keyOrders().isEmpty())) {
      throw CommandException.badInput(
          file + ": --initial and the assumptions about keys are for histories of registers");
    }
    if (linearizableKeys && !of.hasRealTimeOrder()) {
      throw CommandException.badInput(
          file
              + ": "
              + of.id()
              + " histories contain no real-time order: omit --linearizable-keys");
    }
    long start = System.nanoTime();
    AnomalyGroups groups = new AnomalyGroups(accepted);
    IsolationLevel level = isolation == null ? IsolationLevel.SERIALIZABLE : isolation;
    ForeignHistory.CheckOptions demand =
        new ForeignHistory.CheckOptions(
            level,
            Optional.ofNullable(sessionOrder),
            realTimeOrder,
            initial == null ? OptionalLong.empty() : OptionalLong.of(initial),
            keyOrders(),
            Duration.ofSeconds(budget));
    ForeignHistory.Verdict verdict = ForeignHistory.check(file, of, demand, groups::add);
    return CheckResult.ofForeign(file.toString(), of, level, groups, verdict, seconds(start));
  }

  private CheckResult checkOwn(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw CommandException.badInput(file + " is a directory, expected a file");
    }
    long start = System.nanoTime();
    AnomalyGroups groups = new AnomalyGroups(accepted);
    Judge by = judge == null ? Judge.DBMS : judge;
    long memory = Runtime.getRuntime().maxMemory() / (orders().isEmpty() ? 8 : 2);
    Console console = Console.of(spec);
    try (HistoryReader reader = HistoryReader.open(file);
        Progress progress =
            Progress.ofBytes(console, file.toString(), reader.totalBytes(), reader::bytesRead);
        Analyzer analyzer = new Analyzer(by, groups::add, memory, orders(), granularity.value)) {
      analyzer.across(across.value);
      TimedBatches analysis = new TimedBatches(event -> analyzer.accept(atLevel(event)));
      analyze(
          file.toString(),
          out ->
              reader.forEach(
                  event -> {
                    if (reader.isShared()) {
                      analyzer.shared();
                    }
                    out.accept(event);
                  }),
          analysis);
      analyzer.suspectAll();
      analyzer.close();
      double seconds = seconds(start);
      return CheckResult.ofOwn(
          file.toString(),
          groups,
          analyzer.coverage(),
          reader.losses(),
          seconds,
          seconds - analysis.nanos() / 1e9);
    } catch (NoHistoryException e) {
      if (!format.equals("auto")) {
        throw e;
      }
      throw CommandException.badInput(
          file
              + ": not a history in a known format: txwatch; "
              + Stream.of(ForeignFormat.values())
                  .map(known -> known.id() + " (" + known.example() + ")")
                  .collect(Collectors.joining("; ")));
    }
  }

  /** Processes of which nothing was read yet may have done anything: nothing is discarded. */
  private CheckResult checkTopic(String url) throws IOException {
    long start = System.nanoTime();
    AnomalyGroups groups = new AnomalyGroups(accepted);
    Judge by = judge == null ? Judge.DBMS : judge;
    long memory = Runtime.getRuntime().maxMemory() / 2;
    try (TopicReader reader = CheckedTopic.open(url);
        Progress progress =
            Progress.of(Console.of(spec), () -> url + ": " + Counted.of(reader.read(), "record"));
        Analyzer analyzer = new Analyzer(by, groups::add, memory, orders(), granularity.value)) {
      analyzer.across(across.value);
      analyzer.shared();
      analyzer.retain(0);
      TimedBatches analysis = new TimedBatches(event -> analyzer.accept(atLevel(event)));
      analyze(url, reader::forEach, analysis);
      analyzer.suspectAll();
      analyzer.close();
      double seconds = seconds(start);
      return CheckResult.ofOwn(
          url,
          groups,
          analyzer.coverage(),
          reader.losses(),
          seconds,
          seconds - analysis.nanos() / 1e9);
    }
  }

  private interface HistorySource {
    void forEach(Consumer<? super Event> out) throws IOException;
  }

  private void analyze(String name, HistorySource history, TimedBatches analysis)
      throws IOException {
    DebeziumInput joined = debezium;
    if (joined == null) {
      history.forEach(analysis);
    } else {
      List<Event> events = new ArrayList<>();
      history.forEach(events::add);
      joined.join(name, events, analysis);
    }
    analysis.finish();
  }

  private Set<KeyOrder> keyOrders() {
    Set<KeyOrder> orders = EnumSet.noneOf(KeyOrder.class);
    if (linearizableKeys) {
      orders.add(KeyOrder.LINEARIZABLE);
    }
    if (sequentialKeys) {
      orders.add(KeyOrder.SEQUENTIAL);
    }
    if (wfrKeys) {
      orders.add(KeyOrder.WRITES_FOLLOW_READS);
    }
    return orders;
  }

  private Set<CommitOrder> orders() {
    Set<CommitOrder> orders = EnumSet.noneOf(CommitOrder.class);
    if (Boolean.TRUE.equals(sessionOrder)) {
      orders.add(CommitOrder.SESSION);
    }
    if (realTimeOrder) {
      orders.add(CommitOrder.REAL_TIME);
    }
    return orders;
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private Event atLevel(Event event) {
    return isolation != null && event instanceof Event.TransactionBegan began
        ? new Event.TransactionBegan(
            began.session(),
            began.transaction(),
            isolation,
            began.micros(),
            began.name(),
            began.traceId(),
            began.share())
        : event;
  }
}
