package io.txwatch.interleave;

import io.txwatch.interleave.state.RowIdentities;
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
import java.util.stream.IntStream;

/**
 * What operations give one after the other, in each order: what every other order is compared with.
 * For one thread.
 */
final class SerialOrders {

  private final List<String> names;
  private final int operations;
  private final Executor executor;
  private final Set<Result.Comparable> results = new HashSet<>();

  /** The results where some operations alone were executed, by the operations. */
  private final Map<Long, Map<List<Integer>, Result>> ofSome = new HashMap<>();

  /** The tables that were touched. */
  private Set<String> tables = Set.of();

  private final BitSet volatileOutcomes = new BitSet();
  private Map<String, BitSet> volatileColumns = new TreeMap<>();

  /** The tables with such columns whose values the DBMS does not make up. */
  private final Set<String> withVolatileColumns = new TreeSet<>();

  /** Which keys are known, as {@link #results} was computed. */
  private RowIdentities identities = RowIdentities.NONE;

  /** What each order gave when it was executed first. */
  private Map<List<Integer>, Result> executed = Map.of();

  /** True if each order was executed twice. */
  private boolean isRepeated;

  /** Executes operations. */
  interface Executor {
    /** Executes whole operations in an order; those that are not in it are not executed. */
    Result execute(List<Integer> order) throws InterruptedException;

    /** The columns whose values the DBMS makes up, by table. */
    Map<String, BitSet> generatedColumns();

    /** Which keys are known by now. */
    RowIdentities identities();
  }

  /**
   * Nothing is executed yet.
   *
   * @param names of the operations
   */
  SerialOrders(List<String> names, Executor executor) {
    this.names = names;
    this.operations = names.size();
    this.executor = executor;
  }

  /**
   * Executes each order, and the first one twice.
   *
   * @return in what two executions of that order differ, in words; or nothing
   */
  String execute() throws InterruptedException {
    Map<List<Integer>, Result> all = new LinkedHashMap<>();
    do {
      // The results before it lack a table that an order is the first to touch.
      for (List<Integer> order : orders((1L << operations) - 1)) {
        Result result = executor.execute(order);
        all.put(order, result);
        tables = result.rows().tables();
      }
    } while (!all.values().stream().allMatch(this::haveTablesOf));
    executed = all;
    isRepeated = false;
    volatileColumns = executor.generatedColumns();
    List<Integer> natural = IntStream.range(0, operations).boxed().toList();
    return repeat(natural, Objects.requireNonNull(all.get(natural)));
  }

  /**
   * Executes each order twice, unless that was done: a value that differs from execution to
   * execution may be written, or returned, in an order other than the first one alone.
   *
   * @return in what two executions of an order differ, in words; or nothing
   */
  String repeat() throws InterruptedException {
    if (!isRepeated) {
      isRepeated = true;
      for (Map.Entry<List<Integer>, Result> order : executed.entrySet()) {
        String differing = repeat(order.getKey(), order.getValue());
        if (!differing.isEmpty()) {
          return differing;
        }
      }
    }
    return "";
  }

  private String repeat(List<Integer> order, Result first) throws InterruptedException {
    Result again = executor.execute(order);
    identities = executor.identities();
    again
        .rows()
        .differingColumns(first.rows(), volatileColumns)
        .forEach(
            (table, columns) -> {
              BitSet known = volatileColumns.computeIfAbsent(table, one -> new BitSet());
              columns.andNot(known);
              known.or(columns);
              columns.andNot(identities.columns(table)); // keys are compared up to renaming
              if (!columns.isEmpty()) {
                withVolatileColumns.add(table);
              }
            });
    for (int i = 0; i < operations; i++) {
      if (!first.outcome(i).equals(again.outcome(i))) {
        volatileOutcomes.set(i);
      }
    }
    if (!comparable(first).equals(comparable(again))) {
      return new Difference(List.of(comparable(first)), names).of(comparable(again));
    }
    ofSome.clear();
    compareAnew();
    return "";
  }

  private void compareAnew() {
    results.clear();
    executed.values().forEach(result -> results.add(comparable(result)));
  }

  /** Keys that were known may be no longer, if the last reset has generated others. */
  private void useLatestKeys() {
    RowIdentities latest = executor.identities();
    if (!latest.equals(identities)) {
      identities = latest;
      compareAnew();
    }
  }

  /** The tables with columns that differ when the same order is executed again. */
  Set<String> withVolatileColumns() {
    return withVolatileColumns;
  }

  /** The operations that return something else when the same order is executed again. */
  List<String> withVolatileOutcomes() {
    return volatileOutcomes.stream().mapToObj(names::get).toList();
  }

  private Result.Comparable comparable(Result result) {
    return result.comparable(volatileColumns, volatileOutcomes, identities);
  }

  /** True if a result has no other tables than those of the orders that were executed. */
  boolean haveTablesOf(Result result) {
    return tables.equals(result.rows().tables());
  }

  /** True if an order gives this. */
  boolean contain(Result result) {
    useLatestKeys();
    return results.contains(comparable(result));
  }

  /** In what a result differs from those of all orders, in words. */
  String difference(Result result) {
    return new Difference(results, names).of(comparable(result));
  }

  /**
   * True if some operations have thrown, and the others lead to the same results and rows alone, in
   * an order.
   */
  boolean isOfTheOthers(Result result) throws InterruptedException {
    long returned = result.returned();
    if (returned == (1L << operations) - 1) {
      return false;
    }
    Map<List<Integer>, Result> executedAlone = ofSome.get(returned);
    if (executedAlone == null) {
      executedAlone = new LinkedHashMap<>();
      for (List<Integer> order : orders(returned)) {
        executedAlone.put(order, executor.execute(order));
      }
      ofSome.put(returned, executedAlone);
    }
    useLatestKeys();
    Set<Result.Comparable> expected = new HashSet<>();
    executedAlone.forEach(
        (order, alone) -> expected.add(comparableAlone(order, alone, numbers(returned))));
    Result.Comparable found = comparable(result);
    List<String> outcomes = numbers(returned).stream().map(found.outcomes()::get).toList();
    return expected.contains(new Result.Comparable(outcomes, found.rows()));
  }

  /** What is compared of an execution of some operations alone. */
  private Result.Comparable comparableAlone(
      List<Integer> order, Result alone, List<Integer> operationsOfIt) {
    List<String> outcomes = new ArrayList<>();
    for (int operation : operationsOfIt) {
      String outcome = alone.outcome(order.indexOf(operation));
      outcomes.add(volatileOutcomes.get(operation) ? Result.masked(outcome) : outcome);
    }
    return new Result.Comparable(outcomes, alone.rows().comparable(volatileColumns, identities));
  }

  private List<Integer> numbers(long some) {
    return IntStream.range(0, operations).filter(i -> (some >> i & 1) != 0).boxed().toList();
  }

  /** The orders of some operations, which are given as bits. */
  private static List<List<Integer>> orders(long some) {
    List<List<Integer>> all = new ArrayList<>();
    addOrders(List.of(), some, all);
    return all;
  }

  private static void addOrders(List<Integer> begun, long rest, List<List<Integer>> all) {
    if (rest == 0) {
      all.add(begun);
    }
    for (long bits = rest; bits != 0; bits &= bits - 1) {
      int next = Long.numberOfTrailingZeros(bits);
      List<Integer> longer = new ArrayList<>(begun);
      longer.add(next);
      addOrders(longer, rest & ~(1L << next), all);
    }
  }
}
