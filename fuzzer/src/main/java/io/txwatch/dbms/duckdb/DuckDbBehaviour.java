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
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Known behaviour of DuckDB. */
public enum DuckDbBehaviour implements KnownBehaviour {
  UPDATE_BESIDE_DELETE(
      "duckdb-update-beside-delete",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK),
      "An UPDATE does not conflict with a concurrent DELETE of the same row, nor with an UPDATE of"
          + " an indexed column, or with RETURNING in a table that has an index, which are executed"
          + " as DELETE and INSERT. Both commit, and the first UPDATE, which counted the row, has no"
          + " effect on it.",
      "DuckDB issues 17223 (UPDATE and DELETE; closed as stale, still so on 1.5.6) and 25654"
          + " (RETURNING executes DELETE and INSERT). DuckDB"
          + " documentation, Concurrency: \"when two threads attempt to edit (update or delete) the"
          + " same row at the same time [...] the second thread to attempt the edit will fail with"
          + " a conflict error\"") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      for (StepOutcome update : evidence.execution().outcomes()) {
        if (changed(update, "UPDATE")
            && hasRemovalBeside(evidence.execution(), update)
            && evidence.hasNoEffect(update.step())) {
          return true;
        }
      }
      for (StepOutcome delete : evidence.execution().outcomes()) {
        if (changed(delete, "DELETE")
            && hasUpdateBeside(evidence.execution(), delete)
            && evidence.disappearsWithout(delete.step()::equals)) {
          return true;
        }
      }
      TestCase unindexed = withoutIndexes(evidence.execution().testCase());
      return !unindexed.equals(evidence.execution().testCase()) && evidence.disappearsIn(unindexed);
    }
  },
  UPDATES_OF_DIFFERENT_COLUMNS(
      "duckdb-updates-of-different-columns",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK),
      "Two concurrent UPDATEs of different columns of a row do not conflict: both commit, and the"
          + " row has the columns of both, though each has read the other as it was before.",
      "no report was found; still so on 1.5.6. DuckDB documentation, Concurrency: \"when two threads"
          + " attempt to edit (update or delete) the same row at the same time [...] the second"
          + " thread to attempt the edit will fail with a conflict error\"") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      for (StepOutcome first : evidence.execution().outcomes()) {
        for (StepOutcome second : evidence.execution().outcomes()) {
          if (first.step().session().compareTo(second.step().session()) < 0
              && changed(first, "UPDATE")
              && changed(second, "UPDATE")
              && Collections.disjoint(assigned(first), assigned(second))
              && evidence.disappearsWithout(first.step()::equals)
              && evidence.disappearsWithout(second.step()::equals)) {
            return true;
          }
        }
      }
      return false;
    }
  };

  /** The columns that an UPDATE sets; more if a function in it compares its arguments. */
  private static final Pattern ASSIGNED =
      Pattern.compile("(?:\\bSET\\s+|,\\s*)\"?(\\w+)\"?\\s*=", Pattern.CASE_INSENSITIVE);

  private static final Pattern CONSTRAINT =
      Pattern.compile(", (?:PRIMARY KEY|UNIQUE) \\([^)]*\\)| (?:PRIMARY KEY|UNIQUE)\\b");

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
        .anyMatch(other -> changed(other, "DELETE") || (hasIndex && changed(other, "UPDATE")));
  }

  /** True if another session updates rows. */
  private static boolean hasUpdateBeside(CaseExecution execution, StepOutcome delete) {
    return execution.outcomes().stream()
        .filter(other -> !other.step().session().equals(delete.step().session()))
        .anyMatch(other -> changed(other, "UPDATE"));
  }

  /** The same case without indexes. */
  private static TestCase withoutIndexes(TestCase testCase) {
    return testCase.withSetup(
        testCase.setup().stream()
            .filter(sql -> !SqlText.of(sql).startsWith("CREATE", "INDEX"))
            .filter(sql -> !SqlText.of(sql).startsWith("CREATE", "UNIQUE"))
            .map(sql -> CONSTRAINT.matcher(sql).replaceAll(""))
            .toList());
  }

  /** Whether a statement has changed rows, which it may return instead of their number. */
  private static boolean changed(StepOutcome outcome, String verb) {
    return (outcome.updateCount() > 0 || !outcome.rows().isEmpty())
        && SqlText.of(outcome.step().sql()).writes().stream().anyMatch(write -> write.is(verb));
  }

  private static Set<String> assigned(StepOutcome update) {
    Set<String> columns = new HashSet<>();
    for (Matcher set = ASSIGNED.matcher(update.step().sql()); set.find(); ) {
      columns.add(set.group(1).toLowerCase(Locale.ROOT));
    }
    return columns;
  }
}
