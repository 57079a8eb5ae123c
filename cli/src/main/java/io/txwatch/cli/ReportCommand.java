package io.txwatch.cli;

import io.txwatch.coverage.Coverage;
import io.txwatch.document.DocumentFormat;
import io.txwatch.document.SourceFiles;
import io.txwatch.guarantee.Judge;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.BaselineText;
import io.txwatch.report.Counted;
import io.txwatch.report.PredictedRaces;
import io.txwatch.report.Report;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code report}: the anomalies of recorded histories as a document. */
@Command(
    name = "report",
    description = {
      "Writes the anomalies of recorded histories to a file for people or tools.",
      "The ending of the file's name selects the format: .html is one page with everything in it,",
      ".md Markdown, .svg a picture, .dot for Graphviz, .sarif for code hosts, which show each",
      "anomaly at its line, and .xml JUnit's format for build servers."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch report shop.history --out report.html",
      "  txwatch report target/test.history --out anomalies.sarif --sources .",
      "  txwatch report shop.history --predictions races/predictions.jsonl --out report.html",
      ""
    })
final class ReportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "a history recorded by txwatch")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "the file to write; an existing one is replaced")
  private Path target = Path.of("");

  @Option(
      names = "--sources",
      paramLabel = "DIR",
      description =
          "a directory below which the source files of the lines are looked up, for .sarif"
              + " (default: their names alone)")
  private @Nullable Path sources;

  @Option(
      names = "--predictions",
      paramLabel = "FILE",
      description =
          "predictions.jsonl, which predict --out writes: its races become a section of .html and"
              + " .md")
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

  @Mixin private BaselineOption baseline = new BaselineOption();

  @Mixin private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws IOException {
    DocumentFile document = DocumentFile.of("--out", target, files);
    if (sources != null && !Files.isDirectory(sources)) {
      throw CommandException.badInput("--sources: no such directory: " + sources);
    }
    Optional<PredictedRaces> predicted = predicted(document.format());
    Console console = Console.of(spec);
    AnalyzedHistories analyzed =
        AnalyzedHistories.read(
            files,
            new AnalyzedHistories.Options(judge, granularity.value, across.value),
            baseline.baseline(common.failOn),
            console);
    AnomalyGroups groups = analyzed.groups();
    Coverage coverage = analyzed.coverage();
    String source =
        files.stream().map(file -> file.getFileName().toString()).collect(Collectors.joining(", "));
    Report report =
        new Report(source, Instant.now(), groups.groups(), groups.ungrouped(), coverage, predicted);
    document.write(report, sourceFiles());
    console
        .textOut(common.json())
        .printf(
            "%s: %s of anomaly in %s%n",
            target,
            Counted.of(groups.groups().size(), "kind"),
            Counted.of(coverage.transactions(), "transaction"));
    console.textOut(common.json()).print(BaselineText.notes(groups.match(), baseline.shownName()));
    boolean failed = groups.groups().stream().anyMatch(group -> common.failOn.includes(group));
    return failed ? ExitCode.ANOMALIES : ExitCode.CLEAN;
  }

  private Optional<PredictedRaces> predicted(DocumentFormat format) throws IOException {
    if (predictions == null) {
      return Optional.empty();
    }
    if (!format.showsPredictions()) {
      throw CommandException.badInput(
          "--predictions: expected --out with a name that ends in .html or .md, not '"
              + target
              + "'");
    }
    return Optional.of(PredictionReader.read(predictions));
  }

  private SourceFiles sourceFiles() throws IOException {
    try {
      return sources == null ? SourceFiles.NONE : SourceFiles.below(sources);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
