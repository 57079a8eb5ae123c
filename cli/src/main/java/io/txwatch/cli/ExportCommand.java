package io.txwatch.cli;

import io.txwatch.format.ElleExport;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
      "Writes a recorded history in another tool's format, so that its verdict can be compared.",
      "elle-append: Elle's list-append in EDN. A row is a key, a version an element of its list;",
      "each key is read once more at the end, since Elle learns the order of versions from reads.",
      "Its processes and indexes are those of the recording, no proof of real time: hold it to",
      "serializable or weaker, not to strict or strong levels."
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
      ""
    })
final class ExportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "a history that txwatch recorded")
  private Path file = Path.of("");

  @Option(
      names = "--to",
      paramLabel = "elle-append",
      required = true,
      description = "the format to write")
  private String format = "";

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "the file to write; one that is there is replaced")
  private Path target = Path.of("");

  @Override
  public Integer call() throws IOException {
    if (!format.equals("elle-append")) {
      throw CommandException.badInput("--to: expected elle-append, not '" + format + "'");
    }
    Path directory = target.toAbsolutePath().getParent();
    if (Files.exists(target) && Files.isSameFile(target, file)) {
      throw CommandException.badInput("--out: " + target + " is the history itself");
    } else if (directory == null || !Files.isDirectory(directory)) {
      throw CommandException.badInput("--out: no such directory: " + directory);
    }
    Path unfinished = Files.createTempFile(directory, "export", ".part");
    try {
      ElleExport.Written written;
      try (Writer out = new BufferedWriter(Files.newBufferedWriter(unfinished), 1 << 16)) {
        written = ElleExport.write(file, out);
      }
      Files.move(unfinished, target, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      Console.of(spec)
          .out()
          .printf(
              Locale.ROOT,
              "%s: %d transactions, %d operations%s%n",
              target,
              written.transactions(),
              written.operations(),
              written.leftOut() == 0
                  ? ""
                  : "; " + written.leftOut() + " accesses that lists cannot say were left out");
    } finally {
      Files.deleteIfExists(unfinished);
    }
    return ExitCode.CLEAN;
  }
}
