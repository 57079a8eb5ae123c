package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.StatementTrace.Form;
import io.txwatch.oracle.txcheck.StatementTrace.TransactionSpan;
import io.txwatch.oracle.txcheck.TracedVersion.Row;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns an execution and the reads around its statements into the traces of its committed
 * statements. Follows the order of completion and computes the current versions: those that are
 * committed, and those of the own transaction.
 */
final class TraceBuilder {

  private final CaseExecution execution;
  private final SideReadProbe reads;
  private final Instrumentation instrumentation;
  private final SchemaLinks links;
  private final ReadPolicy policy;

  /** True if a write uses what a plain query of its transaction sees, as the paper assumes. */
  private final boolean writesUseSnapshot;

  private final Map<Row, TracedVersion> committed = new HashMap<>();
  private final Map<String, OpenTransaction> open = new HashMap<>();
  private final List<StatementTrace> traces = new ArrayList<>();
  private int transactions;
  private int position;

  /** A transaction while it is open. */
  private static final class OpenTransaction {
    private final int begin;
    private final List<Draft> statements = new ArrayList<>();
    private final Map<String, Integer> savepoints = new LinkedHashMap<>();

    OpenTransaction(int begin) {
      this.begin = begin;
    }
  }

  /** A statement whose transaction has not committed. */
  private record Draft(
      Step step,
      Form form,
      int position,
      Set<TracedVersion> read,
      List<TracedVersionSet> versionSets,
      List<RowWrite> writes,
      boolean judgesRowsSeparately) {}

  TraceBuilder(
      CaseExecution execution,
      SideReadProbe reads,
      Instrumentation instrumentation,
      ReadPolicy policy,
      boolean writesUseSnapshot) {
    this.execution = execution;
    this.reads = reads;
    this.instrumentation = instrumentation;
    this.policy = policy;
    this.writesUseSnapshot = writesUseSnapshot;
    this.links = new SchemaLinks(execution.testCase().setup(), instrumentation.tables());
    reads.initial().values().forEach(committed::putAll);
  }

  /** The traces in the order of execution. */
  List<StatementTrace> build() {
    for (int id : execution.order()) {
      position++;
      add(execution.outcome(id));
    }
    traces.sort((one, other) -> Integer.compare(one.position(), other.position()));
    return traces;
  }

  private void add(StepOutcome outcome) {
    Step step = outcome.step();
    String session = step.session();
    if (outcome.failure() != null && outcome.failure().endsTransaction()) {
      open.remove(session);
      return;
    }
    switch (step.role()) {
      case BEGIN -> {
        if (outcome.succeeded()) {
          commit(session, open.remove(session));
          open.put(session, new OpenTransaction(position));
        }
      }
      case COMMIT -> {
        if (outcome.succeeded()) {
          commit(session, open.remove(session));
        } else {
          open.remove(session);
        }
      }
      case ROLLBACK -> open.remove(session);
      case WORK -> addWork(outcome);
    }
  }

  private void addWork(StepOutcome outcome) {
    String session = outcome.step().session();
    OpenTransaction transaction = open.get(session);
    ParsedStatement statement = ParsedStatement.of(outcome.step().sql());
    if (statement.isSavepoint()) {
      if (transaction != null && outcome.succeeded()) {
        applySavepoint(transaction, outcome.step().sql());
      }
      return;
    }
    if (!hasResult(outcome)) {
      return;
    }
    Draft draft = draft(outcome, statement, transaction);
    if (transaction == null) {
      OpenTransaction single = new OpenTransaction(position);
      single.statements.add(draft);
      commit(session, single);
    } else {
      transaction.statements.add(draft);
    }
  }

  /** True if a statement succeeded, or failed because of the rows that it found. */
  static boolean hasResult(StepOutcome outcome) {
    return outcome.succeeded()
        || (outcome.failure() != null && !outcome.failure().isConcurrencyRelated());
  }

  private static void applySavepoint(OpenTransaction transaction, String sql) {
    SqlText text = SqlText.of(sql);
    String name = text.savepoint();
    switch (text.firstWord()) {
      case "SAVEPOINT" -> transaction.savepoints.put(name, transaction.statements.size());
      case "ROLLBACK" -> {
        int kept = transaction.savepoints.getOrDefault(name, 0);
        transaction
            .statements
            .subList(Math.min(kept, transaction.statements.size()), transaction.statements.size())
            .clear();
      }
      default -> {}
    }
  }

  private void commit(String session, @Nullable OpenTransaction transaction) {
    if (transaction == null) {
      return;
    }
    TransactionSpan span =
        new TransactionSpan(++transactions, session, transaction.begin, position);
    for (Draft draft : transaction.statements) {
      draft.writes().forEach(write -> apply(write, committed));
      traces.add(
          new StatementTrace(
              draft.step(),
              draft.form(),
              span,
              draft.position(),
              draft.read(),
              draft.versionSets(),
              draft.writes(),
              draft.judgesRowsSeparately()));
    }
  }

  private static void apply(RowWrite write, Map<Row, TracedVersion> to) {
    write.written().ifPresentOrElse(now -> to.put(write.row(), now), () -> to.remove(write.row()));
  }

  private Draft draft(
      StepOutcome outcome, ParsedStatement statement, @Nullable OpenTransaction transaction) {
    Step step = outcome.step();
    Set<TracedVersion> read =
        outcome.isQuery() && instrumentation.returnsKeys(step.sql())
            ? new HashSet<>(SideReadProbe.versionsOf(Instrumentation.tableOf(step.sql()), outcome))
            : Set.of();
    return new Draft(
        step,
        statement.form().orElse(Form.UPDATE),
        position,
        read,
        versionSets(step, statement, current(transaction)),
        reads.writes(step.id()),
        writesUseSnapshot && outcome.succeeded() && judgesRowsSeparately(step, statement));
  }

  /** False also if a key, a foreign key or a trigger could relate the rows of its table. */
  private boolean judgesRowsSeparately(Step step, ParsedStatement statement) {
    Optional<String> target = statement.target();
    boolean selectsRows =
        statement.form().equals(Optional.of(Form.DELETE))
            || statement.form().equals(Optional.of(Form.UPDATE))
                && target.filter(table -> !links.assignsKey(step.sql(), table)).isPresent();
    return selectsRows
        && target.isPresent()
        && !statement.hasSubquery()
        && links.named(step.sql()).equals(Set.of(target.get()))
        && links.named(statement.withoutTargetName()).isEmpty()
        && !links.related(target.get()).contains(target.get());
  }

  private Map<Row, TracedVersion> current(@Nullable OpenTransaction transaction) {
    Map<Row, TracedVersion> current = new HashMap<>(committed);
    if (transaction != null) {
      transaction.statements.forEach(
          draft -> draft.writes().forEach(write -> apply(write, current)));
    }
    return current;
  }

  private List<TracedVersionSet> versionSets(
      Step step, ParsedStatement statement, Map<Row, TracedVersion> current) {
    Optional<Map<String, Map<Row, TracedVersion>>> own = reads.seen(step.id());
    Set<String> named = links.named(step.sql());
    Set<String> byTransaction = new HashSet<>();
    Set<String> byCurrent = new HashSet<>();
    boolean snapshot = writesUseSnapshot && own.isPresent();
    if (snapshot || (own.isPresent() && policy.usesTransactionView(statement))) {
      byTransaction.addAll(named);
    }
    if (!snapshot && (own.isEmpty() || policy.usesCurrentVersions(statement))) {
      byCurrent.addAll(named);
    }
    if (statement.isWrite() && !snapshot) {
      addTarget(step, statement, byTransaction, byCurrent);
    }
    List<TracedVersionSet> sets = new ArrayList<>();
    byTransaction.forEach(
        table ->
            sets.add(
                new TracedVersionSet(
                    table,
                    TracedVersionSet.Source.TRANSACTION,
                    own.orElseThrow().getOrDefault(table, Map.of()))));
    byCurrent.forEach(
        table -> {
          Map<Row, TracedVersion> rows = new HashMap<>();
          current.forEach(
              (row, version) -> {
                if (row.table().equals(table)) {
                  rows.put(row, version);
                }
              });
          sets.add(new TracedVersionSet(table, TracedVersionSet.Source.CURRENT, rows));
        });
    return sets;
  }

  /**
   * Keys are checked against the current versions, whatever the snapshot: unique keys against the
   * table itself, foreign keys against the related ones. H2 checks them against its snapshot, too.
   */
  private void addTarget(
      Step step, ParsedStatement statement, Set<String> byTransaction, Set<String> byCurrent) {
    if (statement.target().isEmpty()) {
      byCurrent.addAll(links.named(step.sql()));
      return;
    }
    String target = statement.target().get();
    byCurrent.addAll(links.related(target));
    if (policy.checksKeysInSnapshot()) {
      byTransaction.addAll(links.related(target));
    }
    boolean usesTarget = true;
    if (statement.form().equals(Optional.of(Form.INSERT))) {
      usesTarget =
          policy.checksKeysInSnapshot()
              || links.named(statement.withoutTargetName()).contains(target);
      byCurrent.add(target);
    } else if (statement.form().equals(Optional.of(Form.UPDATE))
        && links.assignsKey(step.sql(), target)) {
      byCurrent.add(target);
    }
    if (!usesTarget) {
      byTransaction.remove(target);
    }
  }
}
