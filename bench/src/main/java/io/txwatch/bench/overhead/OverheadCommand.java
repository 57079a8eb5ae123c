package io.txwatch.bench.overhead;

import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Median;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.ServerVersion;
import io.txwatch.bench.UnusableOptionException;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code overhead}: whole applications, with comparable tools. */
@Command(
    name = "overhead",
    description = "Runs TPC-C-like and key-value workloads on real servers, interleaved.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class OverheadCommand implements Callable<Integer> {

  @Option(names = "--seconds", description = "how long a slice takes", defaultValue = "0.2")
  private double seconds = 0.2;

  @Option(
      names = "--transactions",
      description =
          "end a slice after this many transactions of each client; in 23 or a multiple of them, tpcc has each kind as often",
      defaultValue = "9223372036854775807",
      showDefaultValue = Help.Visibility.NEVER)
  private long transactions = Long.MAX_VALUE;

  @Option(names = "--rounds", description = "slices of each variant", defaultValue = "25")
  private int rounds = 25;

  @Option(
      names = "--warm-up",
      description =
          "maximum seconds of warm-up for each variant, until its JVM has stopped compiling",
      defaultValue = "60")
  private double warmUp = 60;

  @Option(
      names = "--clients",
      split = ",",
      description =
          "connections of each variant, in a closed loop: one measures the latency of calls, several measure their CPU time",
      defaultValue = "1,2")
  private List<Integer> clients = List.of();

  @Mixin private BenchmarkOptions options = new BenchmarkOptions();

  @Option(
      names = "--jvm",
      description =
          "an option for the workers' JVMs; may be repeated; VARIANT stands for the variant's name")
  private List<String> jvmOptions = List.of();

  @Option(
      names = "--growth",
      description = "measure row sizes up to this many updates; 0 to skip",
      defaultValue = "1000")
  private int growth = 1_000;

  @Option(
      names = "--no-statistics",
      description =
          "collect no statistics of the tables (PostgreSQL): plans may then differ between raw tables and prepared ones, which were rewritten")
  private boolean noStatistics;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, SQLException {
    List<Variant> chosen = options.variantsOr(Variant.byDefault());
    List<WorkloadKind> kinds =
        options.workloadsOr(
            WorkloadKind.TPCC, WorkloadKind.KV_50, WorkloadKind.KV_95, WorkloadKind.SIBENCH);
    List<ServerKind> servers = options.databases();
    Placement placement = options.placement();
    if (clients.stream().anyMatch(count -> count < 1)) {
      throw new UnusableOptionException("--clients: a number of connections is at least 1");
    }
    Path directory = Files.createTempDirectory("txwatch-bench");
    output.progress("logs of the variants: " + directory);
    output.write(introduction(placement));
    for (int count : clients) {
      InterleavedRun run =
          new InterleavedRun(
              seconds, transactions, rounds, warmUp, count, placement, jvmOptions, !noStatistics);
      for (ServerKind kind : servers) {
        for (WorkloadKind workload : kinds) {
          measure(run, kind, workload, chosen, directory);
        }
      }
    }
    if (growth > 0) {
      measureGrowth(servers);
    }
    output.write("Load average at the end: " + Machine.load() + "\n\n");
    return 0;
  }

  private String introduction(Placement placement) {
    return "## Throughput of whole applications\n\n"
        + Machine.describe()
        + "\n\n"
        + String.format(
            Locale.ROOT,
            "Clients in a closed loop, %d interleaved rounds of %s s for each variant. First,"
                + " each variant runs until its JVM has stopped compiling, at most %s s: the "
                + "results are those of a service that has been running for a while; the benchmark "
                + "`startup` measures the time before. All databases fit in the server's memory (1 "
                + "GiB of PostgreSQL's shared buffers, of MySQL's and MariaDB's buffer pool). %s Ratios are to "
                + "raw in the same round: their median and its 95 %% confidence interval. Aborted "
                + "transactions are those that the DBMS rolled back, because of a deadlock or "
                + "because they cannot be serialized; they are retried.%s%n%n",
            rounds,
            number(seconds),
            number(warmUp),
            placement.describe(),
            noStatistics ? " No statistics of the tables were collected." : "");
  }

  private void measure(
      InterleavedRun run,
      ServerKind kind,
      WorkloadKind workload,
      List<Variant> chosen,
      Path directory)
      throws IOException, SQLException {
    int count = run.clients();
    String many = count == 1 ? "one client" : count + " clients";
    String name = OptionNames.option(kind) + "-" + workload.option() + "-" + count;
    Path logs = Files.createDirectory(directory.resolve(name));
    Map<Variant, List<Slice>> slices = run.run(kind, workload, chosen, logs, this::reportProgress);
    output.write("### " + workload.title() + " on " + describe(kind) + ", " + many + "\n\n");
    output.write(table(slices) + "\n");
  }

  private void measureGrowth(List<ServerKind> servers) throws IOException, SQLException {
    output.write("## Bytes of rows and of updates\n\n");
    for (ServerKind kind : servers) {
      if (kind == ServerKind.POSTGRESQL) {
        continue; // its rows have no auxiliary columns
      }
      output.write("### " + describe(kind) + "\n\n");
      output.write(new RowGrowth(kind).measure(growth) + "\n");
    }
  }

  private void reportProgress(Variant variant, int round, Slice slice) {
    output.progress(
        String.format(
            Locale.ROOT, "round %d  %-34s %8.0f/s", round, variant.title(), slice.throughput()));
  }

  static String describe(ServerKind kind) throws SQLException {
    try (Connection connection = TestServers.of(kind).connect()) {
      return ServerVersion.withDriver(connection);
    }
  }

  private static MarkdownTable table(Map<Variant, List<Slice>> slices) {
    MarkdownTable table =
        new MarkdownTable(
            "variant",
            "transactions/s",
            "median ms",
            "p99 ms",
            "ratio to raw",
            "95 %",
            "CPU µs a transaction: client",
            "of it JIT compilers",
            "txwatch's threads",
            "of it the log",
            "without compilers ÷ raw",
            "95 %",
            "server",
            "raw ÷ this",
            "95 %",
            "aborted",
            "of all, %");
    List<Slice> raw = slices.getOrDefault(Variant.RAW, List.of());
    slices.forEach(
        (variant, own) -> {
          Latencies latencies = new Latencies();
          long aborted = own.stream().mapToLong(Slice::retries).sum();
          own.forEach(slice -> latencies.add(slice.latencies()));
          Median ratio = ratio(own, raw, Slice::throughput);
          Median client = ratio(own, raw, Slice::clientCpuSecondsPerTransaction);
          Median processors = ratio(raw, own, Slice::cpuSecondsPerTransaction);
          table.row(
              variant.title(),
              text("%.0f", median(own, Slice::throughput)),
              text("%.3f", latencies.millis(0.5)),
              text("%.3f", latencies.millis(0.99)),
              text("%.2f", ratio.median()),
              interval(ratio),
              text(
                  "%.0f",
                  1e6 * median(own, slice -> slice.clientCpuSeconds() / slice.transactions())),
              text(
                  "%.0f",
                  1e6 * median(own, slice -> slice.compilerCpuSeconds() / slice.transactions())),
              text(
                  "%.0f",
                  1e6 * median(own, slice -> slice.watcherCpuSeconds() / slice.transactions())),
              text(
                  "%.0f", 1e6 * median(own, slice -> slice.logCpuSeconds() / slice.transactions())),
              text("%.2f", client.median()),
              interval(client),
              text(
                  "%.0f",
                  1e6 * median(own, slice -> slice.serverCpuSeconds() / slice.transactions())),
              text("%.2f", processors.median()),
              interval(processors),
              Long.toString(aborted),
              text("%.2f", 100.0 * aborted / Math.max(1, aborted + latencies.total())));
        });
    return table;
  }

  private static double median(List<Slice> slices, ToDoubleFunction<Slice> of) {
    return Median.of(slices.stream().map(of::applyAsDouble).toList()).median();
  }

  /** The ratio of slices of the same round. */
  private static Median ratio(List<Slice> above, List<Slice> below, ToDoubleFunction<Slice> of) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(above.size(), below.size()); i++) {
      ratios.add(of.applyAsDouble(above.get(i)) / of.applyAsDouble(below.get(i)));
    }
    return ratios.isEmpty() ? Median.none() : Median.of(ratios);
  }

  private static String interval(Median median) {
    return text("%.2f–%.2f", median.lower(), median.upper());
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
