package io.txwatch.cli;

import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.BaselineFile;
import io.txwatch.baseline.BaselineMatch;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyTitle;
import io.txwatch.report.BaselineText;
import io.txwatch.report.Counted;
import io.txwatch.report.TerminalText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code baseline}: maintains the list of the kinds of anomalies that a project accepts. */
@Command(
    name = "baseline",
    description = {
      "Maintains the kinds of anomalies that a project accepts.",
      "They stand in a file of its repository, " + BaselineFile.NAME + ", which check, report,",
      "serve, JUnit tests and watched services read."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch baseline add 3056e409-b041 --reason \"one clerk at a time\" --until 2027-03-01",
      "  txwatch baseline add --all shop.history --reason \"known before 2.0\"",
      "  txwatch check --fail-on new shop.history",
      "  txwatch baseline prune shop.history",
      ""
    })
final class BaselineCommand implements Runnable {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "the baseline (default: " + BaselineFile.NAME + " in the working directory)")
  private Path file = Path.of(BaselineFile.NAME);

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "baseline: missing command, expected one of add, list, prune");
  }

  @Command(
      name = "add",
      description = {
        "Accepts kinds of anomalies, by the ids that reports show, or all kinds of histories."
      },
      mixinStandardHelpOptions = true,
      versionProvider = TxWatchCommand.Version.class,
      sortOptions = false)
  int add(
      @Parameters(arity = "0..*", paramLabel = "ID", description = "an id, such as 3056e409-b041")
          @Nullable List<String> ids,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              required = true,
              description = "why they are accepted")
          String reason,
      @Option(names = "--who", paramLabel = "NAME", description = "who accepts them")
          @Nullable String who,
      @Option(
              names = "--until",
              paramLabel = "DAY",
              converter = DayConverter.class,
              description = "the last day on which they are accepted, such as 2027-03-01")
          @Nullable LocalDate until,
      @Option(
              names = "--from",
              arity = "1..*",
              paramLabel = "HISTORY",
              description = "histories with the ids, so that the file can state what they are")
          @Nullable List<Path> from,
      @Option(
              names = "--all",
              arity = "1..*",
              paramLabel = "HISTORY",
              description = "accept all kinds that these histories contain")
          @Nullable List<Path> all)
      throws IOException {
    if (reason.isBlank()) {
      throw CommandException.badInput("--reason: expected a text that says why");
    }
    if ((ids == null) == (all == null)) {
      throw CommandException.badInput("baseline add: expected ids, or --all and histories");
    }
    BaselineFile baseline = BaselineFile.readIfExists(file);
    List<Path> histories = all != null ? all : from == null ? List.of() : from;
    Map<Fingerprint, String> known = titles(histories);
    Set<Fingerprint> wanted = ids == null ? new LinkedHashSet<>(known.keySet()) : ids(ids);
    List<AcceptedAnomaly> more = new ArrayList<>();
    int before = 0;
    for (Fingerprint id : wanted) {
      if (!histories.isEmpty() && !known.containsKey(id)) {
        throw CommandException.badInput(
            id + ": the histories contain no such kind of anomaly, nothing was added");
      }
      if (baseline.baseline().entries().stream().anyMatch(entry -> entry.id().equals(id))) {
        before++;
      } else {
        more.add(
            new AcceptedAnomaly(
                id,
                reason,
                who == null ? "" : who,
                Optional.ofNullable(until),
                known.getOrDefault(id, "")));
      }
    }
    if (!more.isEmpty()) {
      baseline.append(more);
    }
    PrintWriter out = Console.of(spec).out();
    out.println(
        file
            + ": "
            + Counted.of(more.size(), "kind")
            + " of anomaly added"
            + (before == 0 ? "" : ", " + before + " already there"));
    out.flush();
    return ExitCode.CLEAN;
  }

  @Command(
      name = "list",
      description = {"Prints the accepted kinds, and which of them histories contain."},
      mixinStandardHelpOptions = true,
      versionProvider = TxWatchCommand.Version.class,
      sortOptions = false)
  int list(
      @Parameters(arity = "0..*", paramLabel = "HISTORY", description = "histories")
          @Nullable List<Path> histories)
      throws IOException {
    Baseline baseline = existing().baseline();
    BaselineMatch match = histories == null ? null : read(histories, baseline).match();
    PrintWriter out = Console.of(spec).out();
    for (AcceptedAnomaly entry : baseline.entries()) {
      out.println(
          entry.id()
              + "  "
              + (entry.what().isEmpty() ? "" : TerminalText.escape(entry.what()) + ": ")
              + BaselineText.reason(entry)
              + state(entry, match));
    }
    out.println(file + ": " + Counted.of(baseline.entries().size(), "kind") + " of anomaly");
    out.flush();
    return ExitCode.CLEAN;
  }

  private static String state(AcceptedAnomaly entry, @Nullable BaselineMatch match) {
    if (entry.isExpired()) {
      return "  [expired]";
    } else if (match == null || match.accepted().containsValue(entry)) {
      return "";
    }
    return match.renamed().entrySet().stream()
        .filter(renamed -> renamed.getValue().equals(entry))
        .map(renamed -> "  [now " + renamed.getKey() + "]")
        .findFirst()
        .orElse("  [not found]");
  }

  @Command(
      name = "prune",
      description = {
        "Removes expired entries, and those of which the histories contain nothing. An entry whose"
            + " operation was",
        "renamed gets its new id."
      },
      mixinStandardHelpOptions = true,
      versionProvider = TxWatchCommand.Version.class,
      sortOptions = false)
  int prune(
      @Parameters(
              arity = "1..*",
              paramLabel = "HISTORY",
              description = "histories of all that may happen")
          List<Path> histories)
      throws IOException {
    BaselineFile baseline = existing();
    BaselineMatch match = read(histories, baseline.baseline()).match();
    Set<Fingerprint> removed = new LinkedHashSet<>();
    match.absent().forEach(entry -> removed.add(entry.id()));
    match.expired().forEach(entry -> removed.add(entry.id()));
    int gone = removed.size();
    List<AcceptedAnomaly> renamed = new ArrayList<>();
    match
        .renamed()
        .forEach(
            (id, entry) -> {
              removed.add(entry.id());
              renamed.add(
                  new AcceptedAnomaly(
                      id, entry.reason(), entry.who(), entry.until(), entry.what()));
            });
    if (!removed.isEmpty()) {
      baseline.remove(removed);
    }
    if (!renamed.isEmpty()) {
      BaselineFile.read(file).append(renamed);
    }
    PrintWriter out = Console.of(spec).out();
    out.println(
        file
            + ": "
            + Counted.of(gone, "entry", "entries")
            + " removed"
            + (renamed.isEmpty() ? "" : ", " + renamed.size() + " with a new id"));
    out.flush();
    return ExitCode.CLEAN;
  }

  private BaselineFile existing() throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return BaselineFile.read(file);
  }

  private AnomalyGroups read(List<Path> histories, Baseline baseline) throws IOException {
    return AnalyzedHistories.read(
            histories, AnalyzedHistories.Options.DEFAULT, baseline, Console.of(spec))
        .groups();
  }

  private static Set<Fingerprint> ids(List<String> texts) {
    Set<Fingerprint> ids = new LinkedHashSet<>();
    for (String text : texts) {
      ids.add(
          Fingerprint.parse(text)
              .orElseThrow(
                  () ->
                      CommandException.badInput(
                          "baseline add: expected an id as reports show it, such as"
                              + " 3056e409-b041, not '"
                              + text
                              + "'")));
    }
    return ids;
  }

  /** What the kinds of anomalies of histories are, by their ids. */
  private Map<Fingerprint, String> titles(List<Path> histories) throws IOException {
    Map<Fingerprint, String> titles = new LinkedHashMap<>();
    if (!histories.isEmpty()) {
      for (AnomalyGroups.Group group : read(histories, Baseline.NONE).groups()) {
        titles.putIfAbsent(group.id(), AnomalyTitle.of(group.first()));
      }
    }
    return titles;
  }

  /** Reads a day. */
  static final class DayConverter implements ITypeConverter<LocalDate> {
    @Override
    public LocalDate convert(String value) {
      try {
        return LocalDate.parse(value);
      } catch (DateTimeParseException e) {
        throw new TypeConversionException("expected a day such as 2027-03-01, not '" + value + "'");
      }
    }
  }
}
