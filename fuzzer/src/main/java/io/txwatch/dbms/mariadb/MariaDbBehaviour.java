package io.txwatch.dbms.mariadb;

import io.txwatch.dbms.mysql.LevelsOfNextTransaction;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.SecondaryIndexes;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Pattern;

/** Known behaviour of MariaDB alone. */
public enum MariaDbBehaviour implements KnownBehaviour {
  INDEX_WITHOUT_CHILD(
      "mariadb-index-without-child",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.ISOREL, OracleKind.TXCHECK),
      "If a foreign key's action (CASCADE, SET NULL) has to wait for an entry of the "
          + "child's index, InnoDB changes the row but not its index: a read by the index "
          + "returns the old row or nothing, and later actions do not find the child. Fixed in "
          + "10.11.6.",
      "MDEV-30531; observed on 10.11.5") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isVersion(evidence, WITHOUT_CASCADE_INDEX_FIX)
          && references(evidence).hasBlockedCascade(evidence.execution())
          && evidence.needs(Mechanism.STALE_CHILD_INDEX);
    }
  },
  ROW_TAKEN_TWICE(
      "mariadb-row-taken-twice",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.ISOREL, OracleKind.TXCHECK),
      "If an UPDATE or a locking query waits for a row with a NULL in its unique key, and"
          + " the row is then rolled back, the statement mistakes the previous row for the next"
          + " one: the row is changed and counted twice, at every level. Fixed in 10.11.8.",
      "MDEV-33802; observed on 10.11.5") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isVersion(evidence, WITHOUT_NULL_KEY_FIX)
          && RolledBackNullKeys.matches(evidence.execution(), evidence.verdict().statement())
          && evidence.needs(Mechanism.ROW_TWICE);
    }
  },
  UNCHECKED_INDEX_LOCK(
      "mariadb-unchecked-index-lock",
      FindingClass.NEW,
      Set.of(OracleKind.TROC),
      "With innodb_snapshot_isolation, a query that locks rows with a shared lock, and reads only"
          + " an index that is not the primary key, does not fail if rows were inserted, changed or"
          + " deleted since the snapshot: it returns other rows than a plain query of the same"
          + " transaction.",
      "MariaDB documentation, InnoDB System Variables, innodb_snapshot_isolation: \"an error"
          + " DB_RECORD_CHANGED (HA_ERR_RECORD_CHANGED, ER_CHECKREAD) is raised if an attempt is"
          + " made to acquire a lock on a record that does not exist in the current read view\";"
          + " observed on 10.11.19, 11.4.5 and 11.8.9; no known bug report") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.needs(Mechanism.UNCHECKED_INDEX_LOCK)
          && evidence.disappearsIn(
              SecondaryIndexes.removedFrom(evidence.execution().testCase()), new Troc());
    }
  },
  DIRTY_TARGET(
      "mariadb-dirty-target",
      FindingClass.NEW,
      Set.of(OracleKind.WRITECHECK, OracleKind.TROC, OracleKind.TXCHECK),
      "At READ UNCOMMITTED with innodb_snapshot_isolation, an UPDATE does not wait for a row that"
          + " another transaction has deleted, or changed so that it does not match any more. If"
          + " that transaction rolls back, the row matches and was not updated.",
      "MariaDB documentation, SET TRANSACTION, READ UNCOMMITTED, speaks of SELECT alone; observed"
          + " on 11.4.5 and 11.8.9, not without that setting; no known bug report") {
    @Override
    public boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAt(IsolationLevel.READ_UNCOMMITTED)
          && evidence.needs(Mechanism.DIRTY_TARGET);
    }
  },
  LEVEL_OF_PREVIOUS_BEGIN(
      "mariadb-level-of-previous-begin",
      FindingClass.KNOWN_BUG,
      Set.of(OracleKind.ISOREL),
      "SET TRANSACTION gives the next transaction a level. If a second START TRANSACTION ends that"
          + " transaction, the one that it begins still has that level: below READ COMMITTED it"
          + " reads uncommitted rows.",
      "MDEV-35335 (in the changelog of 10.6.21, which 10.11.11 includes); APTrans, Table 5;"
          + " observed on 10.11.5, not on 11.4.5") {
    @Override
    public boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return LevelsOfNextTransaction.explain(evidence);
    }
  };

  private static final Pattern WITHOUT_CASCADE_INDEX_FIX = Pattern.compile("^10\\.11\\.[0-5]\\b");
  private static final Pattern WITHOUT_NULL_KEY_FIX = Pattern.compile("^10\\.11\\.[0-7]\\b");

  private final Facts facts;

  MariaDbBehaviour(
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

  private static boolean isVersion(Evidence evidence, Pattern version) {
    return version.matcher(evidence.database().product().version()).find();
  }
}
