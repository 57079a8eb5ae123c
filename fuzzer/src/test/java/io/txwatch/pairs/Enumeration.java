package io.txwatch.pairs;

import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.interleave.run.GatedProgram;
import io.txwatch.interleave.run.Operation;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.jdbc.gate.GatedConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Executes all orders of the calls of a pair, without reduction and without a bound, and compares
 * each with what the operations give one after the other. Nothing of the interleaver's own
 * decisions is used: neither which calls conflict, nor how results are compared.
 */
final class Enumeration implements AutoCloseable {

  private final PairDatabase database;
  private final GatedProgram program;
  private final Set<String> serial = new HashSet<>();
  private final List<Set<String>> alone = new ArrayList<>();
  private final String untouched;
  private @Nullable WaitMonitor waits;

  private final List<String> races = new ArrayList<>();
  private int executions;
  private int calls;

  Enumeration(PairDatabase database) throws SQLException {
    this.database = database;
    program =
        new GatedProgram(
            List.of(
                new Operation("A", database.operation(0)),
                new Operation("B", database.operation(1))),
            this::reset,
            this::blocked,
            call -> open(call.connection()),
            Duration.ofSeconds(20));
    for (int first = 0; first < 2; first++) {
      reset();
      String[] outcomes = new String[2];
      outcomes[first] = outcome(first);
      alone.add(Set.of(outcomes[first] + " " + database.rows()));
      outcomes[1 - first] = outcome(1 - first);
      serial.add(outcomes[0] + " " + outcomes[1] + " " + database.rows());
    }
    reset();
    untouched = database.rows();
  }

  private String outcome(int operation) {
    try {
      return String.valueOf(database.operation(operation).call());
    } catch (Exception e) {
      return "throws " + e.getClass().getName();
    }
  }

  private void reset() {
    try {
      database.reset();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Set<Long> blocked() {
    try {
      return waits == null ? Set.of() : waits.waitGraph().keySet();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void open(GatedConnection connection) {
    if (waits == null) {
      try {
        waits =
            InterleavedProducts.find(connection.database().product())
                .orElseThrow()
                .monitor(connection.openAnother());
        waits.expectTableLocks(true);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** How many orders there are. */
  int executions() {
    return executions;
  }

  /** The most calls of an order. */
  int calls() {
    return calls;
  }

  /** One that gives what no order of whole operations gives; empty if there is none. */
  Optional<String> race() {
    return races.stream().findFirst();
  }

  /** How many do. */
  int races() {
    return races.size();
  }

  Enumeration run() throws Exception {
    List<long[]> path = new ArrayList<>(); // chosen, those that are still to be tried, enabled
    do {
      program.execute((step, enabled, last) -> next(path, step, enabled));
      executions++;
      calls = Math.max(calls, path.size());
      judge();
      while (!path.isEmpty() && path.get(path.size() - 1)[1] == 0) {
        path.remove(path.size() - 1);
      }
      if (!path.isEmpty()) {
        long[] node = path.get(path.size() - 1);
        node[0] = Long.numberOfTrailingZeros(node[1]);
        node[1] &= node[1] - 1;
      }
    } while (!path.isEmpty());
    return this;
  }

  /** The same order has led to other calls. */
  private static final class DivergedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DivergedException(int step, long before, long now) {
      super("before call " + step + ", " + now + " can go on and not " + before + " as before");
    }
  }

  private static int next(List<long[]> path, int step, long enabled) {
    if (step == path.size()) {
      int first = Long.numberOfTrailingZeros(enabled);
      path.add(new long[] {first, enabled & ~(1L << first), enabled});
    } else if (path.get(step)[2] != enabled) {
      throw new DivergedException(step, path.get(step)[2], enabled);
    }
    return (int) path.get(step)[0];
  }

  private void judge() throws SQLException {
    List<String> outcomes = new ArrayList<>();
    for (GatedProgram.Outcome outcome : program.outcomes()) {
      Throwable thrown = outcome.thrown();
      outcomes.add(
          thrown == null
              ? String.valueOf(outcome.returned())
              : "throws " + thrown.getClass().getName());
    }
    String rows = database.rows();
    if (!isSerial(outcomes, rows)) {
      races.add(outcomes + " " + rows + "\n  " + String.join("\n  ", program.lines()));
    }
  }

  /** True if an order of whole operations gives this, without those that have thrown perhaps. */
  boolean isSerial(List<String> outcomes, String rows) {
    boolean firstThrew = outcomes.get(0).startsWith("throws ");
    boolean secondThrew = outcomes.get(1).startsWith("throws ");
    return serial.contains(outcomes.get(0) + " " + outcomes.get(1) + " " + rows)
        || (firstThrew && secondThrew && rows.equals(untouched))
        || (secondThrew && alone.get(0).contains(outcomes.get(0) + " " + rows))
        || (firstThrew && alone.get(1).contains(outcomes.get(1) + " " + rows));
  }

  @Override
  public void close() throws SQLException {
    if (waits != null) {
      waits.close();
    }
  }
}
