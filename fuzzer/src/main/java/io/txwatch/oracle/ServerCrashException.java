package io.txwatch.oracle;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import java.sql.SQLNonTransientConnectionException;

/** The server closed a connection during an execution of an oracle. */
public final class ServerCrashException extends SQLNonTransientConnectionException {
  private static final long serialVersionUID = 1;

  private final transient CaseExecution execution;

  private ServerCrashException(StepOutcome outcome, CaseExecution execution) {
    super(outcome.message(), "08006", outcome.vendorCode());
    this.execution = execution;
  }

  /** The execution, with the statements up to the crash. */
  public CaseExecution execution() {
    return execution;
  }

  /** Throws if a statement lost its connection. */
  public static void throwIfLost(CaseExecution execution) throws ServerCrashException {
    for (StepOutcome outcome : execution.outcomes()) {
      Failure failure = outcome.failure();
      if (failure != null && failure.kind() == Failure.Kind.CONNECTION_LOST) {
        throw new ServerCrashException(outcome, execution);
      }
    }
  }
}
