package io.txwatch.oracle;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.Execution;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What DBMSs are known to do: by design, or as a bug that is on record. A finding that fits is
 * tagged, never hidden.
 */
public enum KnownBehaviour {
  /**
   * At READ UNCOMMITTED and READ COMMITTED an UPDATE or DELETE that meets a locked row looks at its
   * last committed version to see whether it need wait: so it may apply to some rows of another
   * transaction's change and not to others. By design (MySQL manual, "Consistent Nonlocking Reads";
   * MySQL bug 104833, MDEV-26643).
   */
  INNODB_SEMI_CONSISTENT_READ(
      "innodb-semi-consistent-read",
      Set.of("MySQL", "MariaDB"),
      EnumSet.of(IsolationLevel.READ_UNCOMMITTED, IsolationLevel.READ_COMMITTED)),
  /**
   * At READ COMMITTED a command that waited for a row looks at the row's new version alone, and at
   * all others as they were when it began: it may see half of the other transaction. By design
   * (PostgreSQL manual, section 13.2.1).
   */
  POSTGRESQL_READ_COMMITTED_RECHECK(
      "postgresql-read-committed-recheck",
      Set.of("PostgreSQL"),
      EnumSet.of(IsolationLevel.READ_COMMITTED)),
  /** H2 looks at the rows that it waited for again, and at all others as they were (MVStore). */
  H2_READ_COMMITTED_RECHECK(
      "h2-read-committed-recheck", Set.of("H2"), EnumSet.of(IsolationLevel.READ_COMMITTED));

  private final String id;
  private final Set<String> products;
  private final Set<IsolationLevel> levels;

  KnownBehaviour(String id, Set<String> products, Set<IsolationLevel> levels) {
    this.id = id;
    this.products = products;
    this.levels = levels;
  }

  /** Its name in reports. */
  public String id() {
    return id;
  }

  /**
   * The behaviour that a violation fits: each of them needs a statement that had to wait.
   *
   * @param execution the violating execution
   */
  public static Optional<KnownBehaviour> of(Database database, Execution execution) {
    if (!execution.hadBlocking()) {
      return Optional.empty();
    }
    for (KnownBehaviour known : values()) {
      if (known.products.contains(database.product()) && known.levels.contains(execution.level())) {
        return Optional.of(known);
      }
    }
    return Optional.empty();
  }
}
