package io.txwatch.schedule;

import io.txwatch.testcase.TestCase;
import java.util.List;

/**
 * The result of executing a case with freely threaded sessions.
 *
 * @param execution the execution; which of its steps were blocked is unknown
 * @param schedules the case in orders of submission with which the DBMS may do the same again, the
 *     most likely one first
 */
public record FreeExecution(CaseExecution execution, List<TestCase> schedules) {

  /** Copies its arguments. */
  public FreeExecution {
    schedules = List.copyOf(schedules);
  }
}
