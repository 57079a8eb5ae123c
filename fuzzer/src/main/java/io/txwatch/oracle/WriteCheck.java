package io.txwatch.oracle;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Verdict.Result;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Write-specific serializability (WriteCheck): whatever the level, concurrent transactions leave
 * behind what some serial order of them leaves behind, and that order is known: first commit or
 * rollback, first scheduled (section 3.3).
 *
 * <p>Two serial schedules are tried: of the committed transactions whole (tx-WSS, definition 1),
 * and of their statements one by one (stmt-WSS, definition 2), the latter not where a transaction
 * has savepoints. Each is run on the same DBMS, at the same level, and compared by the final state
 * and by which statements succeed; under locks at SERIALIZABLE also by what queries return (section
 * 5.4).
 *
 * <p>Where a sequence hands out values, the serial schedule hands out others: such a case is not
 * supported, rather than called a violation.
 */
public final class WriteCheck implements Oracle {

  private static final Pattern SEQUENCE =
      Pattern.compile(
          "(?i)\\{AUTOINC\\}|AUTO_INCREMENT|AUTOINCREMENT|\\b(BIG|SMALL)?SERIAL\\b|IDENTITY|NEXTVAL|SEQUENCE");
  private static final Pattern INSERT = Pattern.compile("(?i)\\b(INSERT|REPLACE|MERGE)\\b");
  private static final Pattern SAVEPOINT =
      Pattern.compile("(?i)^\\s*(SAVEPOINT|ROLLBACK\\s+TO|RELEASE)\\b");
  private static final Pattern OWN_TIME =
      Pattern.compile(
          "(?i)\\b(RAND|RANDOM|NOW|UUID|CURRENT_TIMESTAMP|SYSDATE|CONNECTION_ID|PG_BACKEND_PID)\\b");

  /** Where SERIALIZABLE is locking, so that the order of commits is the serial order of reads. */
  private static final Set<String> LOCKING_SERIALIZABLE = Set.of("MySQL", "MariaDB", "SQLite");

  @Override
  public String name() {
    return "writecheck";
  }

  @Override
  public Verdict judge(Execution execution, Laboratory laboratory)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (execution.undecided().isPresent()) {
      return verdict(Result.UNDECIDED, execution.undecided().get());
    }
    Optional<String> obstacle = obstacle(execution);
    if (obstacle.isPresent()) {
      return verdict(Result.UNSUPPORTED, obstacle.get());
    }
    List<ExecutedTransaction> committed =
        execution.transactions().stream().filter(ExecutedTransaction::committed).toList();
    Optional<String> whole =
        difference(execution, committed, laboratory, ExecutedTransaction::steps, "tx-WSS");
    if (whole.isPresent()) {
      return verdict(Result.VIOLATION, whole.get());
    }
    boolean savepoints =
        execution.testCase().steps().stream()
            .anyMatch(step -> SAVEPOINT.matcher(step.sql()).find());
    Optional<String> single =
        savepoints
            ? Optional.empty()
            : difference(execution, committed, laboratory, ExecutedTransaction::work, "stmt-WSS");
    return single
        .map(difference -> verdict(Result.VIOLATION, difference))
        .orElseGet(() -> verdict(Result.CLEAN, "the serial order of the commits explains it"));
  }

  private static Optional<String> obstacle(Execution execution) {
    boolean sequence =
        execution.testCase().setup().stream().anyMatch(sql -> SEQUENCE.matcher(sql).find())
            && execution.testCase().steps().stream()
                .anyMatch(step -> INSERT.matcher(step.sql()).find());
    if (sequence) {
      return Optional.of("values of a sequence depend on the order in which they are handed out");
    }
    boolean ownTime =
        execution.testCase().steps().stream().anyMatch(step -> OWN_TIME.matcher(step.sql()).find());
    return ownTime
        ? Optional.of("a statement whose result is its own each time")
        : Optional.empty();
  }

  /** Which steps of a committed transaction a serial schedule has. */
  private interface Part {
    List<Step> of(ExecutedTransaction transaction);
  }

  private static Optional<String> difference(
      Execution execution,
      List<ExecutedTransaction> committed,
      Laboratory laboratory,
      Part part,
      String property)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    List<Step> steps = new ArrayList<>();
    for (ExecutedTransaction transaction : committed) {
      for (Step step : part.of(transaction)) {
        // One session for all: that they are serial must not hang on how sessions are scheduled.
        steps.add(new Step(step.id(), "T1", step.label(), step.sql()));
      }
    }
    Execution serial = laboratory.execute(execution.testCase().withSteps(steps), execution.level());
    String order =
        String.join(" -> ", committed.stream().map(ExecutedTransaction::session).toList());
    String against = property + " (" + (order.isEmpty() ? "nothing committed" : order) + "): ";
    if (serial.undecided().isPresent()) {
      return Optional.empty();
    }
    for (Step step : steps) {
      Optional<String> differs =
          statementDifference(
              execution.outcome(step), serial.outcome(step), comparesReads(execution, laboratory));
      if (differs.isPresent()) {
        return Optional.of(against + differs.get());
      }
    }
    return execution.finalState().equals(serial.finalState())
        ? Optional.empty()
        : Optional.of(
            against
                + "final state "
                + execution.finalState()
                + ", serially "
                + serial.finalState());
  }

  private static boolean comparesReads(Execution execution, Laboratory laboratory) {
    return execution.level() == IsolationLevel.SERIALIZABLE
        && LOCKING_SERIALIZABLE.contains(laboratory.dbms().database().product());
  }

  private static Optional<String> statementDifference(
      StepOutcome concurrent, StepOutcome serial, boolean reads) {
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
    return Optional.empty();
  }

  private Verdict verdict(Result result, String reason) {
    return new Verdict(name(), result, reason);
  }
}
