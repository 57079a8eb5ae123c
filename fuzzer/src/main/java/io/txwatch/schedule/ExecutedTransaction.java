package io.txwatch.schedule;

import io.txwatch.testcase.Step;
import java.util.List;

/**
 * A transaction of an execution.
 *
 * @param session its session
 * @param steps its executed steps, including BEGIN and the end of an explicit transaction
 * @param explicit true if it has a BEGIN; false if it is an autocommitted statement
 * @param committed true if it committed
 */
public record ExecutedTransaction(
    String session, List<Step> steps, boolean explicit, boolean committed) {

  /** The steps between BEGIN and the end. */
  public List<Step> work() {
    return steps.stream().filter(step -> step.role() == Step.Role.WORK).toList();
  }
}
