package io.txwatch.dependency;

import io.txwatch.history.Database;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes of which is known what they were to write, and not whether they made a version: {@link
 * io.txwatch.history.Access#TARGET}.
 *
 * <p>MySQL and MariaDB make no version of an UPDATE that changes nothing. Two sessions that read 10
 * and both set 11 leave one version, T1's; T2's update is lost all the same, and no list of writers
 * ever says so. What says so is the order in which the two statements were told of.
 *
 * <h2>The rule</h2>
 *
 * T2 read version v0 of a row r by a key, and later updated the row of that key, at event e2. T1's
 * version v1 stands on v0 (so rw T2→T1), and the event e1 of the statement that made it came before
 * e2. Both committed, v1 and the update of T2 were not undone, both transactions are of one node,
 * and the DBMS locks rows until the end of a transaction. Then ww T1→T2: T2 wrote after T1.
 *
 * <h2>Why</h2>
 *
 * InnoDB locks the row that an UPDATE finds by a unique key exclusively, at every level, until the
 * transaction ends; also where nothing changes and after a rollback to a savepoint (MySQL 9.7
 * manual, 17.7.3 and 15.3.4; the driver's {@code TargetsTest} holds both against the servers).
 * Events of one node pass through one queue, in the order in which they were put in. An event is
 * put in after its statement has returned, and that of a TARGET before its session sends anything
 * else, its COMMIT included.
 *
 * <p>Suppose T2 had updated r first. T1's statement then waited until T2 had ended. So: e2 was put
 * in, T2 sent COMMIT, T1 got the lock, T1's statement returned, e1 was put in. But e1 came before
 * e2. So if T2 updated r, it did so after T1.
 *
 * <p>And if it was not r that bore the key by then? T2 read r under the key at v0, and v1 stands on
 * v0. So T1, or somebody who wrote r after T1, took the key from r, and committed before somebody
 * gave it to another row, for it is unique; and that one committed before T2 could lock this row.
 * T2 came after T1 along that path, whatever e1 and e2 say.
 *
 * <p>Nothing is concluded where e2 came first: if the update that changes nothing was the earlier
 * one, it may well have been (it wrote 10 over 10, and nothing is lost). Nor is it from a deletion,
 * which leaves no row to find, nor on DBMSs and clusters where a row can be written on two servers
 * at a time. The level does not matter, and T1 may be an autocommitted statement: it is only said
 * that its event came after its lock.
 *
 * <p>This is the one place where the order of events of different sessions counts. A history's file
 * keeps it, so that {@code check} finds what was found live.
 */
final class KeyedWrites {

  private static final Set<String> LOCKING = Set.of("MySQL", "MariaDB");

  /**
   * A write that was to write a row.
   *
   * @param arrived when its event came, on the clock of arriving events
   */
  record Target(Row row, int statement, long arrived) {}

  private KeyedWrites() {}

  /**
   * The statement of a reader that wrote a row after another had replaced the version that it had
   * read; 0 if there is none for which that is sure.
   */
  static int overwriteAfter(Version successor, Version.Read read) {
    Transaction first = successor.writer;
    Transaction second = read.reader;
    if (first == null
        || second.targets.isEmpty()
        || read.evidence != EdgeEvidence.ITEM
        || successor.deletion
        || first.id() >>> 32 != second.id() >>> 32
        || !locksRows(second.database())) {
      return 0;
    }
    Target target = lastTargetAfter(read);
    long arrived = first.arrived(successor.statement);
    return target == null || arrived == 0 || arrived > target.arrived() ? 0 : target.statement();
  }

  /**
   * The last target of the row that was not undone; its own version tells more, if there is one.
   */
  private static @Nullable Target lastTargetAfter(Version.Read read) {
    Transaction reader = read.reader;
    Target found = null;
    for (Target target : reader.targets) {
      if (target.row() == read.version.row
          && target.statement() > read.statement
          && !reader.isUndone(target.statement())
          && !reader.hasWritten(target.row(), target.statement())) {
        found = target;
      }
    }
    return found;
  }

  private static boolean locksRows(Database database) {
    return LOCKING.contains(database.product())
        && !database.settings().getOrDefault("wsrep_on", "OFF").equalsIgnoreCase("ON")
        && !database
            .settings()
            .getOrDefault("group_replication_single_primary_mode", "ON")
            .equalsIgnoreCase("OFF");
  }
}
