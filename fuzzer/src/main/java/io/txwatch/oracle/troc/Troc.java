package io.txwatch.oracle.troc;

import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.UnsupportedCase;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Troc's oracle: statement by statement, what the level lets a statement see, do and return.
 *
 * <p>Where the paper computes an order of execution from predicted locks (Algorithm 1), this oracle
 * follows the order in which the DBMS completed the statements, and calls it a violation if one
 * completed that had to wait. So more than two transactions can be judged, and a DBMS may lock more
 * than it must. Rows are compared as bags.
 *
 * <p>What the order does not determine is undecided: two sessions that one commit set free, a
 * statement that waited and reads other tables in a subquery, {@code LIMIT} without an order.
 */
public final class Troc implements Oracle {

  @Override
  public String name() {
    return "troc";
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException {
    if (execution.inconclusiveReason().isPresent()) {
      return new OracleVerdict(name(), Result.UNDECIDED, execution.inconclusiveReason().get());
    }
    Optional<Semantics> semantics = Semantics.of(executor.dbms().database(), execution.level());
    if (semantics.isEmpty()) {
      return new OracleVerdict(
          name(),
          Result.UNSUPPORTED,
          "no expectation of what " + executor.dbms().describe() + " lets a statement see");
    }
    Optional<String> obstacle = UnsupportedCase.of(execution, executor.dbms().database());
    if (obstacle.isPresent()) {
      return new OracleVerdict(name(), Result.UNSUPPORTED, obstacle.get());
    }
    try (ViewExecutor scratch = new ViewExecutor(executor, execution.testCase())) {
      new ExecutionReplay(execution, semantics.get(), executor.dbms().database(), scratch).run();
      return new OracleVerdict(
          name(), Result.CLEAN, "every statement did what its view lets it do");
    } catch (EarlyVerdictException end) {
      return end.verdict(name());
    } catch (ViewExecutor.BrokenViewException e) {
      return new OracleVerdict(name(), Result.UNDECIDED, String.valueOf(e.getMessage()));
    }
  }
}
