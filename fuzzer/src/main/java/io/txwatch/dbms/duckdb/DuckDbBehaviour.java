package io.txwatch.dbms.duckdb;

import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.Set;

/** Known behaviour of DuckDB. */
public enum DuckDbBehaviour implements KnownBehaviour {
  UPDATE_BESIDE_DELETE(
      "duckdb-update-beside-delete",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK),
      "An UPDATE does not conflict with a concurrent DELETE of the same row, nor with an UPDATE of"
          + " an indexed column, which is executed as DELETE and INSERT. Both commit, and the first"
          + " UPDATE, which counted the row, has no effect on it.",
      "DuckDB issue 17223 (UPDATE and DELETE; closed as stale, still so on 1.5.6). DuckDB"
          + " documentation, Concurrency: \"when two threads attempt to edit (update or delete) the"
          + " same row at the same time [...] the second thread to attempt the edit will fail with"
          + " a conflict error\"") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      for (StepOutcome update : evidence.execution().outcomes()) {
        if (update.updateCount() > 0
            && isWrite(update, "UPDATE")
            && hasRemovalBeside(evidence.execution(), update)
            && evidence.hasNoEffect(update.step())) {
          return true;
        }
      }
      for (StepOutcome delete : evidence.execution().outcomes()) {
        if (delete.updateCount() > 0
            && isWrite(delete, "DELETE")
            && hasUpdateBeside(evidence.execution(), delete)
            && evidence.disappearsWithout(delete.step()::equals)) {
          return true;
        }
      }
      TestCase unindexed = withoutIndexes(evidence.execution().testCase());
      return !unindexed.equals(evidence.execution().testCase()) && evidence.disappearsIn(unindexed);
    }
  };

  private final Facts facts;

  DuckDbBehaviour(
      String id,
      FindingClass findingClass,
      Set<OracleKind> oracles,
      String description,
      String source) {
    this.facts = new Facts(id, findingClass, oracles, description, source);
  }

  @Override
  public Facts facts() {
    return facts;
  }

  /** True if another session deletes rows, or updates them in a table that may have an index. */
  private static boolean hasRemovalBeside(CaseExecution execution, StepOutcome update) {
    boolean hasIndex =
        execution.testCase().setup().stream()
            .anyMatch(sql -> SqlText.of(sql).hasAny("KEY", "UNIQUE", "INDEX"));
    return execution.outcomes().stream()
        .filter(other -> !other.step().session().equals(update.step().session()))
        .filter(other -> other.updateCount() > 0)
        .anyMatch(other -> isWrite(other, "DELETE") || (hasIndex && isWrite(other, "UPDATE")));
  }

  /** True if another session updates rows. */
  private static boolean hasUpdateBeside(CaseExecution execution, StepOutcome delete) {
    return execution.outcomes().stream()
        .filter(other -> !other.step().session().equals(delete.step().session()))
        .anyMatch(other -> other.updateCount() > 0 && isWrite(other, "UPDATE"));
  }

  /** The same case without indexes, but for those of UNIQUE columns. */
  private static TestCase withoutIndexes(TestCase testCase) {
    return testCase.withSetup(
        testCase.setup().stream()
            .filter(sql -> !SqlText.of(sql).startsWith("CREATE", "INDEX"))
            .map(sql -> sql.replace(" PRIMARY KEY", ""))
            .toList());
  }

  private static boolean isWrite(StepOutcome outcome, String verb) {
    return SqlText.of(outcome.step().sql()).writes().stream().anyMatch(write -> write.is(verb));
  }
}
