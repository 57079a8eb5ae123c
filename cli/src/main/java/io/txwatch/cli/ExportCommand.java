package io.txwatch.cli;

import io.txwatch.format.ElleExport;
import io.txwatch.format.GraphExport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code export}: a recorded history in another tool's format. */
@Command(
    name = "export",
    description = {
      "Writes a recorded history in another tool's format.",
      "elle-append: Elle's list-append in EDN. A row is a key, or several, if statements write some",
      "of its columns only; a version is an element of the lists of the columns that it changed.",
      "Each key is read once more at the end, since Elle learns the order of versions from",
      "reads. Processes and indexes are those of the recording and do not prove real-time order:",
      "check it against serializable or weaker, not against strict or strong levels.",
      "dot: the dependency graph of the committed transactions on cycles, for Graphviz."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch export shop.history --to elle-append --out shop.edn",
      "  java -jar elle-cli.jar --model list-append --consistency-models serializable shop.edn",
      "  txwatch check shop.edn",
      "  txwatch export shop.history --to dot --out shop.dot && dot -Tsvg -O shop.dot",
      ""
    })
final class ExportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "a history recorded by txwatch")
  private Path file = Path.of("");

  @Option(
      names = "--to",
      paramLabel = "elle-append|dot",
      required = true,
      description = "the format to write")
  private String format = "";

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "the file to write; an existing one is replaced")
  private Path target = Path.of("");

  @Option(
      names = "--all",
      description = "with --to dot: include the transactions that are on no cycle")
  private boolean all;

  /** Writes a history in a format, and describes what was written. */
  private interface Format {
    Exported write(Path history, Writer out) throws IOException;
  }

  /**
   * What was written.
   *
   * @param text for display
   * @param omitted what the format cannot express, a line each
   * @param isEmpty whether nothing could be written
   */
  private record Exported(String text, List<String> omitted, boolean isEmpty) {}

  private Format format() {
    return switch (format) {
      case "elle-append" -> ExportCommand::elle;
      case "dot" -> this::dot;
      default ->
          throw CommandException.badInput(
              "--to: expected elle-append or dot, not '" + format + "'");
    };
  }

  @Override
  public Integer call() throws IOException {
    Format chosen = format();
    OutputFile output = OutputFile.of("--out", target, List.of(file));
    Console console = Console.of(spec);
    AtomicReference<Exported> exported = new AtomicReference<>();
    try (Progress progress = Progress.ofEstimate(console, "exporting " + file, 0)) {
      output.write(
          out -> {
            Exported result = chosen.write(file, out);
            exported.set(result);
            return result.text();
          });
    }
    Exported written = Objects.requireNonNull(exported.get());
    console.out().println(target + ": " + written.text());
    written.omitted().forEach(line -> console.err().println("omitted: " + line));
    console.err().flush();
    return written.isEmpty() ? ExitCode.UNDECIDED : ExitCode.CLEAN;
  }

  private static Exported elle(Path history, Writer out) throws IOException {
    ElleExport.Written written = ElleExport.write(history, out);
    return new Exported(
        written.transactions() + " transactions, " + written.operations() + " operations",
        written.omitted().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(entry -> entry.getValue() + " " + entry.getKey().text())
            .toList(),
        written.operations() == 0);
  }

  private Exported dot(Path history, Writer out) throws IOException {
    GraphExport.Written written = GraphExport.write(history, all, out);
    String text =
        written.transactions()
            + " of "
            + written.of()
            + " committed transactions"
            + (all ? "" : " are on cycles")
            + ", "
            + written.dependencies()
            + " dependencies between them";
    return new Exported(text, List.of(), false);
  }
}
