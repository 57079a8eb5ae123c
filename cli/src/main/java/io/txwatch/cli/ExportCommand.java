package io.txwatch.cli;

import io.txwatch.format.ElleExport;
import io.txwatch.format.GraphExport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
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
      "elle-append: Elle's list-append in EDN. A row is a key, and a version an element of its",
      "list. Each key is read once more at the end, since Elle learns the order of versions from",
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
    String write(Path history, Writer out) throws IOException;
  }

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
    String written;
    try (Progress progress = Progress.ofEstimate(console, "exporting " + file, 0)) {
      written = output.write(out -> chosen.write(file, out));
    }
    console.out().println(target + ": " + written);
    return ExitCode.CLEAN;
  }

  private static String elle(Path history, Writer out) throws IOException {
    ElleExport.Written written = ElleExport.write(history, out);
    return written.transactions()
        + " transactions, "
        + written.operations()
        + " operations"
        + (written.leftOut() == 0
            ? ""
            : "; " + written.leftOut() + " accesses that lists cannot express were omitted");
  }

  private String dot(Path history, Writer out) throws IOException {
    GraphExport.Written written = GraphExport.write(history, all, out);
    return written.transactions()
        + " of "
        + written.of()
        + " committed transactions"
        + (all ? "" : " are on cycles")
        + ", "
        + written.dependencies()
        + " dependencies between them";
  }
}
