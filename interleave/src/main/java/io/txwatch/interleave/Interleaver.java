package io.txwatch.interleave;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Product;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.explore.DivergedException;
import io.txwatch.interleave.explore.Explorer;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.interleave.run.GatedProgram;
import io.txwatch.interleave.run.HangException;
import io.txwatch.interleave.run.NotDeterministicException;
import io.txwatch.interleave.run.Operation;
import io.txwatch.interleave.state.TouchedRows;
import io.txwatch.interleave.state.TouchedTables;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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

  private static final int MAX_PREEMPTIONS = 3;
  private static final int MAX_EXECUTIONS = 1_000;
  private static final int MAX_ROWS = 10_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<Operation> operations = new ArrayList<>();
  private final List<Invariant> invariants = new ArrayList<>();
  private final Map<String, Callable<List<List<String>>>> finalReads = new LinkedHashMap<>();
  private @Nullable Runnable reset;
  private int maxPreemptions = MAX_PREEMPTIONS;
  private int maxExecutions = MAX_EXECUTIONS;
  private Duration limit = LIMIT;

  /** What must hold after every execution. */
  private record Invariant(String name, Callable<Boolean> holds) {}

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

  /** The most time of a call: 60 s if it is not set. */
  public Interleaver limit(Duration most) {
    limit = most;
    return this;
  }

  /**
   * Explores.
   *
   * @throws IllegalStateException if there are fewer than two operations, or more than eight
   * @throws InterruptedException if the thread is interrupted
   */
  public Interleaved run() throws InterruptedException {
    if (operations.size() < 2 || operations.size() > 8) {
      throw new IllegalStateException("two to eight operations are interleaved");
    }
    Exploration exploration = new Exploration();
    try {
      return exploration.run();
    } catch (HangException
        | NotDeterministicException
        | DivergedException
        | TouchedTables.TooLargeException
        | UnreachableException e) {
      return exploration.undecided(String.valueOf(e.getMessage()));
    } finally {
      exploration.close();
    }
  }

  /** The database could not be queried or restored. */
  private static final class UnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnreachableException(String message) {
      super(message);
    }
  }

  private final class Exploration {
    private final Map<String, Place> places = new LinkedHashMap<>();
    private final GatedProgram program =
        new GatedProgram(operations, this::restore, this::blocked, this::before, limit);

    private final Set<Result.Comparable> serial = new HashSet<>();

    /** Those in which some operations alone were executed, by the operations. */
    private final Map<Long, Set<Map<String, List<List<String>>>>> serialOfSome = new HashMap<>();

    private final BitSet volatileOutcomes = new BitSet();
    private Map<String, BitSet> volatileColumns = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();
    private int executions;
    private int refused;
    private @Nullable Interleaved race;

    /** One database that operations use. */
    private record Place(TouchedTables tables, WaitMonitor waits) {}

    Interleaved run() throws InterruptedException {
      String unfit = executeInSeries();
      if (!unfit.isEmpty()) {
        return undecided(unfit);
      }
      Explorer explorer = new Explorer(program, maxPreemptions, maxExecutions);
      Explorer.End end =
          explorer.explore(
              execution -> {
                executions++;
                race = judge();
                return race == null;
              });
      Interleaved found = race;
      if (found != null) {
        return found;
      }
      if (program.hasBlockedInProcess()) {
        return undecided(
            "an operation has waited in this process, not in the DBMS, while another one could go"
                + " on: for a lock, or for a connection of a pool that is too small");
      }
      if (refused > 0) {
        notes.add(
            refused
                + " of "
                + executions
                + " orders end with an operation that throws, and leaves nothing behind: a"
                + " deadlock, or a conflict that it has noticed");
      }
      return switch (end) {
        case ALL -> safe("every order gives what an order of whole operations gives");
        case ALL_WITHIN_BOUND ->
            safe(
                "every order with at most "
                    + maxPreemptions
                    + " preemptions gives what an order of whole operations gives");
        case TOO_MANY, STOPPED ->
            undecided("there are more than " + maxExecutions + " orders to be executed");
      };
    }

    private Interleaved safe(String reason) {
      return new Interleaved(Verdict.SAFE, reason, executions, List.of(), notes);
    }

    Interleaved undecided(String reason) {
      return new Interleaved(Verdict.UNDECIDED, reason, executions, List.of(), notes);
    }

    // -------------------------------------------------------------- orders of whole operations

    /** Executes the operations one after the other; returns why that is no basis for a verdict. */
    private String executeInSeries() throws InterruptedException {
      List<List<Integer>> orders = permutations(operations.size());
      Map<List<Integer>, Result> results = new LinkedHashMap<>();
      for (List<Integer> order : orders) {
        results.put(order, execute(order));
      }
      if (places.isEmpty()) {
        return "no call of an operation has reached a watched connection";
      }
      Result again = execute(orders.get(0));
      Result first = Objects.requireNonNull(results.get(orders.get(0)));
      volatileColumns = generatedColumns();
      again
          .rows()
          .differingColumns(first.rows())
          .forEach(
              (table, columns) ->
                  volatileColumns.computeIfAbsent(table, one -> new BitSet()).or(columns));
      for (int i = 0; i < operations.size(); i++) {
        if (!outcome(first, i).equals(outcome(again, i))) {
          volatileOutcomes.set(i);
        }
      }
      if (!comparable(first).equals(comparable(again))) {
        return "the operations are not deterministic: one after the other, executed twice, they"
            + " give "
            + shown(first)
            + " and "
            + shown(again);
      }
      for (Result result : results.values()) {
        serial.add(comparable(result));
      }
      return "";
    }

    private String outcome(Result result, int operation) {
      return result.comparable(Map.of(), new BitSet()).outcomes().get(operation);
    }

    private Result.Comparable comparable(Result result) {
      return result.comparable(volatileColumns, volatileOutcomes);
    }

    private String shown(Result result) {
      Result.Comparable comparable = comparable(result);
      return comparable.outcomes() + " and " + comparable.rows();
    }

    private Map<String, BitSet> generatedColumns() {
      Map<String, BitSet> all = new TreeMap<>();
      places.forEach(
          (place, one) ->
              one.tables()
                  .generated()
                  .forEach((table, columns) -> all.put(place + " " + table, columns)));
      return all;
    }

    /** Executes whole operations in an order; those that are not in it are not executed. */
    private Result execute(List<Integer> order) throws InterruptedException {
      GatedProgram some =
          order.size() == operations.size()
              ? program
              : new GatedProgram(
                  order.stream().map(operations::get).toList(),
                  this::restore,
                  this::blocked,
                  this::before,
                  limit);
      List<Integer> numbers =
          order.size() == operations.size()
              ? order
              : java.util.stream.IntStream.range(0, order.size()).boxed().toList();
      some.execute(
          (step, enabled, last) ->
              numbers.stream().filter(one -> (enabled >> one & 1) != 0).findFirst().orElseThrow());
      return new Result(some.outcomes(), rows());
    }

    private List<List<Integer>> permutations(int size) {
      List<List<Integer>> all = new ArrayList<>();
      permute(new ArrayList<>(), (1L << size) - 1, all);
      return all;
    }

    private void permute(List<Integer> begun, long rest, List<List<Integer>> all) {
      if (rest == 0) {
        all.add(List.copyOf(begun));
      }
      for (long bits = rest; bits != 0; bits &= bits - 1) {
        int next = Long.numberOfTrailingZeros(bits);
        begun.add(next);
        permute(begun, rest & ~(1L << next), all);
        begun.remove(begun.size() - 1);
      }
    }

    // -------------------------------------------------------------- the verdict on an order

    private @Nullable Interleaved judge() {
      Result result = new Result(program.outcomes(), rows());
      List<String> lines = program.lines();
      for (Invariant invariant : invariants) {
        String broken = broken(invariant);
        if (!broken.isEmpty()) {
          return new Interleaved(Verdict.RACE, broken, executions, lines, notes);
        }
      }
      Result.Comparable comparable = comparable(result);
      if (serial.contains(comparable)) {
        return null;
      }
      if (isSerialOfTheOthers(result, comparable)) {
        refused++;
        return null;
      }
      return new Interleaved(
          Verdict.RACE,
          "no order of whole operations gives " + difference(result),
          executions,
          lines,
          notes);
    }

    private String broken(Invariant invariant) {
      try {
        return invariant.holds().call() ? "" : invariant.name() + " does not hold";
      } catch (Exception e) {
        return invariant.name() + " does not hold: " + e.getMessage();
      }
    }

    /** True if the operations that have thrown have left nothing behind. */
    private boolean isSerialOfTheOthers(Result result, Result.Comparable comparable) {
      long returned = result.returned();
      if (returned == (1L << operations.size()) - 1) {
        return false;
      }
      Set<Map<String, List<List<String>>>> expected =
          serialOfSome.computeIfAbsent(returned, this::rowsOf);
      return expected.contains(comparable.rows());
    }

    /** The rows that some operations lead to, one after the other, in any order. */
    private Set<Map<String, List<List<String>>>> rowsOf(long some) {
      Set<Map<String, List<List<String>>>> all = new HashSet<>();
      List<List<Integer>> orders = new ArrayList<>();
      permute(new ArrayList<>(), some, orders);
      try {
        for (List<Integer> order : orders) {
          if (order.isEmpty()) {
            restore();
            all.add(rows().comparable(volatileColumns));
          } else {
            all.add(execute(order).rows().comparable(volatileColumns));
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return all;
    }

    /** What an execution has led to, and what whole operations lead to instead. */
    private String difference(Result result) {
      Result.Comparable found = comparable(result);
      boolean isSameOutcome =
          serial.stream().anyMatch(one -> one.outcomes().equals(found.outcomes()));
      Set<String> tables = new TreeSet<>();
      for (Result.Comparable one : serial) {
        if (!isSameOutcome || one.outcomes().equals(found.outcomes())) {
          one.rows().keySet().stream()
              .filter(table -> !Objects.equals(one.rows().get(table), found.rows().get(table)))
              .forEach(tables::add);
        }
      }
      Set<String> expected = new TreeSet<>();
      serial.forEach(one -> expected.add(words(one, tables)));
      return words(found, tables)
          + "; one after the other they give "
          + String.join(", or ", expected);
    }

    /** The outcomes, and the rows of tables, in words. */
    private String words(Result.Comparable result, Set<String> tables) {
      List<String> parts = new ArrayList<>();
      for (int i = 0; i < operations.size(); i++) {
        String outcome = result.outcomes().get(i);
        parts.add(
            operations.get(i).name()
                + (outcome.startsWith(Result.THROWS)
                    ? " " + outcome
                    : outcome.equals("null") ? " returns" : " returns " + outcome));
      }
      for (String table : tables) {
        parts.add(
            table.substring(table.lastIndexOf(' ') + 1)
                + " has "
                + String.valueOf(result.rows().get(table)));
      }
      return "{" + String.join(", ", parts) + "}";
    }

    // -------------------------------------------------------------- the databases

    private void before(GatedCall call) {
      GatedConnection connection = call.connection();
      Place place = places.computeIfAbsent(connection.database().place(), key -> open(connection));
      try {
        for (GatedCall.Statement statement : call.statements()) {
          for (AccessedColumns.OfTable table :
              AccessedColumns.parse(statement.columns()).tables()) {
            place.tables().touch(table.table());
          }
        }
      } catch (SQLException e) {
        throw new UnreachableException("a table that is touched cannot be read: " + e.getMessage());
      }
    }

    private Place open(GatedConnection connection) {
      Product product = connection.database().product();
      InterleavedProduct room =
          InterleavedProducts.find(product)
              .orElseThrow(
                  () ->
                      new UnreachableException(
                          "operations are not interleaved on " + product.displayName()));
      try {
        return new Place(
            new TouchedTables(connection.openAnother(), room, MAX_ROWS),
            room.monitor(connection.openAnother()));
      } catch (SQLException e) {
        throw new UnreachableException(
            "two further connections to the database are needed: " + e.getMessage());
      }
    }

    private Set<Long> blocked() {
      Set<Long> all = new HashSet<>();
      try {
        for (Place place : places.values()) {
          all.addAll(place.waits().waitGraph().keySet());
        }
      } catch (SQLException e) {
        throw new UnreachableException("lock waits cannot be read: " + e.getMessage());
      }
      return all;
    }

    private void restore() {
      Runnable own = reset;
      if (own != null) {
        own.run();
        return;
      }
      try {
        for (Place place : places.values()) {
          place.tables().restore();
        }
      } catch (SQLException e) {
        throw new UnreachableException(
            "the tables cannot be restored (" + e.getMessage() + "): give a reset of your own");
      }
    }

    private TouchedRows rows() {
      Map<String, List<List<String>>> all = new TreeMap<>();
      try {
        for (Map.Entry<String, Place> entry : places.entrySet()) {
          entry
              .getValue()
              .tables()
              .rows()
              .byTable()
              .forEach((table, rows) -> all.put(entry.getKey() + " " + table, rows));
        }
      } catch (SQLException e) {
        throw new UnreachableException("the tables cannot be read: " + e.getMessage());
      }
      finalReads.forEach((name, read) -> all.put(name, finalRows(name, read)));
      return new TouchedRows(all);
    }

    private List<List<String>> finalRows(String name, Callable<List<List<String>>> read) {
      try {
        return read.call();
      } catch (Exception e) {
        throw new UnreachableException(
            "the final state cannot be read by " + name + ": " + e.getMessage());
      }
    }

    void close() {
      for (Place place : places.values()) {
        try {
          place.tables().close();
          place.waits().close();
        } catch (SQLException e) {
          // Closing is all that was left to do.
        }
      }
    }
  }
}
