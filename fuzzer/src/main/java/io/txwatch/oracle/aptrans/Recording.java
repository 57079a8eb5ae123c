package io.txwatch.oracle.aptrans;

import io.txwatch.dbms.WriteRecording;
import io.txwatch.dbms.WriteRecording.WriteForm;
import io.txwatch.oracle.aptrans.RecordedCase.WriteResult;
import io.txwatch.pattern.PatternOperation.Type;
import io.txwatch.pattern.RecordedOperation;
import io.txwatch.pattern.RecordedOperation.Access;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.syntax.Span;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations of an execution: what its transactions read and wrote, in which versions, and how
 * they ended.
 *
 * <p>The order of the versions of a row is that of the logged writes, each of which knows the
 * version that it replaced. A rolled-back write is not in the log; if another transaction has read
 * its version, the version shows the step that wrote it.
 */
final class Recording {

  private final RecordedCase recorded;
  private final CaseExecution execution;
  private final WriteRecording dialect;
  private final boolean writesMayHideRows;

  /** By the id of a step, its transaction. */
  private final Map<Integer, String> transactions = new HashMap<>();

  /** By the id of a step, its place in the order of completion. */
  private final Map<Integer, Integer> moments = new HashMap<>();

  private final Map<String, VersionOrder> rows = new LinkedHashMap<>();
  private final Map<String, List<Integer>> orders = new HashMap<>();

  /** The rows whose order the log does not give: nothing is derived from them. */
  private final Set<String> unclear = new HashSet<>();

  private final List<RecordedOperation> operations = new ArrayList<>();

  private Recording(
      RecordedCase recorded,
      CaseExecution execution,
      WriteRecording dialect,
      boolean writesMayHideRows) {
    this.recorded = recorded;
    this.execution = execution;
    this.dialect = dialect;
    this.writesMayHideRows = writesMayHideRows;
  }

  /**
   * What an execution has recorded.
   *
   * @param writesMayHideRows {@link io.txwatch.rules.DbmsRules#writesMayHideRows}, at its level
   */
  static Recording of(
      RecordedCase recorded,
      CaseExecution execution,
      WriteRecording dialect,
      boolean writesMayHideRows) {
    Recording recording = new Recording(recorded, execution, dialect, writesMayHideRows);
    recording.collectTransactions();
    recording.collectWrites();
    recording.addWrites();
    recording.addReads();
    recording.addSequences();
    recording.addSnapshots();
    recording.operations.sort(Comparator.comparingInt(RecordedOperation::moment));
    return recording;
  }

  /** The operations in the order of their moments. */
  List<RecordedOperation> operations() {
    return operations;
  }

  /** Why the recorded writes are not all writes; empty if the final rows have their versions. */
  Optional<String> gap() {
    Set<String> alive = new HashSet<>();
    int reads = execution.finalReads().size();
    int first = dialect.hasLog() ? 1 : 0;
    for (int i = first; i < reads; i++) {
      String table = recorded.tables().get(i - first);
      for (List<@Nullable Object> row : execution.finalReads().get(i).rows()) {
        String item = item(table, row.get(0));
        alive.add(item);
        List<Integer> order = orders.getOrDefault(item, List.of(0));
        Object version = row.get(1);
        if (!unclear.contains(item)
            && (version == null || order.get(order.size() - 1) != number(version))) {
          return Optional.of("the last write of a row of " + table + " was not recorded");
        }
      }
    }
    for (Map.Entry<String, List<Integer>> order : orders.entrySet()) {
      int last = order.getValue().get(order.getValue().size() - 1);
      if (last >= 0 && !alive.contains(order.getKey())) {
        return Optional.of("the deletion of a row was not recorded");
      }
    }
    return Optional.empty();
  }

  private void collectTransactions() {
    for (int i = 0; i < execution.order().size(); i++) {
      moments.putIfAbsent(execution.order().get(i), 2 * i);
    }
    int number = 0;
    for (ExecutedTransaction transaction : execution.transactions()) {
      String name = transaction.session() + "#" + ++number;
      transaction.steps().forEach(step -> transactions.put(step.id(), name));
      Step last = transaction.steps().get(transaction.steps().size() - 1);
      boolean isOpen =
          transaction.explicit()
              && last.role() == Step.Role.WORK
              && execution.outcome(last).succeeded();
      operations.add(
          new RecordedOperation(
              transaction.committed() ? Type.COMMIT : Type.ABORT,
              name,
              "",
              0,
              isOpen ? Integer.MAX_VALUE : moment(last.id()) + 1,
              last.id(),
              Access.PLAIN));
    }
  }

  private int moment(int step) {
    return moments.getOrDefault(step, Integer.MAX_VALUE - 1);
  }

  private void collectWrites() {
    if (dialect.hasLog()) {
      for (List<@Nullable Object> entry : execution.finalReads().get(0).rows()) {
        int step = number(entry.get(0));
        Object replaced = entry.get(3);
        if (step > 0) {
          row(String.valueOf(entry.get(1)), entry.get(2))
              .add(
                  new VersionOrder.Write(
                      step,
                      replaced == null ? VersionOrder.UNBORN : number(replaced),
                      number(entry.get(4)) == 1));
        }
      }
      return;
    }
    Set<Integer> committed = new HashSet<>();
    for (ExecutedTransaction transaction : execution.transactions()) {
      if (transaction.committed()) {
        transaction.steps().forEach(step -> committed.add(step.id()));
      }
    }
    for (Map.Entry<Integer, WriteResult> write : recorded.writes().entrySet()) {
      StepOutcome outcome = execution.outcome(write.getKey());
      if (outcome.succeeded() && committed.contains(write.getKey())) {
        collectResult(write.getKey(), write.getValue(), outcome);
      }
    }
  }

  private void collectResult(int step, WriteResult write, StepOutcome outcome) {
    for (List<@Nullable Object> result : outcome.rows()) {
      row(write.table(), result.get(0))
          .add(
              new VersionOrder.Write(
                  step,
                  write.form() == WriteForm.INSERT ? VersionOrder.UNBORN : number(result.get(1)),
                  write.form() == WriteForm.DELETE));
    }
  }

  private VersionOrder row(String table, @Nullable Object id) {
    return rows.computeIfAbsent(item(table, id), item -> new VersionOrder());
  }

  private static String item(String table, @Nullable Object id) {
    return table.toLowerCase(Locale.ROOT) + " " + id;
  }

  private static int number(@Nullable Object value) {
    return Integer.parseInt(String.valueOf(Objects.requireNonNull(value)));
  }

  private void addWrites() {
    rows.forEach(
        (item, row) -> {
          Optional<List<Integer>> versions = row.versions();
          if (versions.isEmpty()) {
            unclear.add(item);
            return;
          }
          orders.put(item, versions.get());
          for (VersionOrder.Write write : row.writes()) {
            operations.add(
                operation(
                    Type.WRITE,
                    write.step(),
                    item,
                    versions.get().indexOf(write.version()),
                    Access.PLAIN));
          }
        });
  }

  private RecordedOperation operation(
      Type type, int step, String item, int version, Access access) {
    return new RecordedOperation(
        type, transactions.getOrDefault(step, "?"), item, version, moment(step), step, access);
  }

  private void addReads() {
    for (Map.Entry<Integer, ReadForm> read : recorded.reads().entrySet()) {
      StepOutcome outcome = execution.outcome(read.getKey());
      int statement = RecordedCase.statementOf(read.getKey());
      if (outcome.succeeded() && execution.outcome(statement).succeeded()) {
        addRead(read.getKey(), read.getValue(), outcome);
      }
    }
  }

  private void addRead(int step, ReadForm form, StepOutcome outcome) {
    boolean isLocking = StatementText.locksRows(outcome.step().sql());
    Set<String> seen = new HashSet<>();
    int width = outcome.columns().size();
    int first = width - 2 * form.tables().size();
    for (List<@Nullable Object> row : outcome.rows()) {
      for (int i = 0; i < form.tables().size(); i++) {
        Object id = row.get(first + 2 * i);
        Object version = row.get(first + 2 * i + 1);
        if (id != null && version != null) {
          String item = item(form.tables().get(i), id);
          if (seen.add(item + " " + version)) {
            addReadOf(step, item, number(version), isLocking ? Access.LOCKING : Access.PLAIN);
          }
          seen.add(item);
        }
      }
    }
    if (form.isWholeTable() && (isLocking || !mayHideRows(step))) {
      addAbsentRows(step, form.tables().get(0), seen, isLocking);
    }
  }

  private void addReadOf(int step, String item, int version, Access access) {
    if (unclear.contains(item)) {
      return;
    }
    List<Integer> order = orders.getOrDefault(item, List.of(0));
    int position = order.indexOf(version);
    if (position >= 0) {
      operations.add(operation(Type.READ, step, item, position, access));
      return;
    }
    // The version of a write that was rolled back; even numbers, so that none follows another.
    int number = -2 * version;
    RecordedOperation write = operation(Type.WRITE, version, item, number, Access.PLAIN);
    if (!operations.contains(write)) {
      operations.add(write);
    }
    operations.add(operation(Type.READ, step, item, number, access));
  }

  /** Whether its transaction may have hidden rows of its snapshot from a step: it wrote before. */
  private boolean mayHideRows(int step) {
    if (writesMayHideRows) {
      for (int before : execution.order()) {
        if (before == step) {
          return false;
        }
        if (Objects.equals(transactions.get(before), transactions.get(step))
            && SqlText.of(execution.outcome(before).step().sql()).write().isPresent()) {
          return true;
        }
      }
    }
    return false;
  }

  /** A row of the table that was not returned: it did not exist yet, or no longer. */
  private void addAbsentRows(int step, String table, Set<String> seen, boolean isLocking) {
    Access access = isLocking ? Access.ABSENT_LOCKING : Access.ABSENT;
    orders.forEach(
        (item, order) -> {
          if (!item.startsWith(item(table, "")) || seen.contains(item)) {
            return;
          }
          boolean isBorn = order.get(0) == VersionOrder.UNBORN;
          boolean isDead = order.get(order.size() - 1) < VersionOrder.UNBORN;
          if (isBorn != isDead) {
            operations.add(operation(Type.READ, step, item, isBorn ? 0 : order.size() - 1, access));
          }
        });
  }

  /** Each INSERT into a table with generated values draws from its sequence. */
  private void addSequences() {
    Map<String, Integer> drawn = new HashMap<>();
    for (int id : execution.order()) {
      Step step = execution.outcome(id).step();
      for (Map.Entry<String, String> sequence : recorded.sequences().entrySet()) {
        if (execution.outcome(id).succeeded()
            && draws(step.sql(), sequence.getKey(), sequence.getValue())) {
          int version = drawn.merge(sequence.getKey(), 1, Integer::sum);
          operations.add(
              operation(Type.DRAW, id, "sequence of " + sequence.getKey(), version, Access.PLAIN));
        }
      }
    }
  }

  private static boolean draws(String sql, String table, String column) {
    SqlText text = SqlText.of(sql);
    return text.write()
        .filter(write -> write.is("INSERT") && write.table().equalsIgnoreCase(table))
        .map(write -> write.name().to())
        .filter(text.tokens()::isOpen)
        .map(open -> text.names(new Span(open, text.tokens().next(open))))
        .filter(columns -> !columns.contains(column.toLowerCase(Locale.ROOT)))
        .isPresent();
  }

  /** The first operation of each transaction that takes its snapshot. */
  private void addSnapshots() {
    if (!dialect.hasSnapshots(execution.level())) {
      return;
    }
    Set<String> done = new HashSet<>();
    for (int id : execution.order()) {
      StepOutcome outcome = execution.outcome(id);
      String transaction = transactions.get(id);
      if (transaction != null
          && outcome.succeeded()
          && takesSnapshot(outcome.step())
          && done.add(transaction)) {
        operations.add(operation(Type.SNAPSHOT, id, "", 0, Access.PLAIN));
      }
    }
  }

  private boolean takesSnapshot(Step step) {
    if (step.role() == Step.Role.BEGIN) {
      return SqlText.of(step.sql()).has("WITH", "CONSISTENT", "SNAPSHOT")
          && !dialect.takesSnapshotAtFirstStatement();
    }
    if (step.role() != Step.Role.WORK) {
      return false;
    }
    return dialect.takesSnapshotAtFirstStatement()
        || recorded.reads().containsKey(step.id()) && !StatementText.locksRows(step.sql());
  }
}
