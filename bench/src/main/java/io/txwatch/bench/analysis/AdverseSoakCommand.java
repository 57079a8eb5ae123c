package io.txwatch.bench.analysis;

import io.txwatch.bench.JarOption;
import io.txwatch.bench.Machine;
import io.txwatch.bench.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code soak-adverse}: an application with a heap of 128 MB under several faults at once. */
@Command(
    name = "soak-adverse",
    description = {
      "Runs an application with a heap of 128 MB under several faults.",
      "Idle transactions, a full disk for its history, a report without a reader, and a"
          + " killed analyzer. Plots its heap and its throughput."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class AdverseSoakCommand implements Callable<Integer> {
  private static final String TMPFS_SIZE = "size=4m";
  private static final Pattern COVERED =
      Pattern.compile("^not seen| [A-Z_]{5,}: |^ *[0-9,]+ writes:");

  @Parameters(
      arity = "0..1",
      paramLabel = "N",
      description = "how many operations",
      defaultValue = "5000000")
  private long operations = 5_000_000;

  @Mixin private JarOption jar = new JarOption();

  @Option(names = "--plot", description = "write the plots here: NAME-heap.svg, NAME-rate.svg")
  private @Nullable Path plot;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws Exception {
    Path directory = Files.createTempDirectory("txwatch-soak");
    Path disk = Files.createDirectory(directory.resolve("disk"));
    Path namedPipe = directory.resolve("report");
    boolean mounted = succeeds("mount", "-t", "tmpfs", "-o", TMPFS_SIZE, "tmpfs", disk.toString());
    boolean named = succeeds("mkfifo", namedPipe.toString());
    if (!mounted) {
      output.progress("no full disk: a tmpfs of 4 MB cannot be mounted here (it takes root)");
    }
    if (!named) {
      output.progress("no named pipe: mkfifo does not work here");
    }
    try {
      return run(
          new AdverseSoakRun.Environment(
              directory, mounted ? disk : null, named ? namedPipe : null));
    } finally {
      if (mounted) {
        succeeds("umount", disk.toString());
      }
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private int run(AdverseSoakRun.Environment environment) throws IOException, InterruptedException {
    AdverseSoakRun run = new AdverseSoakRun(environment, jar.path(), output);
    AdverseSoakRun.Result result = run.run(operations);
    List<String> applicationErrors = Files.readAllLines(run.applicationErrors());
    output.write(summary(environment, result, applicationErrors.size()));
    output.write(
        "| operations, millions | operations a second | live heap of the application, MB | of the"
            + " shared analyzer, MB | longest operation, ms | errors | |\n"
            + "|---:|---:|---:|---:|---:|---:|---|\n"
            + run.rows()
            + "\n");
    output.write(
        "What the analyzers did not observe:\n\n```\n"
            + coverageLines("in the process", applicationErrors)
            + coverageLines("shared", Files.readAllLines(run.serverErrors()))
            + "```\n\n");
    writePlots(run);
    return result.isSuccess() ? 0 : 1;
  }

  private static String summary(
      AdverseSoakRun.Environment environment, AdverseSoakRun.Result result, int errorLines) {
    String[] end = result.end().split(" ");
    return String.format(
        Locale.ROOT,
        "%s%n%n%s operations (rows read or written) of an application with a heap of 128 "
            + "MB: four workers on H2 in memory, two of them watched with the analyzer in the "
            + "process, two with a shared analyzer, `serve`, with a heap of 128 MB as well. On "
            + "each URL a transaction that has read a row stays open the whole time. %s%s The "
            + "shared analyzer is killed (SIGKILL) after %d %% of the operations and started "
            + "again after %d %%.%n%nErrors that the application observed: %s. Exit code of the"
            + " application: %d. The slowest connect took %s ms. The shared analyzer was %s at "
            + "the end. Lines on the application's standard error: %,d.%n%n",
        Machine.describe(),
        end.length > 1 ? String.format(Locale.ROOT, "%,d", Long.parseLong(end[1])) : "?",
        environment.disk() == null
            ? "(Skipped: the full disk; a tmpfs could not be mounted.)"
            : "The history is on a file system of 4 MB, which fills up soon.",
        environment.namedPipe() == null
            ? " (Skipped: the named pipe.)"
            : " The report is a named pipe without a reader.",
        AdverseSoakRun.KILLED_AT_SAMPLE,
        AdverseSoakRun.RESTARTED_AT_SAMPLE,
        end.length > 2 ? end[2] : "unknown, because it did not finish",
        result.exitCode(),
        end.length > 3 ? end[3] : "?",
        result.isServerAlive() ? "running" : "dead",
        errorLines);
  }

  private void writePlots(AdverseSoakRun run) throws IOException {
    if (plot == null) {
      return;
    }
    Plot heap = new Plot("operations, millions", "MB");
    heap.line("live heap, application", "#06c", run.applicationHeap());
    heap.line("live heap, shared analyzer", "#c60", run.serverHeap());
    write("heap", heap);
    Plot throughput = new Plot("operations, millions", "thousand operations/s");
    throughput.line("throughput", "#06c", run.throughput());
    write("rate", throughput);
  }

  private void write(String what, Plot picture) throws IOException {
    Path file = Path.of(plot + "-" + what + ".svg");
    Files.writeString(file, picture.svg());
    output.write("![" + what + " over operations](" + file.getFileName() + ")\n");
  }

  private static String coverageLines(String who, List<String> lines) {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      Matcher matcher = COVERED.matcher(line);
      if (matcher.find() || line.startsWith("coverage")) {
        text.append(who).append(": ").append(line.strip()).append('\n');
      }
    }
    return text.toString();
  }

  private static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
