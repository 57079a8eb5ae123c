package io.txwatch.dependency;

import io.txwatch.rules.registry.RulesRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes whose target row is known, but not which version they replaced: {@link
 * io.txwatch.history.Access#TARGET}, and an UPDATE that returned its new version alone.
 *
 * <p>MySQL and MariaDB make no version for an UPDATE that changes nothing. If two sessions read 10
 * and both set 11, only T1's version remains. T2's update is lost all the same, and no writers'
 * list ever shows it. With PostgreSQL's system columns, no later read shows what an item of a batch
 * replaced; and before PostgreSQL 18, an UPDATE with {@code FROM} returns its row, but not what it
 * replaced. The order in which the events of the two statements arrive shows it; where rows are
 * known by their values, the times of the statements do ({@link Target#after}).
 *
 * <h2>The rule</h2>
 *
 * T2 read version v0 of a row r, another transaction's, and later updated r, in event e2. T1's
 * version v1 follows v0, no version between the two is T2's (hence rw T2→T1), and the event e1 of
 * the statement that made v1 arrived before e2. Both transactions committed, neither v1 nor T2's
 * update was undone, both transactions ran on one node, and the DBMS holds row locks until the end
 * of a transaction. Then ww T1→T2: T2 wrote after T1.
 *
 * <h2>Why: the order of events</h2>
 *
 * InnoDB takes an exclusive lock on the row that an UPDATE finds by a unique key, at every level,
 * until the transaction ends; even if nothing changes, and despite a rollback to a savepoint (MySQL
 * 9.7 manual, 17.7.3 and 15.3.4; the driver's {@code TargetsTest} verifies both on real servers).
 * So does PostgreSQL (manual, 13.3.2), except that a rollback to a savepoint releases the lock; an
 * update that was undone is not considered. The events of one node pass through one queue in the
 * order in which they are queued. An event is queued after its statement has returned; that of a
 * TARGET before its session sends anything else, COMMIT included.
 *
 * <p>Suppose that T2 had updated r first. Then T1's statement waited until T2 ended. So e2 was
 * queued, T2 sent COMMIT, T1 got the lock, T1's statement returned, and e1 was queued. But e1
 * arrived before e2. So if T2 updated r, it did so after T1.
 *
 * <p>Suppose that r no longer had the key by then. T2 read r under the key at v0, and v1 follows
 * v0. So T1, or a later writer of r, changed the key of r and committed before another transaction
 * gave the key to another row, since it is unique; and that one committed before T2 could lock this
 * row. Along that path T2 follows T1, whatever the order of e1 and e2. (With system columns, r is
 * whatever has the key.)
 *
 * <h2>Why: the versions</h2>
 *
 * On PostgreSQL every update makes a version, and no order of events is needed. When T2 updated r,
 * v0 was there already, since T2 had read it, so T2's version follows v0. It is not between v0 and
 * v1, since each write of that chain returned the version that it replaced, and none of them is
 * T2's. So it follows v1. The two arguments share no premise about time, and both must hold: an
 * event that is queued too late (an UPDATE with {@code FROM} whose result the application leaves
 * open until COMMIT) would mislead the first, and a version that stands for several writes of T2
 * the second.
 *
 * <h2>What is not concluded</h2>
 *
 * Nothing is concluded if e2 arrived first: the update that changes nothing may then have been the
 * earlier one (it wrote 10 over 10, and nothing is lost). Nor is anything concluded from a
 * deletion, which leaves no row to find, nor on DBMSs and clusters where two servers can write a
 * row at a time. The level does not matter. T1 may be an autocommitted statement: the argument only
 * needs that its event followed its lock.
 *
 * <p>This is the only place where the order of events of different sessions counts. A history file
 * preserves that order, so {@code check} finds what was found live.
 */
final class KeyedWrites {

  /**
   * A write with a known target row.
   *
   * @param arrived when its event arrived, on the clock of events
   * @param columns what the statement does with the columns
   * @param after the newest version that was there when it wrote, if that is certain: then the
   *     order of events does not count
   */
  record Target(
      Row row, int statement, long arrived, ColumnBits.Used columns, @Nullable Version after) {}

  private KeyedWrites() {}

  /**
   * The dependency of a reader on another transaction, which had replaced the version that it had
   * read before it wrote the row itself; empty if that is not certain. It is a ww edge if both
   * wrote a column, and a wr edge if the reader's statement only read what the other one wrote.
   */
  static Optional<Edge> overwriteAfter(Version successor, Version.Read read) {
    Transaction first = successor.writer;
    Transaction second = read.reader;
    if (first == null
        || second.targets.isEmpty()
        || read.evidence != EdgeEvidence.ITEM
        || successor.deletion
        || first.id() >>> 32 != second.id() >>> 32
        || !RulesRegistry.of(second.database().product()).locksRows(second.database())
        || mayHaveWrittenBetween(successor, read)) {
      return Optional.empty();
    }
    Target target = lastTargetAfter(read, successor.written());
    if (target == null || !follows(target, first, successor)) {
      return Optional.empty();
    }
    long written = target.columns().written() & successor.written();
    return Optional.of(
        new Edge(
            first,
            second,
            written != 0 ? DependencyKind.WW : DependencyKind.WR,
            successor.row,
            successor.statement,
            target.statement(),
            EdgeEvidence.ITEM,
            written != 0 ? written : target.columns().read() & successor.written()));
  }

  private static boolean follows(Target target, Transaction first, Version successor) {
    Version version = target.after();
    if (version == null) {
      long arrived = first.arrived(successor.statement);
      return arrived != 0 && arrived <= target.arrived();
    }
    for (int i = 0; version != null && i < ChainWalk.MAX_STEPS; i++) {
      if (version == successor) {
        return true;
      }
      version = version.previous;
    }
    return false;
  }

  /** True unless no version from the one that was read to before its successor is the reader's. */
  private static boolean mayHaveWrittenBetween(Version successor, Version.Read read) {
    Version version = successor.previous;
    for (int i = 0; version != null && i < ChainWalk.MAX_STEPS; i++) {
      if (version.writer == read.reader && version.fate != Version.Fate.VANISHED) {
        return true;
      }
      if (version == read.version) {
        return false;
      }
      version = version.previous;
    }
    return true;
  }

  /**
   * The last target in the row that was not undone, concerns one of some columns, and made no
   * version of its own that shows what it replaced.
   */
  private static @Nullable Target lastTargetAfter(Version.Read read, long columns) {
    Transaction reader = read.reader;
    Target found = null;
    for (Target target : reader.targets) {
      if (target.row() == read.version.row
          && target.statement() > read.statement
          && ((target.columns().written() | target.columns().read()) & columns) != 0
          && !reader.isUndone(target.statement())
          && !reader.replacedKnown(target.row(), target.statement())) {
        found = target;
      }
    }
    return found;
  }
}
