package io.txwatch.oracle;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.Failure;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Known behaviour of DBMSs: by design, or a bug on record. A finding that matches is tagged, never
 * hidden. Each entry matches as narrowly as possible, so that no other bug is mistaken for it.
 */
public enum KnownBehaviour {
  MARIADB_INDEX_WITHOUT_CHILD(
      "mariadb-index-without-child",
      "If a foreign key's action (CASCADE, SET NULL) has to wait for an entry of the "
          + "child's index, InnoDB changes the row but not its index: a read by the index "
          + "returns the old row or nothing, and later actions do not find the child. Fixed in "
          + "10.11.6.",
      "MDEV-30531; observed on 10.11.5") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("MariaDB")
          && WITHOUT_CASCADE_INDEX_FIX.matcher(database.version()).find()
          && ForeignKeyGraph.of(execution.testCase().setup()).hasBlockedCascade(execution);
    }
  },
  MARIADB_ROW_TAKEN_TWICE(
      "mariadb-row-taken-twice",
      "If an UPDATE or a locking query waits for a row with a NULL in its unique key, and"
          + " the row is then rolled back, the statement mistakes the previous row for the next"
          + " one: the row is changed and counted twice, at every level. Fixed in 10.11.8.",
      "MDEV-33802; observed on 10.11.5") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("MariaDB")
          && WITHOUT_NULL_KEY_FIX.matcher(database.version()).find()
          && RolledBackNullKeys.matches(execution, verdict.statement());
    }
  },
  INNODB_SEMI_CONSISTENT_READ(
      "innodb-semi-consistent-read",
      "At READ UNCOMMITTED and READ COMMITTED an UPDATE, DELETE or locking query that "
          + "finds a locked row reads its last committed version to decide whether to wait, and"
          + " keeps no locks on rows that do not match: it may see a part of another "
          + "transaction's changes. By design.",
      "MySQL manual, Transaction Isolation Levels; MySQL bugs 104833, 114952, 119801; MDEV-26643,"
          + " MDEV-27992") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return isInnodb(database) && isReadCommitted(execution) && hasBlockedSearch(execution);
    }
  },
  INNODB_SNAPSHOT_BESIDE_CURRENT_READ(
      "innodb-snapshot-beside-current-read",
      "At REPEATABLE READ a write reads the current versions of rows, not those of the "
          + "transaction's snapshot. If it leaves a row unchanged, InnoDB writes no version, "
          + "and the transaction still sees the old one; if it changes the key, the transaction"
          + " sees both rows. Does not occur with innodb_snapshot_isolation.",
      "MySQL bugs 104986, 105670, 119801; MDEV-26642, MDEV-35124") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return isInnodb(database)
          && execution.level() == IsolationLevel.REPEATABLE_READ
          && (verdict.phenomenon().equals(Optional.of(Phenomenon.INTERNAL))
              ? execution.outcomes().stream().anyMatch(read -> readsAfterWriting(execution, read))
              : StatementText.isQuery(verdict.sql()) && wroteBefore(execution, verdict));
    }
  },
  INNODB_DIRTY_SOURCE(
      "innodb-dirty-source",
      "At READ UNCOMMITTED the query of an INSERT, and a subquery of another write, read "
          + "uncommitted changes, which may be rolled back: no order of the statements explains"
          + " what the write stores, or that it fails. By design.",
      "MySQL manual, Consistent Nonlocking Reads; WriteCheck, section 3.3") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return isInnodb(database)
          && execution.level() == IsolationLevel.READ_UNCOMMITTED
          && verdict.oracle().equals("writecheck")
          && wroteFromUncommitted(execution);
    }
  },
  INNODB_UNDONE_INSERT(
      "innodb-undone-insert",
      "If InnoDB rolls back an INSERT within a transaction, because of an error or by "
          + "ROLLBACK TO SAVEPOINT, the inserted rows are no longer locked: another transaction"
          + " may insert them, and no order explains that the statement succeeded or failed. By"
          + " design.",
      "MySQL manual, SAVEPOINT, on the row lock that is released in the undo") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return isInnodb(database)
          && verdict.oracle().equals("writecheck")
          && RolledBackInserts.matches(execution);
    }
  },
  POSTGRESQL_READ_COMMITTED_RECHECK(
      "postgresql-read-committed-recheck",
      "At READ COMMITTED a command that waited for a row reads the new version of that "
          + "row, and all other rows as of its start: it may see a part of the other "
          + "transaction's changes. By design.",
      "PostgreSQL manual, section 13.2.1") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("PostgreSQL")
          && isReadCommitted(execution)
          && verdict.oracle().equals("writecheck") // Troc's views include it
          && execution.hadBlocking();
    }
  },
  POSTGRESQL_UNREAD_CONFLICT(
      "postgresql-unread-conflict",
      "At SERIALIZABLE an INSERT … ON CONFLICT DO NOTHING that finds a conflicting row "
          + "does not count as having read it: another transaction may delete that row, and no "
          + "order of the two explains the final state.",
      "observed on 18.6; no known bug report") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("PostgreSQL")
          && execution.level() == IsolationLevel.SERIALIZABLE
          && verdict.oracle().equals("writecheck")
          && execution.outcomes().stream()
              .filter(StepOutcome::succeeded)
              .anyMatch(outcome -> DO_NOTHING.matcher(outcome.step().sql()).find());
    }
  },
  POSTGRESQL_FOREIGN_KEY_BESIDE_SNAPSHOT(
      "postgresql-foreign-key-beside-snapshot",
      "At SERIALIZABLE foreign keys are checked, and their actions executed, against the "
          + "latest committed rows, which does not count as a read: a transaction that deletes "
          + "a parent need not have seen that its child was deleted, and no order explains what"
          + " it reads. By design.",
      "ri_triggers.c, ri_PerformCheck, detectNewRows") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("PostgreSQL")
          && execution.level() == IsolationLevel.SERIALIZABLE
          && verdict.oracle().equals("writecheck")
          && ForeignKeyGraph.of(execution.testCase().setup()).hasParentChildConflict(execution);
    }
  },
  H2_FOREIGN_KEY_UNLOCKED(
      "h2-foreign-key-unlocked",
      "H2 does not lock the parent row of a foreign key check: another transaction may "
          + "delete it, which leaves a child without a parent.",
      "H2 issue 3663, open") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("H2")
          && !verdict.oracle().equals("isorel")
          && ForeignKeyGraph.of(execution.testCase().setup()).hasParentChildConflict(execution);
    }
  },
  H2_READ_COMMITTED_RECHECK(
      "h2-read-committed-recheck",
      "At READ COMMITTED H2 reads the rows that it waited for again, and all other rows "
          + "as of the statement's start. H2 identifies a row by its primary key: a row with a "
          + "changed key is a different one, and a row that was deleted and inserted again is "
          + "the same (MVStore).",
      "no documented guarantee") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("H2")
          && isReadCommitted(execution)
          && hasBlockedSearch(execution);
    }
  },
  H2_INSERT_TRIED_AGAIN(
      "h2-insert-tried-again",
      "If an INSERT of several rows finds another transaction's uncommitted key in a "
          + "secondary index, H2 executes it again without rolling back the first attempt: its "
          + "own first row then causes a duplicate key.",
      "observed on 2.5.252; no known bug report") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("H2")
          && !verdict.oracle().equals("isorel")
          && RetriedInserts.matches(execution, verdict.statement());
    }
  },
  H2_EXTREMES_BY_INDEX(
      "h2-extremes-by-index",
      "At REPEATABLE READ and above, MIN and MAX of an indexed column are wrong once the "
          + "transaction itself has written the table: MAX returns the key that it wrote, not a"
          + " greater one, and a write that uses MIN or MAX ignores other rows as well.",
      "observed on 2.5.252; no known bug report") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return database.product().equals("H2")
          && !isReadCommitted(execution)
          && ((MIN_OR_MAX.matcher(verdict.sql()).find() && wroteBefore(execution, verdict))
              || execution.outcomes().stream().anyMatch(write -> writesMinOrMax(execution, write)));
    }
  },
  READ_COMMITTED_WRITE_SKEW(
      "read-committed-write-skew",
      "At READ UNCOMMITTED and READ COMMITTED two transactions may each select the rows "
          + "that they write without the other's uncommitted changes: no order of the "
          + "transactions or of their statements explains the final state. By design.",
      "WriteCheck, listings 5 and 6 (\"permissible\")") {
    @Override
    boolean matches(Database database, CaseExecution execution, OracleVerdict verdict) {
      return isReadCommitted(execution)
          && verdict.oracle().equals("writecheck")
          && WriteOrder.isContradictory(execution);
    }
  };

  private static final Pattern WITHOUT_CASCADE_INDEX_FIX = Pattern.compile("^10\\.11\\.[0-5]\\b");
  private static final Pattern WITHOUT_NULL_KEY_FIX = Pattern.compile("^10\\.11\\.[0-7]\\b");

  /** Statements that search for rows; an INSERT of values only finds rows with its own keys. */
  private static final Pattern SEARCH =
      Pattern.compile("(?i)^\\s*(UPDATE|DELETE|SELECT|WITH|MERGE)\\b|\\bSELECT\\b");

  private static final Pattern DO_NOTHING =
      Pattern.compile("(?i)\\bON\\s+CONFLICT\\b.*\\bDO\\s+NOTHING\\b");
  private static final Pattern MIN_OR_MAX =
      Pattern.compile("(?i)\\b(MIN|MAX)\\(\\s*[\\w.\"]+\\s*\\)");

  /** A write with a query in it. */
  private static final Pattern WRITE_WITH_READ =
      Pattern.compile(
          "(?is)^\\s*(WITH\\b.*\\b)?(INSERT|REPLACE|UPDATE|DELETE)\\b.*\\b(SELECT|JOIN|USING)\\b.*");

  private final String id;
  private final String description;
  private final String source;

  KnownBehaviour(String id, String description, String source) {
    this.id = id;
    this.description = description;
    this.source = source;
  }

  /** The id in reports. */
  public String id() {
    return id;
  }

  /** What happens, and whether it is by design. */
  public String description() {
    return description;
  }

  /** The reference. */
  public String source() {
    return source;
  }

  abstract boolean matches(Database database, CaseExecution execution, OracleVerdict verdict);

  static boolean isInnodb(Database database) {
    return database.product().equals("MySQL") || database.product().equals("MariaDB");
  }

  private static boolean isReadCommitted(CaseExecution execution) {
    return execution.level().compareTo(IsolationLevel.READ_COMMITTED) <= 0;
  }

  private static boolean hasBlockedSearch(CaseExecution execution) {
    return execution.outcomes().stream()
        .anyMatch(outcome -> outcome.blocked() && SEARCH.matcher(outcome.step().sql()).find());
  }

  /**
   * True if a write with a query in it was executed while another transaction had uncommitted
   * writes.
   */
  private static boolean wroteFromUncommitted(CaseExecution execution) {
    Set<String> begun = new HashSet<>();
    Set<String> written = new HashSet<>();
    for (int id : execution.order()) {
      StepOutcome outcome = execution.outcome(id);
      Step step = outcome.step();
      switch (step.role()) {
        case BEGIN -> begun.add(step.session());
        case COMMIT, ROLLBACK -> {
          begun.remove(step.session());
          written.remove(step.session());
        }
        case WORK -> {
          boolean others = written.stream().anyMatch(session -> !session.equals(step.session()));
          Failure failure = outcome.failure();
          boolean ran = failure == null || failure.kind() == Failure.Kind.STATEMENT;
          if (ran && others && WRITE_WITH_READ.matcher(step.sql()).matches()) {
            return true;
          }
          if (outcome.updateCount() > 0 && begun.contains(step.session())) {
            written.add(step.session());
          }
        }
      }
    }
    return false;
  }

  /** True if an effective write reads a MIN or MAX after its session has written. */
  private static boolean writesMinOrMax(CaseExecution execution, StepOutcome outcome) {
    return outcome.updateCount() > 0
        && MIN_OR_MAX.matcher(outcome.step().sql()).find()
        && wroteBefore(execution, outcome.step());
  }

  private static boolean readsAfterWriting(CaseExecution execution, StepOutcome outcome) {
    return outcome.isQuery() && wroteBefore(execution, outcome.step());
  }

  /** True if the session of the verdict's statement had written rows before it. */
  private static boolean wroteBefore(CaseExecution execution, OracleVerdict verdict) {
    return verdict.statement().filter(shown -> wroteBefore(execution, shown)).isPresent();
  }

  private static boolean wroteBefore(CaseExecution execution, Step shown) {
    return execution.outcomes().stream()
        .filter(outcome -> outcome.step().session().equals(shown.session()))
        .filter(outcome -> outcome.step().id() < shown.id())
        .filter(outcome -> !StatementText.isQuery(outcome.step().sql()))
        .anyMatch(outcome -> outcome.updateCount() > 0 || !outcome.rows().isEmpty());
  }

  /**
   * The known behaviour that matches a violation.
   *
   * @param execution the violating execution
   * @param verdict the verdict on it
   */
  public static Optional<KnownBehaviour> of(
      Database database, CaseExecution execution, OracleVerdict verdict) {
    return Arrays.stream(values())
        .filter(known -> known.matches(database, execution, verdict))
        .findFirst();
  }
}
