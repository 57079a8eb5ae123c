package io.txwatch.bench.analysis;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.bench.Machine;
import io.txwatch.bench.Output;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.EventSink;
import io.txwatch.history.QueueSink;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code live}: the throughput and the latency of the analyzer inside an application. */
@Command(
    name = "live",
    description = {
      "Measures the throughput and latency of the live analyzer at given rates.",
      "Latency is the time from the commit that proves a planted lost update to its report."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class LiveCommand implements Callable<Integer> {

  @Option(
      names = "--rates",
      split = ",",
      description = "operations offered a second",
      defaultValue = "100000,200000,400000,800000")
  private List<Long> rates = new ArrayList<>();

  @Option(names = "--seconds", description = "how long each rate is offered", defaultValue = "20")
  private int seconds = 20;

  @Mixin private Output output = new Output();

  /** By transaction, the time of the commit of each lost update that has not been reported yet. */
  private final Map<Long, Long> committed = new ConcurrentHashMap<>();

  /** Nanoseconds from commit to report; the analyzer's thread adds to it until it ends. */
  private final List<Long> latencies = Collections.synchronizedList(new ArrayList<>());

  @Override
  public Integer call() throws IOException {
    output.write(
        String.format(
            Locale.ROOT,
            "%s%n%nOne thread simulates %d sessions (%d operations per transaction, half of "
                + "them reads, %d rows) and hands the events to the queue of a watched application "
                + "(`txwatch.queue` by default); the analyzer reads them in a thread. Every %,d "
                + "operations a lost update is planted; latency is the time from the commit that "
                + "proves it to its report. Each rate runs for %d s, after the same time at the "
                + "first rate to warm up.%n%n",
            Machine.describe(),
            TwoPhaseLockingSimulation.SESSIONS,
            TwoPhaseLockingSimulation.OPERATIONS_PER_TRANSACTION,
            TwoPhaseLockingSimulation.KEYS,
            FixedRateLoad.PLANT_EVERY_OPERATIONS,
            seconds));
    LatencyTable table = new LatencyTable();
    run(rates.get(0), new LatencyTable());
    for (long rate : rates) {
      run(rate, table);
      output.progress(rate + " operations/s done");
    }
    output.write(table + "\n");
    return 0;
  }

  private void run(long rate, LatencyTable table) throws IOException {
    committed.clear();
    latencies.clear();
    int capacity = Settings.of(Map.of()).number(Setting.QUEUE);
    Analyzer analyzer = new Analyzer(Judge.DBMS, this::found);
    EventSink queue = new QueueSink(capacity, List.of(analyzer));
    FixedRateLoad load = new FixedRateLoad(queue, 0);
    long started = System.nanoTime();
    long plants = load.offer(rate, seconds, committed::put);
    load.finish();
    queue.close();
    double taken = (System.nanoTime() - started) / 1e9;
    Coverage coverage = analyzer.coverage();
    table.row(rate, coverage.statements(), taken, coverage, plants, latencies);
  }

  private void found(Anomaly anomaly) {
    for (ObservedTransaction transaction : anomaly.transactions()) {
      Long at = committed.remove(transaction.id());
      if (at != null) {
        latencies.add(System.nanoTime() - at);
      }
    }
  }
}
