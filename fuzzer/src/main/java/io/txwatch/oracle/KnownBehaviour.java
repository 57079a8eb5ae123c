package io.txwatch.oracle;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.Execution;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What DBMSs are known to do: by design, or as a bug that is on record. A finding that fits is
 * tagged, never hidden.
 */
public enum KnownBehaviour {
  /**
   * At READ UNCOMMITTED and READ COMMITTED an UPDATE or DELETE that meets a locked row looks at its
   * last committed version to see whether it need wait, and keeps no locks on rows that it did not
   * choose: so it may apply to some rows of another transaction's change and not to others. By
   * design (MySQL manual, "Transaction Isolation Levels"; MySQL bugs 104833, 114952, 119801;
   * MDEV-26643, MDEV-27992).
   */
  INNODB_SEMI_CONSISTENT_READ("innodb-semi-consistent-read") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      return isInnodb(database) && isReadCommitted(execution) && execution.hadBlocking();
    }
  },
  /**
   * At REPEATABLE READ an UPDATE looks at rows as they are, not as the transaction's snapshot has
   * them. Where it leaves a row as it is, InnoDB writes no version, and the transaction goes on to
   * see the old one; where it moved to another key, it sees both (MySQL bugs 104986, 105670,
   * 119801; MDEV-26642). Gone with {@code innodb_snapshot_isolation} (MDEV-35124).
   */
  INNODB_SNAPSHOT_BESIDE_CURRENT_READ("innodb-snapshot-beside-current-read") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      boolean wrote =
          execution.outcomes().stream()
              .anyMatch(outcome -> outcome.succeeded() && outcome.updateCount() > 0);
      return isInnodb(database)
          && execution.level() == IsolationLevel.REPEATABLE_READ
          && wrote
          && PLAIN_READ.matcher(verdict.sql()).find();
    }
  },
  /**
   * At READ COMMITTED a command that waited for a row looks at the row's new version alone, and at
   * all others as they were when it began: it may see half of the other transaction. By design
   * (PostgreSQL manual, section 13.2.1).
   */
  POSTGRESQL_READ_COMMITTED_RECHECK("postgresql-read-committed-recheck") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      return database.product().equals("PostgreSQL")
          && isReadCommitted(execution)
          && execution.hadBlocking();
    }
  },
  /**
   * At SERIALIZABLE an INSERT … ON CONFLICT that finds a row in its way does not count as having
   * read it: another transaction may delete that row, and no order of the two explains what is
   * left. Seen on 18.6; no bug on record that we know of.
   */
  POSTGRESQL_UNREAD_CONFLICT("postgresql-unread-conflict") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      return database.product().equals("PostgreSQL")
          && execution.level() == IsolationLevel.SERIALIZABLE
          && verdict.oracle().equals("writecheck")
          && execution.outcomes().stream()
              .anyMatch(outcome -> ON_CONFLICT.matcher(outcome.step().sql()).find());
    }
  },
  /** H2 looks at the rows that it waited for again, and at all others as they were (MVStore). */
  H2_READ_COMMITTED_RECHECK("h2-read-committed-recheck") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      return database.product().equals("H2")
          && isReadCommitted(execution)
          && execution.hadBlocking();
    }
  },
  /**
   * H2 (2.5.252): MIN and MAX that an index answers do not see the rows that the transaction itself
   * inserted, at REPEATABLE READ and above. No bug on record that we know of.
   */
  H2_EXTREMES_BY_INDEX("h2-extremes-by-index") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      return database.product().equals("H2")
          && !isReadCommitted(execution)
          && EXTREME.matcher(verdict.sql()).find();
    }
  },
  /**
   * At READ UNCOMMITTED and READ COMMITTED two transactions may each choose the rows that they
   * write by what the other has not yet committed: then no order of theirs, nor of their
   * statements, leaves behind what they do. By design (WriteCheck, listings 5 and 6:
   * "permissible").
   */
  READ_COMMITTED_WRITE_SKEW("read-committed-write-skew") {
    @Override
    boolean fits(Database database, Execution execution, Verdict verdict) {
      return isReadCommitted(execution) && verdict.oracle().equals("writecheck");
    }
  };

  private static final Pattern PLAIN_READ = Pattern.compile("(?i)^\\s*(SELECT|WITH)\\b");
  private static final Pattern ON_CONFLICT = Pattern.compile("(?i)\\bON\\s+CONFLICT\\b");
  private static final Pattern EXTREME = Pattern.compile("(?i)\\b(MIN|MAX)\\(");

  private final String id;

  KnownBehaviour(String id) {
    this.id = id;
  }

  /** Its name in reports. */
  public String id() {
    return id;
  }

  abstract boolean fits(Database database, Execution execution, Verdict verdict);

  private static boolean isInnodb(Database database) {
    return database.product().equals("MySQL") || database.product().equals("MariaDB");
  }

  private static boolean isReadCommitted(Execution execution) {
    return execution.level().compareTo(IsolationLevel.READ_COMMITTED) <= 0;
  }

  /**
   * The behaviour that a violation fits.
   *
   * @param execution the violating execution
   * @param verdict what was said of it
   */
  public static Optional<KnownBehaviour> of(
      Database database, Execution execution, Verdict verdict) {
    return Arrays.stream(values())
        .filter(known -> known.fits(database, execution, verdict))
        .findFirst();
  }
}
