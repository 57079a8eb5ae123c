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
  INSERTED_WHILE_BLOCKED(
      "h2-inserted-while-blocked",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC),
      "Before 2.0, at READ COMMITTED an UPDATE, DELETE or locking query that waits for a row also"
          + " finds rows that were inserted while it waited.",
      "H2 1.4.200 manual, Advanced, Transaction Isolation, Read committed: \"Dirty reads aren't"
          + " possible; non-repeatable reads and phantom reads are possible\"; observed on 1.4.200,"
          + " not on 2.5.252") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isBefore2(evidence)
          && evidence.isAtMostReadCommitted()
          && evidence.needs(Mechanism.INSERTED_WHILE_BLOCKED, H2Behaviour::isInternalError);
    }
  },
  LOST_UPDATE(
      "h2-lost-update-before-2",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC),
      "Before 2.0, at REPEATABLE READ and above a statement that writes or locks a row which was"
          + " changed since the transaction's snapshot is not rejected: it finds the row in the"
          + " snapshot and writes the current version, if this still matches. An update that depends"
          + " on what was read is lost. H2 2.0 and later reject the statement.",
      "H2 1.4.200 manual, Advanced, Transaction Isolation, Serializable: \"Note that this isolation"
          + " level in H2 currently doesn't ensure equivalence of concurrent and serializable"
          + " execution of transactions that perform write operations\"") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isBefore2(evidence)
          && evidence.isAboveReadCommitted()
          && (evidence.needs(Mechanism.NEWER_VERSION_WRITTEN, H2Behaviour::isInternalError)
              || haveSeveralSessionsWritten(evidence));
    }
  },
  PHANTOM_ROWS(
      "h2-phantom-rows-before-2",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC),
      "Before 2.0, at REPEATABLE READ a transaction that has found a table empty has no snapshot of"
          + " it, and then sees rows that other transactions insert.",
      "H2 1.4.200 manual, Advanced, Transaction Isolation, Repeatable read: \"Dirty reads and"
          + " non-repeatable reads aren't possible, phantom reads are possible\"") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isBefore2(evidence)
          && evidence.isAt(IsolationLevel.REPEATABLE_READ)
          && evidence.needs(Mechanism.PHANTOM_ROWS, H2Behaviour::isInternalError);
    }
  },
  READ_AFTER_LOCK(
      "h2-read-after-lock-before-2",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC),
      "Before 2.0, at REPEATABLE READ and above a transaction reads the current version of a row"
          + " once one of its statements has found the row in its snapshot and locked it, also if"
          + " the statement does not write it because the current version does not match: the read"
          + " is not repeatable, which the manual excludes.",
      "observed on 1.4.200; no known bug report; H2 2.0 and later reject the statement") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isBefore2(evidence)
          && evidence.isAboveReadCommitted()
          && evidence.needs(Mechanism.NEWER_VERSION_READ_AFTER_LOCK, H2Behaviour::isInternalError);
    }
  },
  NO_SNAPSHOT_OF_RELATED_TABLES(
      "h2-foreign-key-without-snapshot-before-2",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC),
      "Before 2.0, at REPEATABLE READ the tables of a foreign key have no snapshot: each statement"
          + " sees what is committed when it begins, so that reads are not repeatable, which the"
          + " manual excludes.",
      "observed on 1.4.200, not on 2.5.252; no known bug report") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isBefore2(evidence)
          && evidence.isAt(IsolationLevel.REPEATABLE_READ)
          && evidence.needs(Mechanism.NO_SNAPSHOT_OF_RELATED_TABLES, H2Behaviour::isInternalError);
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

  private static final int INTERNAL_ERROR = 50000;

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

  /**
   * True if WriteCheck reports that several sessions wrote the same row: before 2.0 its verdict on
   * writes of several sessions has no other reason ({@link H2Dbms#reportsConflictingWrites}).
   */
  private static boolean haveSeveralSessionsWritten(Evidence evidence) {
    return evidence.isBy(OracleKind.WRITECHECK)
        && !evidence.isAtMostReadCommitted()
        && evidence.execution().outcomes().stream()
                .map(StepOutcome::step)
                .filter(step -> !SqlText.of(step.sql()).writes().isEmpty())
                .map(Step::session)
                .distinct()
                .count()
            > 1;
  }

  private static boolean isBefore2(Evidence evidence) {
    return evidence.database().product().version().startsWith("1.");
  }

  /** At REPEATABLE READ, H2 1.4.200 rejects statements because of a NullPointerException. */
  private static boolean isInternalError(StepOutcome outcome) {
    return outcome.vendorCode() == INTERNAL_ERROR;
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
