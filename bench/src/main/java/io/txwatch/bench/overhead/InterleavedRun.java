package io.txwatch.bench.overhead;

import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs variants in turn, on one workload and one kind of database: each round runs all of them, in
 * a random order in which none follows itself. (In the order A B C C B A, the first and the last
 * have two slices in a row, and the second of these is up to a tenth slower.)
 *
 * @param sliceSeconds the duration of a slice
 * @param transactions the transactions of each client in a slice at most
 * @param rounds the number of slices of each variant
 * @param maxWarmUpSeconds the maximum seconds of warm-up, which ends when the JVM has stopped
 *     compiling
 * @param clients the number of connections of each variant
 * @param placement of the application and of the server
 * @param jvmOptions for the workers' JVMs
 * @param analyzed true if statistics of the tables are collected first
 */
record InterleavedRun(
    double sliceSeconds,
    long transactions,
    int rounds,
    double maxWarmUpSeconds,
    int clients,
    Placement placement,
    List<String> jvmOptions,
    boolean analyzed) {

  /** The seed of the databases' contents and of the clients. */
  static final long SEED = 20_261_101;

  private static final double WARM_UP_SLICE_SECONDS = 3;

  /** Receives the progress. */
  interface Progress {
    void slice(Variant variant, int round, Slice slice);
  }

  /** The slices of each variant, in order. */
  Map<Variant, List<Slice>> run(
      ServerKind kind,
      WorkloadKind workload,
      List<Variant> variants,
      Path directory,
      Progress progress)
      throws IOException, SQLException {
    Map<Variant, List<Slice>> slices = new EnumMap<>(Variant.class);
    List<WorkerProcess> workers = new ArrayList<>();
    List<Destination> destinations = Destination.start(variants, directory);
    try {
      List<String> urls = Databases.createEach(kind, workload, variants, SEED, analyzed);
      placement.placeServers();
      for (int i = 0; i < variants.size(); i++) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(Destination.jvmOptions(variants.get(i), destinations));
        WorkerProcess.Settings settings =
            new WorkerProcess.Settings(workload, clients, SEED, placement, directory, options);
        WorkerProcess worker = WorkerProcess.start(variants.get(i), urls.get(i), settings);
        workers.add(worker);
        warmUp(worker);
      }
      Random random = new Random(SEED);
      for (int round = 0; round < rounds; round++) {
        shuffle(workers, random);
        for (WorkerProcess worker : workers) {
          Slice slice = worker.run((long) (sliceSeconds * 1_000), transactions);
          slices.computeIfAbsent(worker.variant(), v -> new ArrayList<>()).add(slice);
          progress.slice(worker.variant(), round, slice);
        }
      }
    } finally {
      for (WorkerProcess worker : workers) {
        worker.close();
      }
      destinations.forEach(Destination::close);
    }
    return slices;
  }

  /** Shuffles the items so that the last one does not become the first. */
  private static <T> void shuffle(List<T> items, Random random) {
    if (items.size() > 1) {
      T last = items.get(items.size() - 1);
      do {
        Collections.shuffle(items, random);
      } while (items.get(0) == last);
    }
  }

  /** Runs until the JVM has stopped compiling. */
  private void warmUp(WorkerProcess worker) throws IOException {
    double remainingSeconds = maxWarmUpSeconds;
    boolean warm = false;
    while (remainingSeconds > 0 && !warm) {
      double warmUpSliceSeconds = Math.min(remainingSeconds, WARM_UP_SLICE_SECONDS);
      warm = worker.run((long) (warmUpSliceSeconds * 1_000), Long.MAX_VALUE).isWarm();
      remainingSeconds -= warmUpSliceSeconds;
    }
  }
}
