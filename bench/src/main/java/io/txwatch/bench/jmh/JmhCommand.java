package io.txwatch.bench.jmh;

import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Output;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jmh}: single steps. */
@Command(
    name = "jmh",
    description = "Measures single steps with JMH: time and allocated bytes.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class JmhCommand implements Callable<Integer> {

  @Option(names = "--forks", description = "JVMs for each benchmark", defaultValue = "1")
  private int forks = 1;

  @Option(names = "--millis", description = "length of an iteration", defaultValue = "500")
  private long millis = 500;

  @Option(names = "--iterations", description = "measured iterations", defaultValue = "4")
  private int iterations = 4;

  @Parameters(description = "regular expressions: which benchmarks; all if none is given")
  private List<String> include = List.of();

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, RunnerException {
    OptionsBuilder options = new OptionsBuilder();
    include.forEach(options::include);
    TimeValue time = TimeValue.milliseconds(millis);
    options
        .forks(forks)
        .warmupIterations(iterations)
        .warmupTime(time)
        .measurementIterations(iterations)
        .measurementTime(time)
        .addProfiler(GCProfiler.class)
        .verbosity(VerboseMode.NORMAL);
    output.progress("running; this takes some minutes");
    Collection<RunResult> results = new Runner(options.build()).run();
    output.write("## Single steps\n\n");
    output.write(Machine.describe() + "\n\n");
    output.write(
        String.format(
            Locale.ROOT,
            "JMH 1.37, %d fork, %d iterations of %d ms after as many of warm-up; ± is the 99.9 %%"
                + " confidence interval.%n%n",
            forks,
            iterations,
            millis));
    output.write(table(results) + "\n");
    return 0;
  }

  private static MarkdownTable table(Collection<RunResult> results) {
    MarkdownTable table = new MarkdownTable("benchmark", "of", "ns", "±", "bytes allocated");
    for (RunResult run : results) {
      Result<?> time = run.getPrimaryResult();
      Result<?> bytes = run.getSecondaryResults().get("gc.alloc.rate.norm");
      table.row(
          name(run.getParams()),
          parameters(run.getParams()),
          String.format(Locale.ROOT, "%.1f", time.getScore()),
          String.format(Locale.ROOT, "%.1f", time.getScoreError()),
          bytes == null ? "" : String.format(Locale.ROOT, "%.0f", bytes.getScore()));
    }
    return table;
  }

  private static String name(BenchmarkParams run) {
    String name = run.getBenchmark();
    return name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
  }

  private static String parameters(BenchmarkParams run) {
    return run.getParamsKeys().stream().map(run::getParam).collect(Collectors.joining(", "));
  }
}
