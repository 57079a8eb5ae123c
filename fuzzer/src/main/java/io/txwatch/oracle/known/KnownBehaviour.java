package io.txwatch.oracle.known;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.Innodb;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.DirtySources;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Known behaviour of DBMSs. A finding that matches is labelled, never hidden. An entry matches only
 * if its mechanism gives all that was observed.
 */
public enum KnownBehaviour {
  INNODB_SEQUENCE_ORDER(
      "innodb-sequence-order",
      FindingClass.KNOWN_BUG,
      "At SERIALIZABLE, generated keys are assigned in the order of the INSERTs, not of the"
          + " transactions: a transaction reads the rows of a later one, whose keys follow its own."
          + " No serial order gives these keys.",
      "MDEV-36330; APTrans, Figure 1; observed on MariaDB 10.11.5 and MySQL 9.7.4") {
    @Override
    boolean explains(String oracle) {
      return oracle.equals("aptrans");
    }

    @Override
    boolean matches(Evidence evidence) {
      return isInnodb(evidence)
          && evidence.execution().level() == IsolationLevel.SERIALIZABLE
          && evidence
              .verdict()
              .patterns()
              .filter(patterns -> patterns.forbidden().equals(List.of("36-sequence")))
              .isPresent();
    }
  },
  MARIADB_INDEX_WITHOUT_CHILD(
      "mariadb-index-without-child",
      FindingClass.KNOWN_BUG,
      "If a foreign key's action (CASCADE, SET NULL) has to wait for an entry of the "
          + "child's index, InnoDB changes the row but not its index: a read by the index "
          + "returns the old row or nothing, and later actions do not find the child. Fixed in "
          + "10.11.6.",
      "MDEV-30531; observed on 10.11.5") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isMariaDb(evidence, WITHOUT_CASCADE_INDEX_FIX)
          && references(evidence).hasBlockedCascade(evidence.execution())
          && evidence.needs(Mechanism.STALE_CHILD_INDEX);
    }
  },
  MARIADB_ROW_TAKEN_TWICE(
      "mariadb-row-taken-twice",
      FindingClass.KNOWN_BUG,
      "If an UPDATE or a locking query waits for a row with a NULL in its unique key, and"
          + " the row is then rolled back, the statement mistakes the previous row for the next"
          + " one: the row is changed and counted twice, at every level. Fixed in 10.11.8.",
      "MDEV-33802; observed on 10.11.5") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isMariaDb(evidence, WITHOUT_NULL_KEY_FIX)
          && RolledBackNullKeys.matches(evidence.execution(), evidence.verdict().statement())
          && evidence.needs(Mechanism.ROW_TWICE);
    }
  },
  MARIADB_UNCHECKED_INDEX_LOCK(
      "mariadb-unchecked-index-lock",
      FindingClass.NEW,
      "With innodb_snapshot_isolation, a query that locks rows with a shared lock, and reads only"
          + " an index that is not the primary key, does not fail if rows were inserted, changed or"
          + " deleted since the snapshot: it returns other rows than a plain query of the same"
          + " transaction.",
      "MariaDB documentation, InnoDB System Variables, innodb_snapshot_isolation: \"an error"
          + " DB_RECORD_CHANGED (HA_ERR_RECORD_CHANGED, ER_CHECKREAD) is raised if an attempt is"
          + " made to acquire a lock on a record that does not exist in the current read view\";"
          + " observed on 10.11.19, 11.4.5 and 11.8.9; no known bug report") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.database().product().equals("MariaDB")
          && evidence.isBy("troc")
          && evidence.needs(Mechanism.UNCHECKED_INDEX_LOCK)
          && evidence.disappearsIn(
              SecondaryIndexes.removedFrom(evidence.execution().testCase()), new Troc());
    }
  },
  MARIADB_DIRTY_TARGET(
      "mariadb-dirty-target",
      FindingClass.NEW,
      "At READ UNCOMMITTED with innodb_snapshot_isolation, an UPDATE does not wait for a row that"
          + " another transaction has deleted, or changed so that it does not match any more. If"
          + " that transaction rolls back, the row matches and was not updated.",
      "MariaDB documentation, SET TRANSACTION, READ UNCOMMITTED, speaks of SELECT alone; observed"
          + " on 11.4.5 and 11.8.9, not without that setting; no known bug report") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.database().product().equals("MariaDB")
          && evidence.execution().level() == IsolationLevel.READ_UNCOMMITTED
          && !evidence.isBy("isorel")
          && evidence.needs(Mechanism.DIRTY_TARGET);
    }
  },
  MARIADB_LEVEL_OF_PREVIOUS_BEGIN(
      "mariadb-level-of-previous-begin",
      FindingClass.KNOWN_BUG,
      "SET TRANSACTION gives the next transaction a level. If a second START TRANSACTION ends that"
          + " transaction, the one that it begins still has that level: below READ COMMITTED it"
          + " reads uncommitted rows.",
      "MDEV-35335 (state not published with the paper); APTrans, Table 5; observed on 10.11.5") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      Optional<Phenomenon> phenomenon = evidence.verdict().phenomenon();
      if (!evidence.database().product().equals("MariaDB")
          || !evidence.isBy("isorel")
          || phenomenon.filter(DIRTY_READS::contains).isEmpty()) {
        return false;
      }
      TestCase testCase = evidence.execution().testCase();
      List<Step> steps = LevelsOfNextTransaction.withoutThoseBeforeTwoBegins(testCase.steps());
      return !steps.equals(testCase.steps())
          && evidence.disappearsIn(testCase.withSteps(steps), new IsoRel());
    }
  },
  INNODB_SEMI_CONSISTENT_READ(
      "innodb-semi-consistent-read",
      FindingClass.BY_DESIGN,
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
          + " 104833, 105042 (Verified, as a"
          + " fault of the documentation), 114952; MDEV-26643") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isInnodb(evidence)
          && evidence.isAtMostReadCommitted()
          && !evidence.isBy("isorel")
          && evidence.needs(Mechanism.SEMI_CONSISTENT_READ);
    }
  },
  INNODB_MOVED_ROW(
      "innodb-moved-row",
      FindingClass.KNOWN_BUG,
      "At READ UNCOMMITTED and READ COMMITTED an UPDATE, DELETE or locking query that waits for"
          + " a row whose key changes meanwhile misses the row: it has moved behind the scan, and"
          + " the statement does not search for it again.",
      "MDEV-27992, MySQL bug 119801; observed on MariaDB 10.11.5 and MySQL 9.7.4") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isInnodb(evidence)
          && evidence.isAtMostReadCommitted()
          && !evidence.isBy("isorel")
          && !evidence.isExplainedBy(Mechanism.SEMI_CONSISTENT_READ)
          && evidence.isExplainedBy(Mechanism.MOVED_ROW);
    }
  },
  INNODB_SNAPSHOT_BESIDE_CURRENT_READ(
      "innodb-snapshot-beside-current-read",
      FindingClass.KNOWN_BUG,
      "At REPEATABLE READ a write reads the current versions of rows, not those of the "
          + "transaction's snapshot. If it leaves a row unchanged, InnoDB writes no version, "
          + "and the transaction still sees the old one; if it changes the key, the transaction"
          + " sees both rows. Does not occur with innodb_snapshot_isolation.",
      "MySQL bugs 104986, 105670, 119801; MDEV-26642, MDEV-35124") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isInnodb(evidence)
          && evidence.execution().level() == IsolationLevel.REPEATABLE_READ
          && (!evidence.isBy("isorel")
              || evidence.verdict().phenomenon().equals(Optional.of(Phenomenon.INTERNAL)))
          && evidence.needs(Mechanism.SNAPSHOT_BESIDE_CURRENT_READ);
    }
  },
  INNODB_CURRENT_WRITES(
      "innodb-current-writes",
      FindingClass.BY_DESIGN,
      "At REPEATABLE READ an UPDATE, a DELETE, the query of an INSERT and a subquery of a write use"
          + " the current versions of rows, not those that a plain query of the same transaction"
          + " sees.",
      "MySQL manual, Consistent Nonlocking Reads: \"The snapshot of the database state applies to"
          + " SELECT statements within a transaction, not necessarily to DML statements\"; reported"
          + " as MySQL bugs 108528, 114548; MDEV-29565") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return isInnodb(evidence)
          && evidence.execution().level() == IsolationLevel.REPEATABLE_READ
          && evidence.isBy("txcheck")
          && evidence.isExplainedByCurrentWrites();
    }
  },
  INNODB_DIRTY_SOURCE(
      "innodb-dirty-source",
      FindingClass.BY_DESIGN,
      "At READ UNCOMMITTED the query of an INSERT, and a subquery of another write, read "
          + "uncommitted changes, which may be rolled back: no order of the statements explains"
          + " what the write stores, or that it fails.",
      "MySQL manual, Transaction Isolation Levels, READ UNCOMMITTED: \"SELECT statements are"
          + " performed in a nonlocking fashion, but a possible earlier version of a row might be"
          + " used. Thus, using this isolation level, such reads are not consistent. This is also"
          + " called a dirty read.\"; WriteCheck, section 3.3") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return isInnodb(evidence)
          && evidence.execution().level() == IsolationLevel.READ_UNCOMMITTED
          && evidence.isBy("writecheck")
          && DirtySources.wroteFromUncommitted(evidence.execution())
          && evidence.isExplainedBy(Mechanism.DIRTY_SOURCE);
    }
  },
  INNODB_UNDONE_INSERT(
      "innodb-undone-insert",
      FindingClass.BY_DESIGN,
      "If InnoDB rolls back an INSERT within a transaction, because of an error or by "
          + "ROLLBACK TO SAVEPOINT, the inserted rows are no longer locked: another transaction"
          + " may insert them, and no order explains that the statement succeeded or failed.",
      "MySQL manual, SAVEPOINT: \"For a new inserted row, the lock information is carried by the"
          + " transaction ID stored in the row; the lock is not separately stored in memory. In"
          + " this case, the row lock is released in the undo.\"") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      if (!isInnodb(evidence) || !evidence.isBy("writecheck")) {
        return false;
      }
      Set<Step> undone = RolledBackInserts.of(evidence.execution());
      return !undone.isEmpty()
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsWithout(undone::contains);
    }
  },
  POSTGRESQL_READ_COMMITTED_RECHECK(
      "postgresql-read-committed-recheck",
      FindingClass.BY_DESIGN,
      "At READ COMMITTED a command that waited for a row reads the new version of that "
          + "row, and all other rows as of its start: it may see a part of the other "
          + "transaction's changes.",
      "PostgreSQL manual, section 13.2.1: \"it is possible for an updating command to see an"
          + " inconsistent snapshot: it can see the effects of concurrent updating commands on the"
          + " same rows it is trying to update, but it does not see effects of those commands on"
          + " other rows in the database\"") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.database().product().equals("PostgreSQL")
          && evidence.isAtMostReadCommitted()
          && evidence.isBy("writecheck") // Troc's views include it
          && evidence.execution().hadBlocking()
          && evidence.isExplainedBy(Mechanism.LEVEL);
    }
  },
  POSTGRESQL_UNREAD_CONFLICT(
      "postgresql-unread-conflict",
      FindingClass.NEW,
      "At SERIALIZABLE an INSERT … ON CONFLICT DO NOTHING that finds a conflicting row "
          + "does not count as having read it: another transaction may delete that row, and no "
          + "order of the two explains the final state.",
      "observed on 18.6; no bug number; a patch was proposed on pgsql-hackers on 2026-06-01 (\"Add"
          + " isolation tests for ON CONFLICT no-op SSI false negatives\")") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return isPostgresSerializable(evidence)
          && evidence.execution().outcomes().stream().anyMatch(KnownBehaviour::didNothing)
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsWithout(step -> didNothing(evidence.execution().outcome(step)));
    }
  },
  POSTGRESQL_FOREIGN_KEY_BESIDE_SNAPSHOT(
      "postgresql-foreign-key-beside-snapshot",
      FindingClass.NEW,
      "At SERIALIZABLE foreign keys are checked, and their actions executed, against the "
          + "latest committed rows, which does not count as a read: a transaction that deletes "
          + "a parent need not have seen that its child was deleted, and no order explains what"
          + " it reads.",
      "ri_triggers.c, ri_PerformCheck, detectNewRows; the manual does not mention it") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return isPostgresSerializable(evidence)
          && references(evidence).hasParentChildConflict(evidence.execution())
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsIn(
              ForeignKeyGraph.withoutForeignKeys(evidence.execution().testCase()));
    }
  },
  H2_FOREIGN_KEY_UNLOCKED(
      "h2-foreign-key-unlocked",
      FindingClass.KNOWN_BUG,
      "H2 does not lock the parent row of a foreign key check: another transaction may "
          + "delete it, which leaves a child without a parent.",
      "H2 issue 3663, open") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.database().product().equals("H2")
          && !evidence.isBy("isorel")
          && references(evidence).hasParentChildConflict(evidence.execution())
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsIn(
              ForeignKeyGraph.withoutForeignKeys(evidence.execution().testCase()));
    }
  },
  H2_MERGE_CONFLICT(
      "h2-merge-conflict",
      FindingClass.KNOWN_BUG,
      "A MERGE looks for a match as of its start, and then waits for the row that another"
          + " transaction inserts: it fails with a duplicate key instead of updating the row.",
      "H2 issue 4171, open; observed on 2.5.252") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.database().product().equals("H2")
          && evidence.isAtMostReadCommitted()
          && evidence.isBy("writecheck")
          && evidence.execution().outcomes().stream().anyMatch(KnownBehaviour::isMergeConflict)
          && evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.disappearsWithout(
              step -> isMergeConflict(evidence.execution().outcome(step)));
    }
  },
  H2_READ_COMMITTED_RECHECK(
      "h2-read-committed-recheck",
      FindingClass.BY_DESIGN,
      "At READ COMMITTED H2 reads the rows that it waited for again, and all other rows "
          + "as of the statement's start. A row that was deleted and inserted again with the same "
          + "primary key is the same row (MVStore).",
      "H2 manual, Advanced Topics, Transaction Isolation: \"Non-repeatable reads\" and \"Phantom"
          + " reads\" are possible at read committed") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.database().product().equals("H2")
          && evidence.isAtMostReadCommitted()
          && evidence.isBy("writecheck") // Troc's views include it
          && evidence.execution().hadBlocking()
          && evidence.isExplainedBy(Mechanism.LEVEL);
    }
  },
  H2_CHANGED_KEY(
      "h2-changed-key",
      FindingClass.NEW,
      "At READ COMMITTED a statement that waits for a row whose primary key changes meanwhile does"
          + " not find the row again: for H2 it is another row (MVStore). A DELETE of all rows"
          + " deletes none.",
      "observed on 2.5.252; no known bug report") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.database().product().equals("H2")
          && evidence.isAtMostReadCommitted()
          && !evidence.isBy("isorel")
          && evidence.needs(Mechanism.KEY_IS_IDENTITY);
    }
  },
  H2_INSERT_TRIED_AGAIN(
      "h2-insert-tried-again",
      FindingClass.NEW,
      "If an INSERT of several rows finds another transaction's uncommitted key in a "
          + "secondary index, H2 executes it again without rolling back the first attempt: its "
          + "own first row then causes a duplicate key.",
      "observed on 2.5.252; no known bug report") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      if (!evidence.database().product().equals("H2") || evidence.isBy("isorel")) {
        return false;
      }
      Set<Step> rejected = RetriedInserts.of(evidence.execution());
      return !rejected.isEmpty()
          && !evidence.isExplainedBy(Mechanism.LEVEL)
          && evidence.isExplainedByErrorsOf(rejected::contains);
    }
  },
  H2_EXTREMES_BY_INDEX(
      "h2-extremes-by-index",
      FindingClass.NEW,
      "At REPEATABLE READ and above, MAX of an indexed column is wrong once the transaction itself"
          + " has written or locked rows of the table: it is the smaller of the snapshot's and the"
          + " written rows' greatest value, or what has since been written to the former's row; also"
          + " in a write that uses MAX.",
      "observed on 2.5.252; no known bug report") {
    @Override
    boolean matches(Evidence evidence)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      return evidence.database().product().equals("H2")
          && !evidence.isAtMostReadCommitted()
          && (evidence.needs(Mechanism.SMALLER_MAXIMUM) || isMaximumBehindReads(evidence));
    }
  },
  READ_COMMITTED_WRITE_SKEW(
      "read-committed-write-skew",
      FindingClass.BY_DESIGN,
      "At READ UNCOMMITTED and READ COMMITTED two transactions may each select the rows "
          + "that they write without the other's uncommitted changes: no order of the "
          + "transactions or of their statements explains the final state.",
      "PostgreSQL manual, section 13.2.1: a command \"sees only data committed before the query"
          + " began; it never sees either uncommitted data or changes committed by concurrent"
          + " transactions during the query's execution\"; MySQL manual, Consistent Nonlocking"
          + " Reads: \"each consistent read within a transaction sets and reads its own fresh"
          + " snapshot\"; WriteCheck, listings 5 and 6 (\"permissible\")") {
    @Override
    boolean matches(Evidence evidence) throws SQLException, ScheduleExecutor.SetupException {
      return evidence.isAtMostReadCommitted()
          && evidence.isBy("writecheck")
          && WriteOrder.isContradictory(evidence.execution())
          && evidence.isExplainedBy(Mechanism.LEVEL);
    }
  };

  private static final Set<Phenomenon> DIRTY_READS =
      Set.of(Phenomenon.ABORTED_READ, Phenomenon.INTERMEDIATE_READ);

  private static final Pattern WITHOUT_CASCADE_INDEX_FIX = Pattern.compile("^10\\.11\\.[0-5]\\b");
  private static final Pattern WITHOUT_NULL_KEY_FIX = Pattern.compile("^10\\.11\\.[0-7]\\b");

  private final String id;

  private final FindingClass findingClass;
  private final String description;
  private final String source;

  KnownBehaviour(String id, FindingClass findingClass, String description, String source) {
    this.id = id;
    this.findingClass = findingClass;
    this.description = description;
    this.source = source;
  }

  /** The id in reports. */
  public String id() {
    return id;
  }

  /** Whether it is by design. */
  public FindingClass findingClass() {
    return findingClass;
  }

  /** What happens. */
  public String description() {
    return description;
  }

  /** The manual's words and their place, the bug's number, or where it was observed. */
  public String source() {
    return source;
  }

  /** True if it may explain a verdict of this oracle. */
  boolean explains(String oracle) {
    return !oracle.equals("aptrans"); // its executions have other statements
  }

  abstract boolean matches(Evidence evidence)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  private static boolean isInnodb(Evidence evidence) {
    return Innodb.isEngineOf(evidence.database());
  }

  private static boolean isMariaDb(Evidence evidence, Pattern version) {
    Database database = evidence.database();
    return database.product().equals("MariaDB") && version.matcher(database.version()).find();
  }

  private static boolean isPostgresSerializable(Evidence evidence) {
    return evidence.database().product().equals("PostgreSQL")
        && evidence.execution().level() == IsolationLevel.SERIALIZABLE
        && evidence.isBy("writecheck");
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
    List<Step> steps =
        testCase.steps().stream().map(KnownBehaviour::withoutIndexForExtreme).toList();
    return evidence.isBy("txcheck")
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

  /** True if an INSERT … ON CONFLICT DO NOTHING succeeded. */
  private static boolean didNothing(StepOutcome outcome) {
    SqlText text = SqlText.of(outcome.step().sql());
    return outcome.succeeded() && text.has("ON", "CONFLICT") && text.has("DO", "NOTHING");
  }

  /**
   * The known behaviour that explains a violation.
   *
   * @param executor executes statements and changed cases, to decide what explains it
   * @param execution the violating execution
   * @param verdict the verdict on it
   */
  public static Optional<KnownBehaviour> of(
      CaseExecutor executor, CaseExecution execution, OracleVerdict verdict)
      throws SQLException, InterruptedException {
    Evidence evidence = new Evidence(executor, execution, verdict);
    try {
      for (KnownBehaviour known : values()) {
        if (known.explains(verdict.oracle()) && known.matches(evidence)) {
          return Optional.of(known);
        }
      }
    } catch (ScheduleExecutor.SetupException e) {
      return Optional.empty(); // what cannot be executed again is not explained
    }
    return Optional.empty();
  }

  /** The class of a violation with this known behaviour, or with none. */
  public static FindingClass classOf(Optional<KnownBehaviour> known) {
    return known.map(KnownBehaviour::findingClass).orElse(FindingClass.NEW);
  }
}
