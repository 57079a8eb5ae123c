package io.txwatch.oracle.txcheck;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.List;

/**
 * An execution of an instrumented case with transactions (TxCheck, section 3.3, figure 8, steps 1
 * to 3).
 *
 * @param execution the execution of the instrumented case
 * @param traces what the reads have shown of the committed statements
 * @param snapshotTraces the same if writes used what plain queries of their transactions see
 * @param writesMayHideRows {@link ReadPolicy#writesMayHideRows}
 */
record TracedExecution(
    CaseExecution execution,
    List<StatementTrace> traces,
    List<StatementTrace> snapshotTraces,
    boolean writesMayHideRows) {

  /** Executes a case with reads around its statements. */
  static TracedExecution of(
      TestCase testCase, IsolationLevel level, CaseExecutor executor, Instrumentation tables)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    ReadPolicy policy = ReadPolicy.of(executor.dbms(), level);
    SideReadProbe reads = new SideReadProbe(tables, policy);
    CaseExecution execution =
        executor.executeInstrumented(tables.instrument(testCase), level, reads);
    ServerCrashException.throwIfLost(execution);
    if (execution.inconclusiveReason().isPresent() || execution.hadBlocking()) {
      return new TracedExecution(execution, List.of(), List.of(), policy.writesMayHideRows());
    }
    return new TracedExecution(
        execution,
        new TraceBuilder(execution, reads, tables, policy, false).build(),
        new TraceBuilder(execution, reads, tables, policy, true).build(),
        policy.writesMayHideRows());
  }

  /** The statement-dependency graph. */
  StatementGraph graph() {
    return StatementDependencyInference.graph(traces, writesMayHideRows);
  }

  /** The graph by the paper's assumption that a write uses the snapshot of its transaction. */
  StatementGraph snapshotGraph() {
    return StatementDependencyInference.graph(snapshotTraces, writesMayHideRows);
  }
}
