package io.txwatch.dbms.hsqldb;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.Set;

/** Known behaviour of HSQLDB. */
public enum HsqldbBehaviour implements KnownBehaviour {
  FOREIGN_KEY_UNLOCKED(
      "hsqldb-foreign-key-unlocked",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK),
      "With the transaction model LOCKS, the DELETE of a parent row does not lock the table of a"
          + " foreign key without an action: it uses what another transaction has done to the child"
          + " and not committed, and does not keep the transaction that it is a part of from"
          + " seeing later changes. If the other transaction is rolled back, a child has no parent.",
      "HSQLDB user guide, Sessions and Transactions: in LOCKS a transaction waits for a table that"
          + " another one has written; observed on 2.7.4, not with MVLOCKS and MVCC; no known bug"
          + " report") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return "LOCKS".equals(evidence.database().settings().get("hsqldb.tx"))
          && ForeignKeyGraph.of(evidence.execution().testCase().setup())
              .hasParentChildConflict(evidence.execution())
          && evidence.disappearsIn(
              ForeignKeyGraph.withoutForeignKeys(evidence.execution().testCase()));
    }
  };

  private final Facts facts;

  HsqldbBehaviour(
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
