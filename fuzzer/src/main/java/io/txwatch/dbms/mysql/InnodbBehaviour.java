package io.txwatch.dbms.mysql;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.DirtySources;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Known behaviour of InnoDB, in MySQL and in MariaDB. */
public enum InnodbBehaviour implements KnownBehaviour {
  SEQUENCE_ORDER(
      "innodb-sequence-order",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.APTRANS),
      "At SERIALIZABLE, generated keys are assigned in the order of the INSERTs, not of the"
          + " transactions: a transaction reads the rows of a later one, whose keys follow its own."
          + " No serial order gives these keys.",
      "MDEV-36330 (in the release notes of 10.6.23, 10.11.14 and 11.8.3); MySQL bug 119707 (Open);"
          + " APTrans, Figure 1; observed on MariaDB 10.11.5 and 11.4.5, MySQL 9.7.4, and MariaDB"
          + " 11.8.9 with innodb_snapshot_isolation=OFF") {
    @Override
    public boolean matches(Evidence evidence) {
      return evidence.isAt(IsolationLevel.SERIALIZABLE)
          && evidence
              .verdict()
              .patterns()
              .filter(patterns -> patterns.forbidden().equals(List.of("36-sequence")))
              .isPresent();
    }
  },
  SEMI_CONSISTENT_READ(
      "innodb-semi-consistent-read",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.TXCHECK),
      "At READ UNCOMMITTED and READ COMMITTED an UPDATE, DELETE or locking query that "
          + "finds a locked row reads its last committed version to decide whether to wait, and"
          + " keeps no locks on rows that do not match: it may see a part of another "
          + "transaction's changes.",
      "MySQL manual, Transaction Isolation Levels, READ COMMITTED: \"if a row is already locked,"
          + " InnoDB performs a 'semi-consistent' read, returning the latest committed version to"
          + " MySQL so that MySQL can determine whether the row matches the WHERE condition\", and"
          + " \"Record locks for nonmatching rows are released after MySQL has evaluated the WHERE"
          + " condition\"; the first speaks of an UPDATE with a condition, the second of UPDATE and"
          + " DELETE, neither of statements without a condition. Reported as MySQL bugs"
          + " 104833 (Verified, by Troc's list of bugs), 105042 (Verified, as a"
          + " fault of the documentation), 114952; MDEV-26643 (in the changelog of 10.6.18, with"
          + " innodb_snapshot_isolation)") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted() && evidence.needs(Mechanism.SEMI_CONSISTENT_READ);
    }
  },
  MOVED_ROW(
      "innodb-moved-row",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.TXCHECK),
      "At READ UNCOMMITTED and READ COMMITTED an UPDATE, DELETE or locking query that waits for"
          + " a row whose key changes meanwhile misses the row: it has moved behind the scan, and"
          + " the statement does not search for it again.",
      "MDEV-27992 (in the changelog of 10.3.35), MySQL bug 119801 (Need Feedback); observed on"
          + " MariaDB 10.11.5 and MySQL 9.7.4") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted()
          && !evidence.isExplainedBy(Mechanism.SEMI_CONSISTENT_READ)
          && evidence.isExplainedBy(Mechanism.MOVED_ROW);
    }
  },
  SNAPSHOT_BESIDE_CURRENT_READ(
      "innodb-snapshot-beside-current-read",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.ISOREL, OracleKind.TXCHECK),
      "At REPEATABLE READ a write reads the current versions of rows, not those of the "
          + "transaction's snapshot. If it leaves a row unchanged, InnoDB writes no version, "
          + "and the transaction still sees the old one; if it changes the key, the transaction"
          + " sees both rows. Does not occur with innodb_snapshot_isolation.",
      "MySQL bugs 104986 and 105670 (Duplicate, by Troc's list of bugs), 117218 (Won't fix), 119801"
          + " (Need Feedback); MDEV-26642 (in the changelog of 10.6.18, with"
          + " innodb_snapshot_isolation), MDEV-35124 (in the release notes of 11.7.1: that setting"
          + " is ON by default)") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAt(IsolationLevel.REPEATABLE_READ)
          && (!evidence.isBy(OracleKind.ISOREL)
              || evidence.verdict().phenomenon().equals(Optional.of(Phenomenon.INTERNAL)))
          && evidence.needs(Mechanism.SNAPSHOT_BESIDE_CURRENT_READ);
    }
  },
  CURRENT_WRITES(
      "innodb-current-writes",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.TXCHECK),
      "At REPEATABLE READ an UPDATE, a DELETE, the query of an INSERT and a subquery of a write use"
          + " the current versions of rows, not those that a plain query of the same transaction"
          + " sees.",
      "MySQL manual, Consistent Nonlocking Reads: \"The snapshot of the database state applies to"
          + " SELECT statements within a transaction, not necessarily to DML statements\"; reported"
          + " as MySQL bugs 108528, 114548 (Not a Bug); MDEV-29565 (in the release notes of"
          + " 11.0.6)") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.isAt(IsolationLevel.REPEATABLE_READ) && evidence.isExplainedByCurrentWrites();
    }
  },
  DIRTY_SOURCE(
      "innodb-dirty-source",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK),
      "At READ UNCOMMITTED the query of an INSERT, and a subquery of another write, read "
          + "uncommitted changes, which may be rolled back: no order of the statements explains"
          + " what the write stores, or that it fails.",
      "MySQL manual, Transaction Isolation Levels, READ UNCOMMITTED: \"SELECT statements are"
          + " performed in a nonlocking fashion, but a possible earlier version of a row might be"
          + " used. Thus, using this isolation level, such reads are not consistent. This is also"
          + " called a dirty read.\"; WriteCheck, section 3.3") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAt(IsolationLevel.READ_UNCOMMITTED)
          && DirtySources.wroteFromUncommitted(evidence.execution())
          && evidence.isExplainedBy(Mechanism.DIRTY_SOURCE);
    }
  },
  UNDONE_INSERT(
      "innodb-undone-insert",
      FindingClass.BY_DESIGN,
      Set.of(OracleKind.WRITECHECK),
      "If InnoDB rolls back an INSERT within a transaction, because of an error or by "
          + "ROLLBACK TO SAVEPOINT, the inserted rows are no longer locked: another transaction"
          + " may insert them, and no order explains that the statement succeeded or failed.",
      "MySQL manual, SAVEPOINT: \"For a new inserted row, the lock information is carried by the"
          + " transaction ID stored in the row; the lock is not separately stored in memory. In"
          + " this case, the row lock is released in the undo.\"") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      Set<Step> undone = RolledBackInserts.of(evidence.execution());
      return !undone.isEmpty()
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsWithout(undone::contains);
    }
  },
  EARLY_SAVEPOINT(
      "innodb-early-savepoint",
      FindingClass.KNOWN_BUG,
      EnumSet.allOf(OracleKind.class),
      "A transaction sets a savepoint before it uses a table, and rolls back to it later: then its"
          + " snapshot and its locks are gone, although it has not ended. What it reads afterwards"
          + " may differ from what it has read, and others may change the rows that it has locked.",
      "MySQL manual, SAVEPOINT: \"The ROLLBACK TO SAVEPOINT statement rolls back a transaction to the"
          + " named savepoint without terminating the transaction. [...] InnoDB does not release the"
          + " row locks that were stored in memory after the savepoint.\" MySQL bug 119490 (Open)"
          + " reports it of the lock of an UPDATE; no report of the snapshot is known. Observed on"
          + " MariaDB 10.11.5 and MySQL 9.7.4") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.isAboveReadCommitted() && EarlySavepoints.explain(evidence);
    }
  };

  private final Facts facts;

  InnodbBehaviour(
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
