package io.txwatch.dbms.postgresql;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import java.sql.SQLException;
import java.util.Set;

/** Known behaviour of PostgreSQL. */
public enum PostgresBehaviour implements KnownBehaviour {
  READ_COMMITTED_RECHECK(
      "postgresql-read-committed-recheck",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK),
      "At READ COMMITTED a command that waited for a row reads the new version of that "
          + "row, and all other rows as of its start: it may see a part of the other "
          + "transaction's changes.",
      "PostgreSQL manual, section 13.2.1: \"it is possible for an updating command to see an"
          + " inconsistent snapshot: it can see the effects of concurrent updating commands on the"
          + " same rows it is trying to update, but it does not see effects of those commands on"
          + " other rows in the database\"") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted()
          && evidence.execution().hadBlocking()
          && evidence.isExplainedBy(Mechanism.LEVEL);
    }
  },
  UNREAD_CONFLICT(
      "postgresql-unread-conflict",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK),
      "At SERIALIZABLE an INSERT … ON CONFLICT DO NOTHING that finds a conflicting row "
          + "does not count as having read it: another transaction may delete that row, and no "
          + "order of the two explains the final state.",
      "observed on 18.6; no bug number; a patch was proposed on pgsql-hackers on 2026-06-01 (\"Add"
          + " isolation tests for ON CONFLICT no-op SSI false negatives\")") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return isSerializable(evidence)
          && evidence.execution().outcomes().stream().anyMatch(PostgresBehaviour::didNothing)
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsWithout(step -> didNothing(evidence.execution().outcome(step)));
    }
  },
  FOREIGN_KEY_BESIDE_SNAPSHOT(
      "postgresql-foreign-key-beside-snapshot",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK),
      "At SERIALIZABLE foreign keys are checked, and their actions executed, against the "
          + "latest committed rows, which does not count as a read: a transaction that deletes "
          + "a parent need not have seen that its child was deleted, and no order explains what"
          + " it reads.",
      "ri_triggers.c, ri_PerformCheck, detectNewRows; the manual does not mention it") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return isSerializable(evidence)
          && references(evidence).hasParentChildConflict(evidence.execution())
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsIn(
              ForeignKeyGraph.withoutForeignKeys(evidence.execution().testCase()));
    }
  };

  private final Facts facts;

  PostgresBehaviour(
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

  private static boolean isSerializable(Evidence evidence) {
    return evidence.isAt(IsolationLevel.SERIALIZABLE);
  }

  private static ForeignKeyGraph references(Evidence evidence) {
    return ForeignKeyGraph.of(evidence.execution().testCase().setup());
  }

  /** True if an INSERT … ON CONFLICT DO NOTHING succeeded. */
  private static boolean didNothing(StepOutcome outcome) {
    SqlText text = SqlText.of(outcome.step().sql());
    return outcome.succeeded() && text.has("ON", "CONFLICT") && text.has("DO", "NOTHING");
  }
}
