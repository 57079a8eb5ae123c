package io.txwatch.dbms.h2;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Known behaviour of H2. */
public enum H2Behaviour implements KnownBehaviour {
  FOREIGN_KEY_UNLOCKED(
      "h2-foreign-key-unlocked",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.TXCHECK),
      "H2 does not lock the parent row of a foreign key check: another transaction may "
          + "delete it, which leaves a child without a parent.",
      "H2 issue 3663, open") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return references(evidence).hasParentChildConflict(evidence.execution())
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsIn(
              ForeignKeyGraph.withoutForeignKeys(evidence.execution().testCase()));
    }
  },
  MERGE_CONFLICT(
      "h2-merge-conflict",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK),
      "A MERGE looks for a match as of its start, and then waits for the row that another"
          + " transaction inserts: it fails with a duplicate key instead of updating the row.",
      "H2 issue 4171, open; observed on 2.5.252") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.isAtMostReadCommitted()
          && evidence.execution().outcomes().stream().anyMatch(H2Behaviour::isMergeConflict)
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsWithout(
              step -> isMergeConflict(evidence.execution().outcome(step)));
    }
  },
  READ_COMMITTED_RECHECK(
      "h2-read-committed-recheck",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK),
      "At READ COMMITTED H2 reads the rows that it waited for again, and all other rows "
          + "as of the statement's start. A row that was deleted and inserted again with the same "
          + "primary key is the same row (MVStore).",
      "H2 manual, Advanced Topics, Transaction Isolation: \"Non-repeatable reads\" and \"Phantom"
          + " reads\" are possible at read committed") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted()
          && evidence.execution().hadBlocking()
          && evidence.isExplainedBy(Mechanism.LEVEL);
    }
  },
  CHANGED_KEY(
      "h2-changed-key",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.TXCHECK),
      "At READ COMMITTED a statement that waits for a row whose primary key changes meanwhile does"
          + " not find the row again: for H2 it is another row (MVStore). A DELETE of all rows"
          + " deletes none.",
      "observed on 2.5.252; no known bug report") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted() && evidence.needs(Mechanism.KEY_IS_IDENTITY);
    }
  },
  INSERT_TRIED_AGAIN(
      "h2-insert-tried-again",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.TXCHECK),
      "If an INSERT of several rows finds another transaction's uncommitted key in a "
          + "secondary index, H2 executes it again without rolling back the first attempt: its "
          + "own first row then causes a duplicate key.",
      "observed on 2.5.252; no known bug report") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      Set<Step> rejected = RetriedInserts.of(evidence.execution());
      return !rejected.isEmpty()
          && !evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.isExplainedByErrorsOf(rejected::contains);
    }
  },
  EXTREMES_BY_INDEX(
      "h2-extremes-by-index",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.ISOREL, OracleKind.TXCHECK),
      "At REPEATABLE READ and above, MAX of an indexed column is wrong once the transaction itself"
          + " has written or locked rows of the table: it is the smaller of the snapshot's and the"
          + " written rows' greatest value, or what has since been written to the former's row; also"
          + " in a write that uses MAX.",
      "observed on 2.5.252; no known bug report") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.isAboveReadCommitted()
          && (evidence.needs(Mechanism.SMALLER_MAXIMUM) || isMaximumBehindReads(evidence));
    }
  };

  private final Facts facts;

  H2Behaviour(
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

  private static ForeignKeyGraph references(Evidence evidence) {
    return ForeignKeyGraph.of(evidence.execution().testCase().setup());
  }

  /** True if a MERGE waited and was then rejected because of a duplicate key. */
  private static boolean isMergeConflict(StepOutcome outcome) {
    return outcome.blocked()
        && outcome.sqlState().equals("23505")
        && SqlText.of(outcome.step().sql()).startsWith("MERGE");
  }

  /**
   * At REPEATABLE READ a table's snapshot begins when it is first read. TxCheck's reads around the
   * statements are earlier than those of the case, whose own execution is right. Of an expression
   * no index gives the MAX.
   */
  private static boolean isMaximumBehindReads(Evidence evidence)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    TestCase testCase = evidence.execution().testCase();
    List<Step> steps = testCase.steps().stream().map(H2Behaviour::withoutIndexForExtreme).toList();
    return evidence.isBy(OracleKind.TXCHECK)
        && evidence.execution().level() == IsolationLevel.REPEATABLE_READ
        && !steps.equals(testCase.steps())
        && evidence.isExplainedBy(Mechanism.LEVEL)
        && evidence.disappearsIn(testCase.withSteps(steps), new TxCheck());
  }

  private static Step withoutIndexForExtreme(Step step) {
    Tokens tokens = SqlText.of(step.sql()).tokens();
    StringBuilder sql = new StringBuilder(step.sql());
    for (int i = tokens.count() - 1; i >= 0; i--) {
      int end = tokens.nameEnd(i + 2);
      if (tokens.isAnyWord(i, "MIN", "MAX")
          && tokens.isOpen(i + 1)
          && tokens.partner(i + 1) == end) {
        String column = step.sql().substring(tokens.start(i + 2), tokens.end(end - 1));
        sql.replace(
            tokens.start(i + 2), tokens.end(end - 1), "COALESCE(" + column + ", " + column + ")");
      }
    }
    return new Step(step.id(), step.session(), step.label(), sql.toString());
  }
}
