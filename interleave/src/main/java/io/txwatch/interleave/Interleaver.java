package io.txwatch.interleave;

import io.txwatch.interleave.InterleaverSettings.Invariant;
import io.txwatch.interleave.explore.DivergedException;
import io.txwatch.interleave.run.HangException;
import io.txwatch.interleave.run.Operation;
import io.txwatch.interleave.state.RefusedDatabaseException;
import io.txwatch.interleave.state.TestDatabases;
import io.txwatch.interleave.state.TouchedTables;
import io.txwatch.interleave.state.UnreachableException;
import io.txwatch.interleave.state.UsedDatabases;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Executes operations of an application, on watched connections, in every order of their JDBC calls
 * that may matter, and decides whether one of them gives what no order of whole operations gives:
 * other results of the operations, or other rows in the end. An operation that throws, and leaves
 * nothing behind, counts as one that was not executed.
 *
 * <p>For one thread, and one at a time in a process.
 */
public final class Interleaver {

  /** As every order of whole operations is executed first: five have 120, six 720. */
  public static final int MAX_OPERATIONS = 5;

  private static final int MAX_PREEMPTIONS = 3;
  private static final int MAX_EXECUTIONS = 1_000;
  private static final int MAX_ROWS = 10_000;
  private static final int MAX_REPETITIONS_FOR_NAME = 2;
  private static final int MAX_SAMPLED = 100;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<Operation> operations = new ArrayList<>();
  private final List<Invariant> invariants = new ArrayList<>();
  private final Map<String, Callable<List<List<String>>>> finalReads = new LinkedHashMap<>();
  private @Nullable Runnable reset;
  private @Nullable Path kept;
  private @Nullable TestDatabases accepted;
  private int repetitionsForName = MAX_REPETITIONS_FOR_NAME;
  private int times = 1;
  private int maxPreemptions = MAX_PREEMPTIONS;
  private int maxExecutions = MAX_EXECUTIONS;
  private int maxSampled = MAX_SAMPLED;
  private long seed;
  private Duration limit = LIMIT;
  private Runnable cancel = () -> {};
  private List<Interruption> interruptions = List.of();

  /**
   * Adds an operation. Given twice, it is executed by two clients.
   *
   * @param name as reports show it
   * @param body called again and again; what it returns or throws is its result
   */
  public Interleaver operation(String name, Callable<?> body) {
    operations.add(new Operation(name, body));
    return this;
  }

  /**
   * Adds an operation that threads of a service execute, such as the answer to a request.
   *
   * @param name as reports show it
   * @param body called again and again; waits for the operation, and what it returns or throws is
   *     its result
   */
  public Interleaver operationOfService(String name, Callable<?> body) {
    operations.add(new Operation(name, body, true));
    return this;
  }

  /** How many clients execute each operation: 1 if it is not set. */
  public Interleaver times(int clients) {
    times = clients;
    return this;
  }

  /** What must hold after every execution, beside what is found without it. */
  public Interleaver invariant(String name, Callable<Boolean> holds) {
    invariants.add(new Invariant(name, holds));
    return this;
  }

  /**
   * Adds a read of the final state, which is compared beside the rows of the tables that are
   * touched.
   *
   * @param name as reports show it, without blanks
   * @param read called after every execution; returns rows, each the texts of its columns
   */
  public Interleaver finalRead(String name, Callable<List<List<String>>> read) {
    finalReads.put(name, read);
    return this;
  }

  /**
   * Restores the state before each execution. Without one, the rows of the tables that are touched
   * are restored.
   */
  public Interleaver reset(Runnable restore) {
    reset = restore;
    return this;
  }

  /**
   * The file of a schedule that showed a race: it is executed first, and written when a race is
   * found.
   */
  public Interleaver keep(Path file) {
    kept = file;
    return this;
  }

  /**
   * How often an order that races without a known cycle is executed again: where rows are known by
   * their values, the cycle may be known then, which names the race. Without this, twice.
   */
  public Interleaver repetitionsForName(int most) {
    repetitionsForName = most;
    return this;
  }

  /**
   * Accepts any database: the caller has made sure that its rows may be changed. Without this, one
   * that does not look like a database for tests is refused.
   */
  public Interleaver anyDatabase() {
    accepted = TestDatabases.all();
    return this;
  }

  /**
   * Which databases are for tests, beside the usual ones. Without this, {@code
   * txwatch.test-database} as a system property or in the environment lists them.
   *
   * @param list the value of {@code txwatch.test-database}
   */
  public Interleaver testDatabases(String list) {
    accepted = TestDatabases.of(list);
    return this;
  }

  /** How often an operation may have to stop although it could go on: 3 if it is not set. */
  public Interleaver preemptions(int most) {
    maxPreemptions = most;
    return this;
  }

  /** How many orders are executed at most: 1 000 if it is not set. */
  public Interleaver executions(int most) {
    maxExecutions = most;
    return this;
  }

  /**
   * How many random orders are executed beyond the bound on preemptions, if there are such orders:
   * 100 if it is not set.
   *
   * @param seed determines them
   */
  public Interleaver sampled(int most, long seed) {
    maxSampled = most;
    this.seed = seed;
    return this;
  }

  /**
   * Orders that are executed before all others, as they are likely to show a race. Operations are
   * numbered as they were added.
   */
  public Interleaver first(List<Interruption> orders) {
    interruptions = orders;
    return this;
  }

  /** The most time of a call: 60 s if it is not set. */
  public Interleaver limit(Duration most) {
    limit = most;
    return this;
  }

  /**
   * Ends the statements of operations that do not end within the limit. Without it, their threads
   * are interrupted, which not every driver notices.
   */
  public Interleaver cancel(Runnable statements) {
    cancel = statements;
    return this;
  }

  /**
   * Explores. The tables that were touched have their rows again afterwards, unless the caller has
   * given a reset, or an operation hangs.
   *
   * @throws IllegalStateException if there are fewer than two operations, or more than five
   * @throws UncheckedIOException if the kept schedule cannot be read
   * @throws InterruptedException if the thread is interrupted
   */
  public Interleaved run() throws InterruptedException {
    List<Operation> all = clients();
    if (all.size() < 2 || all.size() > MAX_OPERATIONS) {
      throw new IllegalStateException(
          "two to five operations can be interleaved, and there are "
              + all.size()
              + ": every order of whole operations is executed first, and six have 720");
    }
    Path file = kept;
    InterleaverSettings settings =
        new InterleaverSettings(
            reset,
            invariants,
            finalReads,
            maxPreemptions,
            maxExecutions,
            maxSampled,
            seed,
            limit,
            cancel,
            file == null ? new KeptSchedule(List.of()) : KeptSchedule.read(file),
            repetitionsForName,
            interruptions);
    TestDatabases known = accepted;
    try (UsedDatabases databases =
            new UsedDatabases(known == null ? TestDatabases.ofProcess() : known, MAX_ROWS);
        OrderExploration exploration = new OrderExploration(settings, all, databases)) {
      Interleaved found = explore(exploration);
      if (file != null && !found.schedule().isEmpty()) {
        return found.withNote(kept(new KeptSchedule(found.schedule()), file));
      }
      return found;
    }
  }

  private static Interleaved explore(OrderExploration exploration) throws InterruptedException {
    try {
      return exploration.run();
    } catch (HangException
        | DivergedException
        | TouchedTables.TooLargeException
        | RefusedDatabaseException
        | UnreachableException e) {
      return exploration.undecided(String.valueOf(e.getMessage()));
    }
  }

  /** Each operation as often as there are clients, with names that are distinct. */
  private List<Operation> clients() {
    List<Operation> all = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (Operation operation : operations) {
      for (int i = 0; i < times; i++) {
        String plain = operation.name().strip().replaceAll("\\s+", " "); // part of a line
        int number = seen.merge(plain, 1, Integer::sum);
        String name = number == 1 ? plain : plain + " #" + number;
        all.add(new Operation(name, operation.body(), operation.isExecutedByOthers()));
      }
    }
    return all;
  }

  /** Writes a schedule; returns what became of it, in words: the race matters more. */
  private static String kept(KeptSchedule schedule, Path file) {
    try {
      schedule.write(file);
      return "the order is kept in " + file;
    } catch (IOException e) {
      return "the order cannot be kept in " + file + ": " + e;
    }
  }
}
