package io.txwatch.pairs;

import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;

/**
 * Prints the table of docs/measurements/interleave.csv: for each pair and each cell the orders of
 * calls, the executions of the interleaver, and how often a race shows itself in concurrent runs
 * that nothing forces. Arguments are parts of the names of pairs; none for all.
 */
final class InterleavedPairTable {

  private static final int UNFORCED_RUNS = 100;

  private InterleavedPairTable() {}

  public static void main(String[] parts) throws Exception {
    boolean isBrief = Boolean.getBoolean("pairs.brief");
    System.out.println("pair;DBMS and level;calls;orders;that race;verdict;executions;unforced");
    for (Pair pair : Pairs.ALL) {
      if (parts.length > 0 && List.of(parts).stream().noneMatch(pair.name()::contains)) {
        continue;
      }
      for (Cell cell : Cell.values()) {
        try {
          print(pair, cell, isBrief);
        } catch (Exception | AssertionError e) {
          System.out.println(pair + ";" + cell + ";" + e);
        }
      }
    }
  }

  private static void print(Pair pair, Cell cell, boolean isBrief) throws Exception {
    Interleaved found;
    try (PairDatabase database = new PairDatabase(pair, cell, true)) {
      found =
          new Interleaver()
              .operation("A", database.operation(0))
              .operation("B", database.operation(1))
              .limit(Duration.ofSeconds(10))
              .run();
    }
    String orders = "";
    boolean isRacy = pair.isRacy(cell);
    if (!isBrief) {
      try (PairDatabase database = new PairDatabase(pair, cell, true);
          Enumeration all = new Enumeration(database)) {
        all.run();
        orders = all.calls() + ";" + all.executions() + ";" + all.races() + ";";
        if (isRacy == all.race().isEmpty()) {
          System.out.println("WRONG LABEL: " + all.race().orElse("no race"));
        }
      }
    }
    System.out.println(
        String.join(
            ";",
            pair.toString(),
            cell.title(),
            orders + found.verdict(),
            String.valueOf(found.executions()),
            isBrief ? "" : String.valueOf(unforced(pair, cell))));
    if (!found.verdict().name().equals(isRacy ? "RACE" : "SAFE")) {
      System.out.println("WRONG VERDICT: " + found);
    }
  }

  /** How many concurrent runs give what no order of whole operations gives. */
  private static int unforced(Pair pair, Cell cell) throws Exception {
    int races = 0;
    try (PairDatabase database = new PairDatabase(pair, cell, false);
        Enumeration judge = new Enumeration(database)) {
      for (int run = 0; run < UNFORCED_RUNS; run++) {
        database.reset();
        String[] outcomes = new String[2];
        CyclicBarrier barrier = new CyclicBarrier(2);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          int number = i;
          Callable<Object> operation = database.operation(i);
          Thread thread =
              new Thread(
                  () -> {
                    try {
                      barrier.await();
                      outcomes[number] = String.valueOf(operation.call());
                    } catch (Exception e) {
                      outcomes[number] = "throws " + e.getClass().getName();
                    }
                  });
          threads.add(thread);
          thread.start();
        }
        for (Thread thread : threads) {
          thread.join();
        }
        races += judge.isSerial(List.of(outcomes), database.rows()) ? 0 : 1;
      }
    }
    return races;
  }
}
