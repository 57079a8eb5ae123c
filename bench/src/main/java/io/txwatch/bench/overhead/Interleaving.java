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
 * Variants in turn, on one workload and one kind of database: in each round every one, in an order
 * of its own, and none twice in a row. (To and fro, A B C C B A, the first and the last have two
 * slices in a row, of which the second is slower by up to a tenth.)
 *
 * @param seconds how long a slice takes
 * @param rounds how many slices each variant gets
 * @param warmUp seconds that each runs for beforehand at most: no longer than its JVM compiles
 * @param clients how many connections each has
 * @param placement of the application and of the server
 * @param jvmOptions for the workers' JVMs
 * @param analyzed whether statistics are taken of the tables beforehand
 */
record Interleaving(
    double seconds,
    int rounds,
    double warmUp,
    int clients,
    Placement placement,
    List<String> jvmOptions,
    boolean analyzed) {

  /** What the databases hold and the clients do is a function of it. */
  static final long SEED = 20_261_101;

  /** Seconds. */
  private static final double WARM_UP_TURN = 3;

  /** Is told how far it is. */
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
    try {
      List<String> urls = Databases.createEach(kind, workload, variants, SEED, analyzed);
      placement.placeServers();
      for (int i = 0; i < variants.size(); i++) {
        WorkerProcess worker =
            WorkerProcess.start(
                variants.get(i),
                workload,
                urls.get(i),
                clients,
                SEED,
                placement,
                directory,
                jvmOptions);
        workers.add(worker);
        warmUp(worker);
      }
      Random random = new Random(SEED);
      for (int round = 0; round < rounds; round++) {
        shuffle(workers, random);
        for (WorkerProcess worker : workers) {
          Slice slice = worker.run((long) (seconds * 1_000));
          slices.computeIfAbsent(worker.variant(), v -> new ArrayList<>()).add(slice);
          progress.slice(worker.variant(), round, slice);
        }
      }
    } finally {
      for (WorkerProcess worker : workers) {
        worker.close();
      }
    }
    return slices;
  }

  /** Into another order, in which the last is not the first. */
  private static <T> void shuffle(List<T> items, Random random) {
    if (items.size() > 1) {
      T last = items.get(items.size() - 1);
      do {
        Collections.shuffle(items, random);
      } while (items.get(0) == last);
    }
  }

  /** Until the JVM has compiled what it is going to compile. */
  private void warmUp(WorkerProcess worker) throws IOException {
    double left = warmUp;
    boolean warm = false;
    while (left > 0 && !warm) {
      double turn = Math.min(left, WARM_UP_TURN);
      warm = worker.run((long) (turn * 1_000)).isWarm();
      left -= turn;
    }
  }
}
