package io.txwatch.dbms.mysql;

import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.Set;

/** Known behaviour of MySQL that MariaDB does not have, or has with a number of its own. */
public enum MySqlBehaviour implements KnownBehaviour {
  LEVEL_OF_PREVIOUS_BEGIN(
      "mysql-level-of-previous-begin",
      FindingClass.NEW,
      Set.of(OracleKind.ISOREL),
      "SET TRANSACTION gives the next transaction a level. If a second START TRANSACTION ends that"
          + " transaction, the one that it begins still has that level: below READ COMMITTED it"
          + " reads uncommitted rows.",
      "MySQL manual, SET TRANSACTION, Transaction Characteristic Scope: \"The statement applies only"
          + " to the next single transaction performed within the session.\" MySQL bug 39170"
          + " (Closed) is the same after COMMIT; MDEV-35335 is MariaDB's. Observed on 5.5.9, 5.6.24"
          + " and 9.7.4; no known bug report") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return LevelsOfNextTransaction.explain(evidence);
    }
  };

  private final Facts facts;

  MySqlBehaviour(
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
