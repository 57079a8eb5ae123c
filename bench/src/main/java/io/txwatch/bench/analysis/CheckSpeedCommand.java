package io.txwatch.bench.analysis;

import io.txwatch.bench.JarOption;
import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Median;
import io.txwatch.bench.Output;
import io.txwatch.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code check}: the speed and the memory of checking histories. */
@Command(
    name = "check",
    description = "Checks large histories, each in a process on one processor, interleaved.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class CheckSpeedCommand implements Callable<Integer> {

  private static final long WARM_UP_OPERATIONS = 8_000_000;

  /** The number of appends after which a key is replaced, as in Elle's own generator. */
  private static final int ELLE_APPENDS_PER_KEY = 32;

  @Mixin private JarOption jar = new JarOption();

  @Option(
      names = "--operations",
      split = ",",
      description = "the number of operations of each history",
      defaultValue = "1000000,10000000")
  private List<Long> sizes = new ArrayList<>();

  @Option(names = "--rounds", description = "runs of each", defaultValue = "3")
  private int rounds = 3;

  @Option(names = "--dir", description = "keep the histories here (default: delete them)")
  private @Nullable Path directory;

  @Mixin private Output output = new Output();

  /** Writes a history. */
  private interface Content {
    void write(Path file, long operations) throws IOException;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path in = directory == null ? Files.createTempDirectory("txwatch-check") : directory;
    Files.createDirectories(in);
    Map<String, Path> histories = new LinkedHashMap<>();
    for (long size : sizes) {
      String millions = String.format(Locale.ROOT, "%.1f M", size / 1e6);
      histories.put(
          "txwatch, " + millions, file(in, size + ".history", size, CheckSpeedCommand::watched));
      histories.put(
          "Elle EDN, " + millions, file(in, size + ".edn", size, CheckSpeedCommand::elle));
    }
    Map<String, List<CheckRun>> runs = new LinkedHashMap<>();
    Map<String, List<CheckRun>> warmRuns = new LinkedHashMap<>();
    for (int round = 1; round <= rounds; round++) {
      for (Map.Entry<String, Path> history : histories.entrySet()) {
        CheckRun cold = CheckRun.run(jar.path(), history.getValue(), 1);
        runs.computeIfAbsent(history.getKey(), name -> new ArrayList<>()).add(cold);
        output.progress(history.getKey() + ": " + cold);
        CheckRun warm = CheckRun.run(jar.path(), history.getValue(), passes(cold.operations()));
        warmRuns.computeIfAbsent(history.getKey(), name -> new ArrayList<>()).add(warm);
        output.progress(history.getKey() + ", warm: " + warm);
      }
    }
    write(histories, runs, warmRuns);
    if (directory == null) {
      for (Path file : histories.values()) {
        Files.delete(file);
      }
      Files.delete(in);
    }
    return 0;
  }

  /** The number of passes over a history of this size until the JVM is warm. */
  private static int passes(long operations) {
    return (int) Math.max(2, Math.min(8, WARM_UP_OPERATIONS / Math.max(1, operations)));
  }

  private void write(
      Map<String, Path> histories,
      Map<String, List<CheckRun>> runs,
      Map<String, List<CheckRun>> warmRuns)
      throws IOException {
    output.write(introduction());
    MarkdownTable table =
        new MarkdownTable(
            "history",
            "file, MB",
            "cold whole, s",
            "spread",
            "operations/s",
            "warm whole, s",
            "operations/s",
            "of it analysis, s",
            "operations/s",
            "process, s",
            "its CPU, s",
            "peak memory, MB",
            "valid");
    for (Map.Entry<String, List<CheckRun>> of : runs.entrySet()) {
      List<CheckRun> cold = of.getValue();
      Path file = histories.getOrDefault(of.getKey(), jar.path());
      table.row(row(of.getKey(), file, cold, warmRuns.getOrDefault(of.getKey(), cold)));
    }
    output.write(table + "\n");
  }

  private String introduction() {
    return String.format(
        Locale.ROOT,
        "%s%n%nSerializable histories of %d operations per transaction, half of them reads, with"
            + " %d sessions and %d keys at a time; Elle's keys are replaced after %d appends, as"
            + " in its own generator.%n`java -jar txwatch.jar check` with default JVM options,"
            + " each run in a process of its own on one processor (including JIT compilation and"
            + " garbage collection); medians of %d interleaved runs.%nThe whole is `seconds` of"
            + " `check`: from opening the file to the verdict. Cold: a large part is compilation."
            + " Warm: in a process that has checked the file before (`check FILE FILE …`, the"
            + " last of them). Analysis is the whole without reading and decoding the file, where"
            + " they are separate; an Elle history is analysed while it is read. Memory is that"
            + " of the cold run.%n%n",
        Machine.describe(),
        TwoPhaseLockingSimulation.OPERATIONS_PER_TRANSACTION,
        TwoPhaseLockingSimulation.SESSIONS,
        TwoPhaseLockingSimulation.KEYS,
        ELLE_APPENDS_PER_KEY,
        rounds);
  }

  private static String[] row(String name, Path file, List<CheckRun> cold, List<CheckRun> warm)
      throws IOException {
    long operations = cold.get(0).operations();
    Median coldSeconds = median(cold, CheckRun::seconds);
    Median warmSeconds = median(warm, CheckRun::seconds);
    Median analysis = median(warm, run -> run.seconds() - run.readingSeconds());
    return new String[] {
      name,
      number("%.0f", Files.size(file) / 1e6),
      number("%.2f", coldSeconds.median()),
      number("%.2f", coldSeconds.min()) + "–" + number("%.2f", coldSeconds.max()),
      number("%,.0f", operations / coldSeconds.median()),
      number("%.2f", warmSeconds.median()),
      number("%,.0f", operations / warmSeconds.median()),
      number("%.2f", analysis.median()),
      number("%,.0f", operations / analysis.median()),
      number("%.2f", median(cold, CheckRun::wholeSeconds).median()),
      number("%.2f", median(cold, CheckRun::cpuSeconds).median()),
      number("%.0f", median(cold, run -> run.peakBytes() / 1e6).median()),
      cold.get(0).valid()
    };
  }

  private static Median median(List<CheckRun> runs, ToDoubleFunction<CheckRun> of) {
    return Median.of(runs.stream().map(of::applyAsDouble).toList());
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private Path file(Path in, String name, long size, Content content) throws IOException {
    Path file = in.resolve(name);
    if (!Files.exists(file)) {
      output.progress("writes " + name);
      content.write(file, size);
    }
    return file;
  }

  private static void watched(Path file, long operations) throws IOException {
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      new TwoPhaseLockingSimulation<>(
              new SimulatedDriverEvents(writer::accept),
              TwoPhaseLockingSimulation.SEED,
              Integer.MAX_VALUE)
          .run(operations);
    }
  }

  private static void elle(Path file, long operations) throws IOException {
    try (ElleFile elle = new ElleFile(file)) {
      new TwoPhaseLockingSimulation<>(elle, TwoPhaseLockingSimulation.SEED, ELLE_APPENDS_PER_KEY)
          .run(operations);
    }
  }
}
