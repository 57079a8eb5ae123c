package io.txwatch.oracle.troc;

import io.txwatch.dbms.Dbms;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.UnsupportedCase;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Troc's oracle: checks for each statement what the level lets it see, do and return.
 *
 * <p>The paper computes the order of execution from predicted locks (Algorithm 1). This oracle
 * follows the order in which the DBMS completed the statements, and reports a violation if a
 * statement completed that should have been blocked. It therefore supports more than two
 * transactions, and a DBMS may lock more than necessary. Rows are compared as bags.
 *
 * <p>The verdict is undecided if the order does not determine the results: if one commit released
 * two sessions, if a blocked statement reads other tables in a subquery, or for {@code LIMIT}
 * without an order.
 */
public final class Troc implements Oracle {

  @Override
  public String name() {
    return OracleKind.TROC.id();
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException {
    if (execution.inconclusiveReason().isPresent()) {
      return new OracleVerdict(name(), Result.UNDECIDED, execution.inconclusiveReason().get());
    }
    SessionSemantics.Sessions sessions = SessionSemantics.Sessions.of(execution, executor);
    if (sessions.unknown().isPresent()) {
      return new OracleVerdict(
          name(),
          Result.UNSUPPORTED,
          "no visibility rules for "
              + executor.dbms().describe()
              + " at "
              + sessions.unknown().get());
    }
    Optional<String> obstacle =
        UnsupportedCase.of(execution, executor.dbms())
            .or(() -> unsupportedView(execution.testCase(), executor.dbms()));
    if (obstacle.isPresent()) {
      return new OracleVerdict(name(), Result.UNSUPPORTED, obstacle.get());
    }
    try (ViewExecutor scratch = new ViewExecutor(executor, execution.testCase())) {
      new CheckingReplay(execution, sessions.byName(), scratch).run();
      return new OracleVerdict(name(), Result.CLEAN, "every statement has the result of its view");
    } catch (EarlyVerdictException end) {
      return end.verdict(name());
    } catch (ViewExecutor.BrokenViewException e) {
      return new OracleVerdict(name(), Result.UNDECIDED, String.valueOf(e.getMessage()));
    }
  }

  /** Why the views of a case cannot be stored, or read, as its tables are. */
  private static Optional<String> unsupportedView(TestCase testCase, Dbms dbms) {
    if (!dbms.canKeepZero() && testCase.setup().stream().anyMatch(StatementText::generatesValues)) {
      return Optional.of("this server stores no zero in a column that numbers rows");
    }
    boolean joinsNaturally =
        testCase.steps().stream().anyMatch(step -> SqlText.of(step.sql()).hasAny("NATURAL"));
    return joinsNaturally && !dbms.hidesAddedColumns()
        ? Optional.of("a natural join would also join the columns that are added to the tables")
        : Optional.empty();
  }
}
