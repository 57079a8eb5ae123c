package io.txwatch.bench.analysis;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.bench.Machine;
import io.txwatch.bench.Output;
import io.txwatch.bench.ProcessMemory;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.report.AnomalyGroups;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code soak}: memory over many operations. {@code bench/run} sets a heap of 512 MB. */
@Command(
    name = "soak",
    description = {
      "Measures and plots the analyzer's memory over many operations.",
      "Rows are replaced by new ones, and lost updates are planted."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class SoakCommand implements Callable<Integer> {

  private static final int SAMPLES = 100;
  private static final int APPENDS_PER_ROW = 32;

  @Parameters(
      arity = "0..1",
      paramLabel = "N",
      description = "how many operations",
      defaultValue = "50000000")
  private long operations = 50_000_000;

  @Option(names = "--plot", description = "write the plot here")
  private @Nullable Path plot;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException {
    List<double[]> live = new ArrayList<>();
    List<double[]> resident = new ArrayList<>();
    AnomalyGroups groups = new AnomalyGroups();
    long started = System.nanoTime();
    long plants = 0;
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, groups::add)) {
      PlantedLostUpdates planted = new PlantedLostUpdates(analyzer::accept);
      TwoPhaseLockingSimulation<String> execution =
          new TwoPhaseLockingSimulation<>(
              new SimulatedDriverEvents(analyzer::accept),
              TwoPhaseLockingSimulation.SEED,
              APPENDS_PER_ROW);
      long every = Math.max(FixedRateLoad.PLANT_EVERY_OPERATIONS, operations / SAMPLES);
      for (long done = 0; done < operations; ) {
        done += FixedRateLoad.PLANT_EVERY_OPERATIONS;
        execution.runUntil(done);
        planted.plant().run();
        plants++;
        if (done / every > (done - FixedRateLoad.PLANT_EVERY_OPERATIONS) / every) {
          System.gc();
          live.add(new double[] {done / 1e6, heap() / 1e6});
          resident.add(
              new double[] {
                done / 1e6, ProcessMemory.residentBytes(ProcessHandle.current().pid()) / 1e6
              });
        }
      }
      double seconds = (System.nanoTime() - started) / 1e9;
      output.write(summary(seconds, plants, groups, analyzer.coverage()));
      output.write(
          String.format(
              Locale.ROOT,
              "Live heap after a full collection: %.1f MB after a tenth, %.1f MB at the end,"
                  + " %.1f MB at most.%n%n",
              live.get(live.size() / 10)[1],
              live.get(live.size() - 1)[1],
              live.stream().mapToDouble(point -> point[1]).max().orElse(0)));
    }
    if (plot != null) {
      Plot picture = new Plot("operations, millions", "MB");
      picture.line("resident set", "#c60", resident);
      picture.line("live heap after a full collection", "#06c", live);
      Files.writeString(plot, picture.svg());
      output.write("![memory over operations](" + plot.getFileName() + ")\n");
    }
    return 0;
  }

  private String summary(double seconds, long plants, AnomalyGroups groups, Coverage coverage) {
    long found = groups.ungrouped() + groups.groups().stream().mapToLong(g -> g.count()).sum();
    return String.format(
        Locale.ROOT,
        "%s%n%n"
            + "%,d operations (%d per transaction, half of them reads, %d sessions; %d rows at a"
            + " time, each replaced by a new one after %d updates) in %.0f s, including their"
            + " generation, in a heap of %d MB. %,d lost updates were planted: %,d anomalies were"
            + " reported, in %d groups; missing: %s.%n%n",
        Machine.describe(),
        operations,
        TwoPhaseLockingSimulation.OPERATIONS_PER_TRANSACTION,
        TwoPhaseLockingSimulation.SESSIONS,
        TwoPhaseLockingSimulation.KEYS,
        APPENDS_PER_ROW,
        seconds,
        Runtime.getRuntime().maxMemory() >> 20,
        plants,
        found,
        groups.groups().size(),
        coverage.gaps().isEmpty() ? "nothing" : coverage.gaps());
  }

  private static long heap() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
