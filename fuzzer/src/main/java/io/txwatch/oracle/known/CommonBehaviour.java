package io.txwatch.oracle.known;

import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.Set;

/** Known behaviour of every DBMS. */
public enum CommonBehaviour implements KnownBehaviour {
  READ_COMMITTED_WRITE_SKEW(
      "read-committed-write-skew",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK),
      "At READ UNCOMMITTED and READ COMMITTED two transactions may each select the rows "
          + "that they write without the other's uncommitted changes: no order of the "
          + "transactions or of their statements explains the final state.",
      "PostgreSQL manual, section 13.2.1: a command \"sees only data committed before the query"
          + " began; it never sees either uncommitted data or changes committed by concurrent"
          + " transactions during the query's execution\"; MySQL manual, Consistent Nonlocking"
          + " Reads: \"each consistent read within a transaction sets and reads its own fresh"
          + " snapshot\"; WriteCheck, listings 5 and 6 (\"permissible\")") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted()
          && WriteOrder.isContradictory(evidence.execution())
          && evidence.isExplainedBy(Mechanism.LEVEL);
    }
  };

  private final Facts facts;

  CommonBehaviour(
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
}
