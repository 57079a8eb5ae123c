package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.comparison.ComparisonText;
import io.txwatch.comparison.ObservedRun;
import io.txwatch.comparison.RunComparison;
import io.txwatch.comparison.RunComparison.Pair;
import io.txwatch.comparison.RunKind;
import io.txwatch.comparison.TrendPage;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diff}: what a run found that an earlier one had not. */
@Command(
    name = "diff",
    description = {
      "Compares what runs found: what is new, gone, or more often.",
      "A run is a history, the JSON of check or of txwatch.report, or the page that report writes.",
      "Kinds of anomalies are compared by their ids. Of more than two runs the last one is compared"
          + " with the",
      "one before it, and the page of --out shows all."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch diff main.history branch.history --out comment.md",
      "  txwatch diff monday.json tuesday.json wednesday.json --out trend.html",
      "",
      "With --json, one object:",
      "  {\"type\":\"diff\",\"new\":[anomaly…],\"gone\":[…],\"more\":[…],\"renamed\":[…],",
      "   \"result\":\"SAME|NEW|INCONCLUSIVE\",\"reason\":…}",
      "",
      "Exit codes: 0 nothing is new; 1 a kind of anomaly is new; 2 bad input; 5 inconclusive:",
      "nothing is new, but the runs cannot be compared.",
      ""
    })
final class DiffCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "2..*",
      paramLabel = "RUN",
      description = "two runs or more, the earliest first")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--out",
      paramLabel = "FILE.md|FILE.html",
      description =
          "write this file, too: Markdown for a pull request, or a page with all runs; an existing"
              + " one is replaced")
  private @Nullable Path target;

  @Mixin private JsonOption output = new JsonOption();

  @Override
  public Integer call() throws IOException {
    Console console = Console.of(spec);
    OutputFile document = target == null ? null : document(target);
    List<ObservedRun> runs = new ArrayList<>();
    for (Path file : files) {
      runs.add(RunReader.read(file, console));
    }
    RunComparison comparison =
        RunComparison.of(runs.get(runs.size() - 2), runs.get(runs.size() - 1));
    if (document != null) {
      document.write(
          out -> {
            out.write(
                isPage(document.target())
                    ? TrendPage.html(runs, comparison)
                    : ComparisonText.markdown(comparison));
            return "";
          });
    }
    if (output.json) {
      writeJson(console.out(), comparison);
    }
    PrintWriter text = console.textOut(output.json);
    text.print(ComparisonText.of(comparison));
    text.flush();
    return switch (comparison.result()) {
      case SAME -> ExitCode.CLEAN;
      case NEW -> ExitCode.ANOMALIES;
      case INCONCLUSIVE -> ExitCode.UNDECIDED;
    };
  }

  private OutputFile document(Path out) throws IOException {
    if (!isPage(out) && !lowerCase(out).endsWith(".md")) {
      throw CommandException.badInput(
          "--out: expected a name that ends in .md or .html, not '" + out + "'");
    }
    return OutputFile.of("--out", out, files);
  }

  private static boolean isPage(Path out) {
    return lowerCase(out).endsWith(".html");
  }

  private static String lowerCase(Path path) {
    return path.toString().toLowerCase(Locale.ROOT);
  }

  private static void writeJson(PrintWriter out, RunComparison comparison) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "diff");
      write(json, "new", comparison.added());
      write(json, "gone", comparison.gone());
      write(json, "more", comparison.more().stream().map(Pair::after).toList());
      write(json, "renamed", comparison.renamed().stream().map(Pair::after).toList());
      json.writeStringField("result", comparison.result().name());
      json.writeStringField("reason", comparison.reason().orElse(""));
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void write(JsonGenerator json, String name, List<RunKind> kinds)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (RunKind kind : kinds) {
      json.writeRawValue(kind.json());
    }
    json.writeEndArray();
  }
}
