package io.txwatch.schedule;

import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.List;

/**
 * Reads that an oracle sends around the statements of a case (TxCheck, section 3.2). The methods
 * are called by the threads of the sessions; an error is treated as one of the statement.
 */
public interface StatementProbe {

  /** Sends nothing. */
  StatementProbe NONE =
      new StatementProbe() {
        @Override
        public void begin(Reader observer) {}

        @Override
        public void before(Step step, Reader session, Reader observer) {}

        @Override
        public void after(StepOutcome outcome, Reader session, Reader observer) {}
      };

  /** Executes queries. */
  @FunctionalInterface
  interface Reader {
    /** The results, one for each query. */
    List<StepOutcome> read(List<String> queries) throws SQLException;
  }

  /**
   * Called before the first step.
   *
   * @param observer a session of its own in autocommit mode, at the weakest level of the DBMS
   */
  void begin(Reader observer) throws SQLException;

  /**
   * Called just before a step, also before those that begin and end transactions.
   *
   * @param session the session of the step
   */
  void before(Step step, Reader session, Reader observer) throws SQLException;

  /** Called just after a statement that succeeded. */
  void after(StepOutcome outcome, Reader session, Reader observer) throws SQLException;
}
