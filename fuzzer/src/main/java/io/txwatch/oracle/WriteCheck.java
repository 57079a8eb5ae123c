package io.txwatch.oracle;

import io.txwatch.dbms.FinalStatePromise;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks write-specific serializability (WriteCheck): concurrent transactions must leave behind the
 * final state of a known serial order, the order in which they commit or roll back (section 3.3).
 *
 * <p>The oracle runs two serial schedules: the committed transactions as a whole (tx-WSS,
 * definition 1) and, unless a transaction has savepoints, their single statements (stmt-WSS,
 * definition 2). Each runs on the same DBMS at the same level. The oracle compares the final state
 * and which statements succeed and, at SERIALIZABLE, the results of queries, where that level
 * really is serializable (section 5.4).
 *
 * <p>The paper reports every difference as a bug, at every level. That is correct where writes lock
 * the rows that they search ({@link FinalStatePromise#ORDER_OF_COMMITS}). Elsewhere a difference is
 * a violation only if nothing that the level permits explains it: no order of the transactions,
 * where the level is serializable by other means ({@link FinalStatePromise#SOME_ORDER}); no order
 * of the single statements, where each has a snapshot of its own ({@link
 * FinalStatePromise#STATEMENTS}). Snapshot isolation permits write skew, which no order explains:
 * there the changes of each transaction on its snapshot may ({@link SnapshotMerge}). If they do
 * not, and the DBMS promises that of two transactions that change the same row one fails, it is a
 * violation; there the update counts must be explained, too, since a lost update has one. Where the
 * DBMS does not promise it, two transactions that changed the same row are reported if that is a
 * known behaviour ({@link io.txwatch.dbms.DbmsBehaviour#reportsConflictingWrites}). Elsewhere it is
 * undecided, unless a single session writes. Nothing but its own statements changes data, so they
 * leave behind what they leave behind alone.
 *
 * <p>If a sequence generates values, the serial schedule generates others: such a case is not
 * supported.
 */
public final class WriteCheck implements Oracle {

  /** The most serial orders that are tried. */
  private static final int MAX_ORDERS = 72;

  /** True if any serial order may explain an execution, whatever the DBMS promises. */
  private final boolean permitsAnyOrder;

  /**
   * Creates the oracle of the paper: where writes lock what they search, commits give the order.
   */
  public WriteCheck() {
    this(false);
  }

  private WriteCheck(boolean permitsAnyOrder) {
    this.permitsAnyOrder = permitsAnyOrder;
  }

  /**
   * Creates an oracle that lets any serial order explain an execution, whatever the DBMS promises:
   * what it reports at SERIALIZABLE has no serial order. An execution with failed statements or
   * savepoints is undecided.
   */
  public static WriteCheck ofAnyOrder() {
    return new WriteCheck(true);
  }

  @Override
  public String name() {
    return OracleKind.WRITECHECK.id();
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (execution.inconclusiveReason().isPresent()) {
      return verdict(Result.UNDECIDED, execution.inconclusiveReason().get());
    }
    if (permitsAnyOrder && execution.outcomes().stream().anyMatch(WriteCheck::mayUndo)) {
      return verdict(
          Result.UNDECIDED, "what was undone may have released locks by design of the DBMS");
    }
    Optional<String> obstacle = UnsupportedCase.of(execution, executor.dbms());
    if (obstacle.isPresent()) {
      return verdict(Result.UNSUPPORTED, obstacle.get());
    }
    return new Trial(execution, executor).verdict();
  }

  private OracleVerdict verdict(Result result, String reason) {
    return new OracleVerdict(name(), result, reason);
  }

  /** Checks one execution. */
  private final class Trial {
    private final CaseExecution execution;
    private final CaseExecutor executor;
    private final List<ExecutedTransaction> committed;
    private final FinalStatePromise promise;
    private final boolean savepoints;
    private final Map<List<Step>, CaseExecution> serialRuns = new HashMap<>();

    /** True if of two transactions that change the same row one must fail. */
    private final boolean excludesConflicts;

    /** True if it is reported if both commit. */
    private final boolean reportsConflicts;

    /** True if a serial run must have the same update counts. */
    private boolean comparesCounts;

    /** Why a serial run is undecided; the order that it tried may explain the execution or not. */
    private Optional<String> undecidedRun = Optional.empty();

    Trial(CaseExecution execution, CaseExecutor executor) {
      this.execution = execution;
      this.executor = executor;
      this.committed =
          execution.transactions().stream().filter(ExecutedTransaction::committed).toList();
      this.promise = promise();
      this.excludesConflicts =
          promise == FinalStatePromise.SNAPSHOT
              && levels().allMatch(executor.dbms()::excludesConflictingWrites);
      this.reportsConflicts =
          promise == FinalStatePromise.SNAPSHOT
              && levels().allMatch(executor.dbms()::reportsConflictingWrites);
      this.comparesCounts = excludesConflicts;
      this.savepoints =
          committed.stream()
              .flatMap(transaction -> transaction.steps().stream())
              .anyMatch(step -> SqlText.of(step.sql()).isSavepoint());
    }

    /**
     * What the levels of the sessions promise together. Where writes lock what they search, those
     * of lower levels still keep the locks of written rows, so single statements explain the final
     * state; what a snapshot shows beside other levels, no order need explain.
     */
    private FinalStatePromise promise() {
      if (permitsAnyOrder) {
        return FinalStatePromise.SOME_ORDER;
      }
      Set<FinalStatePromise> promises = EnumSet.noneOf(FinalStatePromise.class);
      levels().forEach(level -> promises.add(executor.dbms().promise(level)));
      if (promises.size() == 1) {
        return promises.iterator().next();
      }
      return promises.contains(FinalStatePromise.SNAPSHOT)
              || promises.contains(FinalStatePromise.SOME_ORDER)
          ? FinalStatePromise.SNAPSHOT
          : FinalStatePromise.STATEMENTS;
    }

    private Stream<IsolationLevel> levels() {
      TestCase testCase = execution.testCase();
      return testCase.sessions().stream().map(name -> testCase.levelOf(name, execution.level()));
    }

    OracleVerdict verdict()
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      OracleVerdict verdict = verdictOfRuns();
      return verdict.result() == Result.VIOLATION && undecidedRun.isPresent()
          ? WriteCheck.this.verdict(
              Result.UNDECIDED, "a serial run is undecided: " + undecidedRun.get())
          : verdict;
    }

    private OracleVerdict verdictOfRuns()
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      String order = orderOf(committed);
      Optional<String> difference =
          difference(steps(committed)).map(what -> "tx-WSS (" + order + "): " + what);
      // For transactions of a single statement, both schedules are the same.
      boolean single = committed.stream().allMatch(transaction -> transaction.work().size() <= 1);
      if (difference.isEmpty() && !savepoints && !single) {
        difference = difference(work(committed)).map(what -> "stmt-WSS (" + order + "): " + what);
      }
      if (difference.isEmpty()) {
        return WriteCheck.this.verdict(Result.CLEAN, "the order of the commits explains it");
      }
      String found = difference.get();
      return switch (promise) {
        case ORDER_OF_COMMITS ->
            severalAutocommitsWaited()
                ? unlessAnyOrderExplains(Result.VIOLATION, found)
                : WriteCheck.this.verdict(Result.VIOLATION, found);
        case SNAPSHOT -> trySnapshots(found);
        case SOME_ORDER -> unlessAnyOrderExplains(Result.VIOLATION, "no serial order; " + found);
        case STATEMENTS -> tryStatementOrders(found);
      };
    }

    /**
     * True if several autocommitted statements were blocked: the order of their commits is unknown.
     */
    private boolean severalAutocommitsWaited() {
      return committed.stream()
              .filter(transaction -> !transaction.explicit())
              .flatMap(transaction -> transaction.steps().stream())
              .filter(step -> execution.outcome(step).blocked())
              .count()
          > 1;
    }

    /** Each transaction on its snapshot; if that is not decided, orders of the transactions. */
    private OracleVerdict trySnapshots(String found)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      SnapshotMerge.Decision decision =
          SnapshotMerge.of(
              execution, committed, this::serialRun, excludesConflicts, reportsConflicts);
      if (decision.result() == Result.CLEAN) {
        return WriteCheck.this.verdict(Result.CLEAN, "snapshot isolation: " + decision.reason());
      }
      if (decision.result() == Result.VIOLATION) {
        return unlessAnyOrderExplains(
            Result.VIOLATION, "no serial order, nor snapshot isolation: " + decision.reason());
      }
      comparesCounts = false;
      return trySingleWriter(decision.reason(), found);
    }

    /**
     * If one session alone can write, nothing but its own statements changes data, also if
     * transactions fail. A statement whose effect depends on the order of rows is not decided,
     * because transactions that read may change how rows are stored.
     */
    private OracleVerdict trySingleWriter(String doubt, String found)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      boolean isDecided =
          execution.testCase().steps().stream()
                      .filter(WriteCheck::mayWriteOrLock)
                      .map(Step::session)
                      .distinct()
                      .count()
                  <= 1
              && execution.testCase().steps().stream()
                  .noneMatch(step -> StatementText.dependsOnRowOrder(step.sql()));
      return isDecided
          ? unlessAnyOrderExplains(Result.VIOLATION, "only one session writes; " + found)
          : unlessAnyOrderExplains(
              Result.UNDECIDED, "snapshot isolation may explain it: " + doubt + "; " + found);
    }

    private OracleVerdict tryStatementOrders(String found)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      if (savepoints) {
        return WriteCheck.this.verdict(
            Result.UNDECIDED, "savepoints: statements cannot be tried one by one; " + found);
      }
      List<List<Step>> writes =
          committed.stream()
              .map(t -> t.work().stream().filter(s -> !StatementText.isQuery(s.sql())).toList())
              .filter(steps -> !steps.isEmpty())
              .toList();
      Set<Integer> ids = new HashSet<>();
      writes.forEach(steps -> steps.forEach(step -> ids.add(step.id())));
      List<Step> asCompleted =
          execution.order().stream()
              .filter(ids::contains)
              .map(id -> execution.outcome(id).step())
              .toList();
      if (difference(asCompleted).isEmpty()) {
        return WriteCheck.this.verdict(
            Result.CLEAN, "the order in which the statements completed explains it");
      }
      List<List<Step>> orders = new ArrayList<>();
      if (!interleave(writes, new int[writes.size()], new ArrayList<>(), orders)) {
        return WriteCheck.this.verdict(
            Result.UNDECIDED, "more than " + MAX_ORDERS + " orders of statements; " + found);
      }
      for (List<Step> order : orders) {
        if (!order.equals(asCompleted) && difference(order).isEmpty()) {
          return WriteCheck.this.verdict(
              Result.CLEAN, "an order of the single statements explains it");
        }
      }
      return readUncommittedRows()
          ? WriteCheck.this.verdict(
              Result.UNDECIDED, "a write may have read uncommitted rows; " + found)
          : WriteCheck.this.verdict(
              Result.VIOLATION, "no order of the single statements; " + found);
    }

    /**
     * True if a write may have read uncommitted rows. Where it is known which, except those of a
     * statement that is half done, it is left to the labels.
     */
    private boolean readUncommittedRows() {
      if (levels().noneMatch(IsolationLevel.READ_UNCOMMITTED::equals)) {
        return false;
      }
      return switch (executor.dbms().uncommittedReads()) {
        case IN_SEARCHES -> true;
        case PREDICTABLE -> DirtySources.wroteFromPartialStatement(execution);
        case IN_QUERIES ->
            DirtySources.wroteFromPartialStatement(execution)
                || DirtySources.wroteFromUncommitted(execution);
      };
    }

    /**
     * Clean if some order of the transactions explains the difference, otherwise {@code result}.
     */
    private OracleVerdict unlessAnyOrderExplains(Result result, String reason)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      List<List<ExecutedTransaction>> orders = permutations(committed);
      if (orders.size() > MAX_ORDERS) {
        return WriteCheck.this.verdict(
            Result.UNDECIDED, "more than " + MAX_ORDERS + " orders of transactions; " + reason);
      }
      for (List<ExecutedTransaction> order : orders) {
        if (difference(steps(order)).isEmpty()) {
          return WriteCheck.this.verdict(Result.CLEAN, "another order explains it");
        }
      }
      return WriteCheck.this.verdict(result, reason);
    }

    /** A serial run of these steps; each order is run once. */
    private CaseExecution serialRun(List<Step> steps)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      CaseExecution known = serialRuns.get(steps);
      if (known == null) {
        // All steps run in one session, so that their order does not depend on how sessions are
        // scheduled.
        known =
            executor.execute(
                execution
                    .testCase()
                    .withSteps(
                        steps.stream()
                            .map(step -> new Step(step.id(), "T1", step.label(), step.sql()))
                            .toList()),
                execution.level());
        serialRuns.put(steps, known);
      }
      return known;
    }

    /** The difference from a serial run of these steps, if any. */
    private Optional<String> difference(List<Step> steps)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      CaseExecution serial = serialRun(steps);
      if (serial.undecided().isPresent()) {
        undecidedRun = serial.undecided();
        return serial.undecided();
      }
      boolean reads =
          (promise == FinalStatePromise.ORDER_OF_COMMITS || promise == FinalStatePromise.SOME_ORDER)
              && levels().allMatch(IsolationLevel.SERIALIZABLE::equals);
      for (Step step : steps) {
        Optional<String> differs =
            statementDifference(
                execution.outcome(step), serial.outcome(step), reads, comparesCounts);
        if (differs.isPresent()) {
          return differs;
        }
      }
      return execution.finalState().equals(serial.finalState())
          ? Optional.empty()
          : Optional.of(
              "final state " + execution.finalState() + ", serially " + serial.finalState());
    }
  }

  private static boolean mayUndo(StepOutcome outcome) {
    return !outcome.succeeded() || SqlText.of(outcome.step().sql()).isSavepoint();
  }

  /** True unless it is a plain query or controls a transaction. */
  private static boolean mayWriteOrLock(Step step) {
    return step.role() == Step.Role.WORK
        && (!StatementText.isQuery(step.sql()) || StatementText.locksRows(step.sql()));
  }

  private static Optional<String> statementDifference(
      StepOutcome concurrent, StepOutcome serial, boolean reads, boolean counts) {
    String sql = concurrent.step().sql();
    if (concurrent.succeeded() != serial.succeeded()) {
      return Optional.of(
          "'"
              + sql
              + "' "
              + (concurrent.succeeded() ? "succeeded" : "failed: " + concurrent.message())
              + ", serially it "
              + (serial.succeeded() ? "succeeded" : "failed: " + serial.message()));
    }
    if (reads
        && concurrent.isQuery()
        && !Values.bag(concurrent.rows()).equals(Values.bag(serial.rows()))) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "'%s' returned %s, serially %s",
              sql,
              Values.bag(concurrent.rows()),
              Values.bag(serial.rows())));
    }
    if (counts && concurrent.updateCount() != serial.updateCount()) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "'%s' changed %d rows, serially %d",
              sql,
              concurrent.updateCount(),
              serial.updateCount()));
    }
    return Optional.empty();
  }

  private static String orderOf(List<ExecutedTransaction> transactions) {
    return transactions.isEmpty()
        ? "nothing committed"
        : String.join(" -> ", transactions.stream().map(ExecutedTransaction::session).toList());
  }

  private static List<Step> steps(List<ExecutedTransaction> transactions) {
    return transactions.stream().flatMap(transaction -> transaction.steps().stream()).toList();
  }

  private static List<Step> work(List<ExecutedTransaction> transactions) {
    return transactions.stream().flatMap(transaction -> transaction.work().stream()).toList();
  }

  /** Collects all interleavings of the sequences; returns false if there are too many. */
  private static boolean interleave(
      List<List<Step>> sequences, int[] next, List<Step> prefix, List<List<Step>> orders) {
    boolean done = true;
    for (int i = 0; i < sequences.size(); i++) {
      if (next[i] < sequences.get(i).size()) {
        done = false;
        prefix.add(sequences.get(i).get(next[i]++));
        boolean few = interleave(sequences, next, prefix, orders);
        next[i]--;
        prefix.remove(prefix.size() - 1);
        if (!few) {
          return false;
        }
      }
    }
    if (done) {
      orders.add(List.copyOf(prefix));
    }
    return orders.size() <= MAX_ORDERS;
  }

  private static List<List<ExecutedTransaction>> permutations(List<ExecutedTransaction> of) {
    List<List<ExecutedTransaction>> permutations = List.of(List.of());
    for (ExecutedTransaction transaction : of) {
      List<List<ExecutedTransaction>> longer = new ArrayList<>();
      for (List<ExecutedTransaction> shorter : permutations) {
        for (int i = 0; i <= shorter.size() && longer.size() <= MAX_ORDERS; i++) {
          List<ExecutedTransaction> permutation = new ArrayList<>(shorter);
          permutation.add(i, transaction);
          longer.add(permutation);
        }
      }
      permutations = longer;
    }
    return permutations;
  }
}
