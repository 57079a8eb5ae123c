package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Loss;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.JsonReport;
import io.txwatch.report.TextReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code check}: what a recorded history holds. */
@Command(
    name = "check",
    description = "Analyses recorded histories and says what anomalies they hold.",
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch check shop.history",
      "  txwatch check --json --fail-on hazard shop.history > anomalies.json",
      "  txwatch check --judge-by adya --isolation SERIALIZABLE shop.history",
      "",
      "With --json, one object a file:",
      "  {\"type\":\"check\",\"file\":…,\"operations\":N,\"transactions\":N,",
      "   \"valid\":true|false|\"unknown\",\"anomalies\":[…],\"seconds\":x}",
      "valid is false if a level was violated, \"unknown\" if nothing was to be seen or events",
      "are missing.",
      ""
    })
final class CheckCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "a history")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "auto|txwatch",
      defaultValue = "auto",
      description = "the format of the files (default: auto)")
  private String format = "auto";

  @Option(
      names = "--judge-by",
      paramLabel = "dbms|adya",
      defaultValue = "dbms",
      description =
          "what a level is held to: the DBMS's promise, or Adya's definition (default: dbms)")
  private Judge judge = Judge.DBMS;

  @Option(
      names = "--isolation",
      paramLabel = "LEVEL",
      converter = LevelConverter.class,
      description =
          "judge as if every transaction had asked for this level: READ_UNCOMMITTED,"
              + " READ_COMMITTED, REPEATABLE_READ, SNAPSHOT, SERIALIZABLE, or RU, RC, RR, SI, SER")
  private @Nullable IsolationLevel isolation;

  @Mixin private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws IOException {
    Console console = Console.of(spec);
    for (Path file : files) {
      if (!Files.exists(file)) {
        throw new NoSuchFileException(file.toString());
      }
      if (Files.isDirectory(file)) {
        throw CommandException.badInput(file + " is a directory, expected a file");
      }
    }
    int code = ExitCode.CLEAN;
    for (Path file : files) {
      Result result = check(file);
      if (common.json) {
        writeJson(console.out(), result);
      }
      tell(console.people(common.json), result);
      if (result.groups.groups().stream()
          .anyMatch(group -> common.failOn.isMetBy(group.first().verdict()))) {
        code = ExitCode.ANOMALIES;
      }
    }
    return code;
  }

  /** What a file holds. */
  private record Result(
      Path file, AnomalyGroups groups, Coverage coverage, List<Loss> losses, double seconds) {

    /** Reasons for which events that a verdict rests on may be missing. */
    private static final Set<GapReason> LOST =
        EnumSet.of(GapReason.OVERFLOW, GapReason.TORN_RECORD, GapReason.FAULT, GapReason.FORGOTTEN);

    long operations() {
      return coverage.rowsRead() + coverage.rowsWritten();
    }

    /** True, false, or empty for unknown. */
    Optional<Boolean> valid() {
      boolean violated =
          groups.groups().stream()
              .anyMatch(group -> FailOn.VIOLATION.isMetBy(group.first().verdict()));
      if (violated) {
        return Optional.of(false);
      }
      boolean complete =
          losses.isEmpty() && coverage.gaps().keySet().stream().noneMatch(LOST::contains);
      return complete && operations() > 0 ? Optional.of(true) : Optional.empty();
    }
  }

  private Result check(Path file) throws IOException {
    long start = System.nanoTime();
    AnomalyGroups groups = new AnomalyGroups();
    List<Loss> losses;
    Coverage coverage;
    try (Analyzer analyzer = new Analyzer(judge, groups::add)) {
      losses = HistoryFormat.named(format).read(file, event -> analyzer.accept(atLevel(event)));
      analyzer.close();
      coverage = analyzer.coverage();
    }
    return new Result(file, groups, coverage, losses, (System.nanoTime() - start) / 1e9);
  }

  private Event atLevel(Event event) {
    return isolation != null && event instanceof Event.TransactionBegan began
        ? new Event.TransactionBegan(
            began.session(), began.transaction(), isolation, began.micros())
        : event;
  }

  private static void tell(PrintWriter out, Result result) {
    for (AnomalyGroups.Group group : result.groups.groups()) {
      out.println(TextReport.of(group.first(), group.count()));
    }
    long anomalies =
        result.groups.notKept()
            + result.groups.groups().stream().mapToLong(AnomalyGroups.Group::count).sum();
    out.printf(
        Locale.ROOT,
        "%s: %d transactions, %d operations, %s, %.1f s%n",
        result.file,
        result.coverage.transactions(),
        result.operations(),
        anomalies == 0
            ? "no anomaly"
            : (anomalies == 1 ? "1 anomaly" : anomalies + " anomalies")
                + " of "
                + (result.groups.groups().size() == 1
                    ? "1 kind"
                    : result.groups.groups().size() + " kinds"),
        result.seconds);
    out.print(TextReport.coverage(result.coverage));
    for (Loss loss : result.losses) {
      out.println("lost: " + loss);
    }
    out.flush();
  }

  private static void writeJson(PrintWriter out, Result result) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "check");
      json.writeStringField("file", result.file.toString());
      json.writeNumberField("operations", result.operations());
      json.writeNumberField("transactions", result.coverage.transactions());
      if (result.valid().isPresent()) {
        json.writeBooleanField("valid", result.valid().get());
      } else {
        json.writeStringField("valid", "unknown");
      }
      json.writeArrayFieldStart("anomalies");
      for (AnomalyGroups.Group group : result.groups.groups()) {
        JsonReport.write(json, group.first(), group.count());
      }
      json.writeEndArray();
      json.writeFieldName("coverage");
      JsonReport.write(json, result.coverage);
      json.writeArrayFieldStart("losses");
      for (Loss loss : result.losses) {
        json.writeStartObject();
        json.writeNumberField("offset", loss.offset());
        json.writeNumberField("bytes", loss.bytes());
        json.writeStringField("what", loss.what());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberField("seconds", result.seconds);
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  /** A level, by its long name or its short one. */
  static final class LevelConverter implements ITypeConverter<IsolationLevel> {
    @Override
    public IsolationLevel convert(String value) {
      return IsolationLevel.parse(value)
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SNAPSHOT or"
                          + " SERIALIZABLE, not '"
                          + value
                          + "'"));
    }
  }
}
