package io.txwatch.oracle.troc;

import io.txwatch.oracle.Laboratory;
import io.txwatch.oracle.Obstacle;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.Verdict;
import io.txwatch.oracle.Verdict.Result;
import io.txwatch.schedule.Execution;
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
  public Verdict judge(Execution execution, Laboratory laboratory)
      throws SQLException, ScheduleExecutor.SetupException {
    if (execution.doubt().isPresent()) {
      return new Verdict(name(), Result.UNDECIDED, execution.doubt().get());
    }
    Optional<Semantics> semantics = Semantics.of(laboratory.dbms().database(), execution.level());
    if (semantics.isEmpty()) {
      return new Verdict(
          name(),
          Result.UNSUPPORTED,
          "no expectation of what " + laboratory.dbms().describe() + " lets a statement see");
    }
    Optional<String> obstacle = Obstacle.of(execution, laboratory.dbms().database());
    if (obstacle.isPresent()) {
      return new Verdict(name(), Result.UNSUPPORTED, obstacle.get());
    }
    try (Scratch scratch = new Scratch(laboratory, execution.testCase())) {
      new Walk(execution, semantics.get(), laboratory.dbms().database(), scratch).run();
      return new Verdict(name(), Result.CLEAN, "every statement did what its view lets it do");
    } catch (EndException end) {
      return end.verdict(name());
    } catch (Scratch.BrokenViewException e) {
      return new Verdict(name(), Result.UNDECIDED, String.valueOf(e.getMessage()));
    }
  }
}
