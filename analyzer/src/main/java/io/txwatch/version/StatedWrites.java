package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.rules.DbmsRules;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a database of which no record of changes is read: those that the watched
 * transactions state to have written.
 *
 * <p>Row locks order them: of two transactions that wrote a row, the second one's write returned
 * only after the first one's COMMIT had been sent. A version takes its place when its writer's end
 * arrives. If its place is not certain, or comes before a version that was already used, it is not
 * one of the versions, but an unstated write.
 *
 * <p>Writes are <em>unstated</em> if their rows are not known: {@code UPDATE … WHERE grp = ?},
 * {@code INSERT … SELECT}, a procedure, and all those of somebody who is not watched, of which a
 * value shows that no version has. Such a version has its place somewhere among the others. What is
 * known of a read remains true all the same, by way of it, if the read was sent after the COMMIT of
 * the version's writer had returned, and had returned before the COMMIT of the next version's
 * writer was sent: the one precedes the reader, and the other follows it. Without that, two
 * versions whose commits the read overlaps are distinguished by values alone, and then a version
 * that is not known may have the same: the read is uncertain.
 */
final class StatedWrites {

  /** Stands for all tables. */
  private static final String ALL = VersionResolver.Listener.ALL_TABLES;

  private static final int MAX_TABLES = 1 << 12;

  private final RecordedRows record;

  /** Until when there may have been unstated writes, by table. */
  private final Map<String, Long> unstatedUntil = new HashMap<>();

  /** The tables that somebody who is not watched wrote to: who did so once may do so again. */
  private final Set<String> writtenByOthers = new HashSet<>();

  StatedWrites(RecordedRows record) {
    this.record = record;
  }

  // ---------------------------------------------------------------- writes

  /** A transaction ended, and may have committed. */
  void ended(TimedTransaction transaction, long needed) {
    boolean certain =
        transaction.outcome == Outcome.COMMITTED && transaction.endTimed && !transaction.lossy;
    long until =
        transaction.outcome == Outcome.COMMITTED && transaction.endTimed
            ? transaction.end.returned()
            : Long.MAX_VALUE;
    if (transaction.lossy) {
      unstated(ALL, until);
    }
    List<TimedStatement> writing = new ArrayList<>();
    for (TimedStatement statement : transaction.statements) {
      if (!statement.mayHaveChanged() || statement.changedNothing) {
        continue;
      }
      if (statement.writes.isEmpty()) {
        unstated(ALL, until);
        continue;
      }
      for (StatedWrite write : statement.writes) {
        if (!certain || !TimedStatement.isWhole(write)) {
          unstated(write.rows().table(), until);
        }
      }
      if (certain) {
        writing.add(statement);
      }
    }
    if (!writing.isEmpty()) {
      RecordedTransaction recorded =
          record.newStated(
              transaction, writing.stream().mapToInt(statement -> statement.number).toArray());
      writing.forEach(statement -> add(transaction, recorded, statement, needed));
    }
  }

  private void add(
      TimedTransaction transaction,
      RecordedTransaction recorded,
      TimedStatement statement,
      long needed) {
    for (StatedWrite write : statement.writes) {
      RowValues rows = write.rows();
      for (int i = 0; i < rows.size(); i++) {
        if (rows.keys()[i] != 0
            && (!statement.timed || !add(recorded, statement, write, i, needed))) {
          unstated(rows.table(), transaction.end.returned());
        }
      }
    }
  }

  /** False if the place of the version is not certain. */
  private boolean add(
      RecordedTransaction by, TimedStatement statement, StatedWrite write, int row, long needed) {
    RowValues rows = write.rows();
    RowChain chain = record.chain(rows.table(), rows.keys()[row]);
    int place = place(chain, by, statement.window);
    if (place < 0) {
      return false;
    }
    boolean isLast = place == chain.versions.size();
    if (!isLast && (write.access() != Access.UPDATE || chain.versions.get(place).insertion)) {
      return false; // which row the later versions are of depends on it
    }
    RowVersion before = chain.versions.get(place - 1);
    boolean insertion = write.access() == Access.INSERT;
    boolean deletion = write.access() == Access.DELETE;
    int[] values = new int[rows.columns().size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = rows.value(row, i);
    }
    record.addStated(
        new RowVersion(
            chain,
            insertion ? record.newId(chain) : before.rowId,
            by,
            statement.number,
            insertion,
            deletion,
            rows.columns(),
            deletion ? null : values,
            null),
        statement.window,
        place,
        needed);
    return true;
  }

  /** The index of a new version among those of its row; -1 if it is not certain. */
  private int place(RowChain chain, RecordedTransaction by, Window written) {
    long skew = record.skew();
    Window commit = by.commit();
    int place = chain.versions.size();
    for (; place > 0; place--) {
      RowVersion other = chain.versions.get(place - 1);
      if (other.by == null || other.by == by) {
        break;
      }
      boolean follows = mayPrecede(other.commit(), written, skew);
      boolean precedes = mayPrecede(commit, other.written, skew);
      if (follows == precedes) {
        return -1; // either is possible; or these writes took no locks
      }
      if (follows) {
        break;
      }
      if (other.isUsed()) {
        return -1;
      }
    }
    return place == 0
            || chain.versions.get(place - 1).usedUntil >= Window.minus(commit.sent(), skew)
        ? -1
        : place;
  }

  /** Whether a transaction with this commit may have held the lock before a write that got it. */
  private static boolean mayPrecede(Window commit, Window write, long skew) {
    return Window.minus(commit.sent(), skew) <= write.returned();
  }

  /**
   * The tables in which a transaction may have written rows whose versions are not known; {@link
   * VersionResolver.Listener#ALL_TABLES} if it may have done so in any.
   */
  Set<String> unstated(TimedTransaction transaction) {
    Set<String> tables = new HashSet<>();
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged() && !statement.changedNothing) {
        if (statement.writes.isEmpty()) {
          tables.add(ALL);
        }
        for (StatedWrite write : statement.writes) {
          if (!TimedStatement.isWhole(write) || !record.shows(write, transaction.recorded)) {
            tables.add(write.rows().table());
          }
        }
      }
    }
    return tables;
  }

  /**
   * Whether a transaction wrote only rows that it states, and no other one that has not passed may
   * have written one in the same tables that it does not state.
   */
  boolean areAllStated(TimedTransaction transaction) {
    if (!unstated(transaction).isEmpty()) {
      return false;
    }
    Set<String> tables = new HashSet<>();
    for (TimedStatement statement : transaction.statements) {
      statement.writes.forEach(write -> tables.add(write.rows().table()));
    }
    for (TimedTransaction other : record.open) {
      if (other != transaction && other.outcome != Outcome.ABORTED && mayWrite(other, tables)) {
        return false;
      }
    }
    return true;
  }

  private static boolean mayWrite(TimedTransaction transaction, Set<String> unstatedTo) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged()
          && !statement.changedNothing
          && unstatedTo.stream().anyMatch(table -> mayWriteUnstated(statement, table))) {
        return true;
      }
    }
    return false;
  }

  private void unstated(String table, long until) {
    String of = unstatedUntil.size() < MAX_TABLES || unstatedUntil.containsKey(table) ? table : ALL;
    unstatedUntil.merge(of, until, Math::max);
  }

  /** Writes of which nothing was observed may have happened, and may happen. */
  void lost() {
    unstated(ALL, Long.MAX_VALUE);
  }

  /** Whether writes may still become visible whose transactions are no longer observed. */
  boolean isInDoubt() {
    return unstatedUntil.containsValue(Long.MAX_VALUE);
  }

  // ---------------------------------------------------------------- reads

  /**
   * A value was read that no version has: somebody who is not watched wrote it before. What values
   * alone show of that table is uncertain from now on, since others may have been written, too.
   */
  void readUnknown(String table, long returned) {
    unstated(table, returned);
    writtenByOthers.add(writtenByOthers.size() < MAX_TABLES ? table : ALL);
  }

  /**
   * Whether there may be a version of a row that is not known, at a place that matters to a read.
   *
   * @param when when the row that was read was current
   */
  boolean mayBeOther(RowChain chain, Window when, TimedTransaction reader) {
    if (record.skew() > 0) {
      return true; // events of the other process may be on their way
    }
    if (writtenByOthers.contains(chain.table) || writtenByOthers.contains(ALL)) {
      return true;
    }
    long until =
        Math.max(
            unstatedUntil.getOrDefault(ALL, Long.MIN_VALUE),
            unstatedUntil.getOrDefault(chain.table, Long.MIN_VALUE));
    if (until != Long.MIN_VALUE && !isReplaced(chain, until, when)) {
      return true;
    }
    for (TimedTransaction other : record.open) {
      if (other == reader ? writesUnstated(other, chain, when) : mayWrite(other, chain, when)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a later version had certainly replaced all that was written until a time. */
  private static boolean isReplaced(RowChain chain, long until, Window when) {
    for (RowVersion version : chain.versions) {
      if (version.by != null
          && version.written.sent() > until
          && version.commit().returned() < when.sent()) {
        return true;
      }
    }
    return false;
  }

  /** Whether an open transaction may already have committed a version that is not known yet. */
  private static boolean mayWrite(TimedTransaction other, RowChain chain, Window when) {
    return other.outcome == null
        && (other.lossy
            || other.statements.isEmpty()
            || other.lastSent() <= when.returned()
                && (states(other, chain, when) || writesUnstated(other, chain, when)));
  }

  private static boolean states(TimedTransaction transaction, RowChain chain, Window when) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged()
          && statement.window.returned() <= when.returned()
          && statement.states(chain.table, chain.key)) {
        return true;
      }
    }
    return false;
  }

  private static boolean writesUnstated(TimedTransaction by, RowChain chain, Window when) {
    for (TimedStatement statement : by.statements) {
      if (statement.mayHaveChanged()
          && !statement.changedNothing
          && statement.window.sent() <= when.returned()
          && mayWriteUnstated(statement, chain.table)) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayWriteUnstated(TimedStatement statement, String table) {
    for (StatedWrite write : statement.writes) {
      if (write.rows().table().equals(table) && !TimedStatement.isWhole(write)) {
        return true;
      }
    }
    return statement.writes.isEmpty();
  }

  /**
   * Whether what is known of a read is true even if there are versions that are not known.
   *
   * @param versions those of its row that precede its end
   * @param first the index of the first version that it may have returned
   * @param last that of the last one
   */
  static boolean isBetweenCommits(List<RowVersion> versions, int first, int last, Window when) {
    return versions.get(first).commit().returned() < when.sent()
        && (last + 1 >= versions.size()
            || versions.get(last + 1).commit().sent() > when.returned());
  }

  // ---------------------------------------------------------------- waiting

  /**
   * An open transaction that wrote a row before another one did, or read it: its COMMIT may have
   * been sent before, and its end has not arrived yet. Null if there is none.
   */
  static @Nullable TimedTransaction awaited(
      TimedTransaction transaction, Collection<TimedTransaction> open, DbmsRules rules) {
    Map<HashedKey, Long> touched = transaction.touched(rules);
    if (touched.isEmpty()) {
      return null;
    }
    for (TimedTransaction other : open) {
      if (other != transaction && other.outcome == null && mayPrecede(other, touched)) {
        return other;
      }
    }
    return null;
  }

  private static boolean mayPrecede(TimedTransaction other, Map<HashedKey, Long> touched) {
    long lastSent = other.lastSent();
    for (TimedStatement statement : other.statements) {
      if (!statement.mayHaveChanged()) {
        continue;
      }
      for (StatedWrite write : statement.writes) {
        for (long key : write.rows().keys()) {
          Long time = key == 0 ? null : touched.get(new HashedKey(write.rows().table(), key));
          if (time != null && statement.window.returned() <= time && lastSent <= time) {
            return true;
          }
        }
      }
    }
    return false;
  }
}
