package io.txwatch.bench.analysis;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.baseline.Baseline;
import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.Machine;
import io.txwatch.bench.Output;
import io.txwatch.coverage.Coverage;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryWriter;
import io.txwatch.link.Address;
import io.txwatch.serve.AnalysisServer;
import io.txwatch.serve.ServerListener;
import io.txwatch.serve.ServerOptions;
import io.txwatch.stale.Across;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tcp}: the throughput and the latency of an analyzer that several processes share. */
@Command(
    name = "tcp",
    description = {
      "Measures an analyzer that two processes share over TCP, at given rates.",
      "Latency is the time from the commit that proves a planted lost update to its report."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class TcpCommand implements Callable<Integer> {

  private static final int PROCESSES = 2;

  @Option(
      names = "--rates",
      split = ",",
      description = "operations offered a second, by all processes together",
      defaultValue = "50000,100000,200000")
  private List<Long> rates = new ArrayList<>();

  @Option(names = "--seconds", description = "how long each rate is offered", defaultValue = "20")
  private int seconds = 20;

  @Option(
      names = "--warm-up",
      description = "seconds of warm-up, the first half at a quarter of the rate",
      defaultValue = "10")
  private int warmUp = 10;

  @Mixin private Output output = new Output();

  /** By transaction, the time at which its lost update was reported. */
  private final Map<Long, Long> reported = new ConcurrentHashMap<>();

  @Override
  public Integer call() throws Exception {
    output.write(
        String.format(
            Locale.ROOT,
            "%s%n%n%d processes, each with %d sessions (%d operations per transaction, half "
                + "of them reads, %d rows) behind a queue, report over TCP on one machine to one "
                + "analyzer in a third process; no history is written. Every %,d operations of a "
                + "process a lost update is planted; latency is the time from the commit that "
                + "proves it to its report. Rates and latencies are those of the last %d s of %d at"
                + " each rate, of which the first %d run at a quarter of the rate; lost events are "
                + "those of the whole time.%n%n",
            Machine.describe(),
            PROCESSES,
            TwoPhaseLockingSimulation.SESSIONS,
            TwoPhaseLockingSimulation.OPERATIONS_PER_TRANSACTION,
            TwoPhaseLockingSimulation.KEYS,
            FixedRateLoad.PLANT_EVERY_OPERATIONS,
            seconds,
            warmUp + seconds,
            warmUp / 2));
    LatencyTable table = new LatencyTable();
    for (long rate : rates) {
      run(rate, table);
      output.progress(rate + " operations/s done");
    }
    output.write(table + "\n");
    return 0;
  }

  private void run(long rate, LatencyTable table) throws IOException, InterruptedException {
    reported.clear();
    try (AnalysisServer server =
        AnalysisServer.open(
            new ServerOptions(
                new Address(false, "127.0.0.1", 0),
                Optional.empty(),
                "",
                Optional.empty(),
                HistoryWriter.MAX_FILE_BYTES,
                Judge.DBMS,
                Granularity.DEFAULT,
                Across.OFF,
                Baseline.NONE,
                ServerOptions.GRACE,
                ServerOptions.SILENCE,
                Runtime.getRuntime().maxMemory() / 2),
            new Listener())) {
      List<Process> clients = new ArrayList<>();
      List<BufferedReader> answers = new ArrayList<>();
      for (int i = 1; i <= PROCESSES; i++) {
        Process client = client(server.address().getPort(), rate / PROCESSES, i);
        clients.add(client);
        answers.add(
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8)));
      }
      await(answers, "ready");
      for (Process client : clients) {
        client.getOutputStream().write('\n');
        client.getOutputStream().flush();
      }
      await(answers, "warm");
      long started = System.nanoTime();
      long before = server.status().coverage().statements();
      List<Long> latencies = new ArrayList<>();
      long planted = 0;
      for (BufferedReader answer : answers) {
        for (String line = answer.readLine(); line != null; line = answer.readLine()) {
          planted++;
          String[] parts = line.split(" ", 2);
          Long at = reported.get(Long.valueOf(parts[0]));
          if (at != null) {
            // All processes of a machine share the monotonic clock.
            latencies.add(at - Long.parseLong(parts[1]));
          }
        }
      }
      double taken = (System.nanoTime() - started) / 1e9;
      server.close();
      Coverage coverage = server.status().coverage();
      table.row(rate, coverage.statements() - before, taken, coverage, planted, latencies);
    }
  }

  private static void await(List<BufferedReader> clients, String word) throws IOException {
    for (BufferedReader client : clients) {
      if (!word.equals(client.readLine())) {
        throw new IOException("a client did not get " + word);
      }
    }
  }

  private Process client(int port, long rate, int number) throws IOException {
    List<String> arguments =
        List.of(
            Integer.toString(port),
            Long.toString(rate),
            Integer.toString(seconds),
            Integer.toString(warmUp),
            Integer.toString(number));
    return new ProcessBuilder(JdkProcess.ofClass(List.of(), TcpClient.class, arguments))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Records when each anomaly was found. */
  private final class Listener implements ServerListener {

    @Override
    public void found(Anomaly anomaly, boolean replayed) {
      long now = System.nanoTime();
      for (ObservedTransaction transaction : anomaly.transactions()) {
        reported.putIfAbsent(transaction.id(), now);
      }
    }

    @Override
    public void log(String line) {
      output.progress(line);
    }
  }
}
