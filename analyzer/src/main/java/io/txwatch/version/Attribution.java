package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a recorded transaction may be a watched one: functions of what both state.
 *
 * <p>Row locks are what makes it exact. A statement that writes a row has waited for the COMMIT of
 * the one that wrote the row before, even if it then changes nothing. So a transaction that states
 * a write of a row committed after the writer of the version that the recorded one replaced; and of
 * two transactions that state writes of one row, the one that sent COMMIT first is first in the
 * record, if it changed anything.
 */
final class Attribution {

  private Attribution() {}

  /**
   * Whether a transaction may have made the changes.
   *
   * @param recorded if it has the number of a connection, that of the transaction
   * @param skew how much clocks may differ
   */
  static boolean mayBe(TimedTransaction transaction, RecordedTransaction recorded, long skew) {
    if (transaction.recorded != null
        || transaction.outcome == Outcome.ABORTED
        || Window.minus(transaction.commitSent(), skew) > recorded.received
        || Window.plus(transaction.end.returned(), skew) <= recorded.readBefore) {
      return false;
    }
    if (recorded.connection != 0 && transaction.lossy) {
      return true; // it may have done anything
    }
    return recorded.isStatedBy(transaction) && wroteAfterPredecessors(transaction, recorded, skew);
  }

  /** Whether the changes are those that a transaction states: a function of these two alone. */
  static boolean statesAsItsOwn(TimedTransaction transaction, RecordedTransaction recorded) {
    return statesChanges(transaction, recorded.changes, recorded.connection != 0)
        && changedWhatIsSure(transaction, recorded.changes);
  }

  /**
   * Whether the changes are those that a transaction states, at a time at which it may have
   * committed.
   */
  static boolean states(TimedTransaction transaction, RecordedTransaction recorded, long skew) {
    return transaction.recorded == null
        && transaction.outcome != Outcome.ABORTED
        && Window.minus(transaction.commitSent(), skew) <= recorded.received
        && Window.plus(transaction.end.returned(), skew) > recorded.readBefore
        && statesChanges(transaction, recorded.changes, false)
        && changedWhatIsSure(transaction, recorded.changes);
  }

  /** Whether a transaction may have waited for another one before it made a version. */
  static boolean mayFollow(
      TimedTransaction transaction, RowVersion version, TimedTransaction other, long skew) {
    TimedStatement statement = firstStating(transaction, version);
    return statement == null
        || !statement.timed
        || Window.minus(other.commitSent(), skew) <= statement.window.returned();
  }

  /**
   * Whether it certainly changed a row: one that it states to have inserted, be it under a key that
   * the DBMS generated, or to have deleted.
   */
  static boolean surelyChanged(TimedTransaction transaction) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged()) {
        for (StatedWrite write : statement.writes) {
          for (long key : write.rows().keys()) {
            if (write.access() == Access.INSERT || write.access() == Access.DELETE && key != 0) {
              return true;
            }
          }
        }
      }
    }
    return false;
  }

  /**
   * Whether each change is stated, or may be a trigger's or that of a statement that states none.
   */
  private static boolean statesChanges(
      TimedTransaction transaction, List<RowChange> changes, boolean byConnection) {
    boolean statesAll = true;
    for (TimedStatement statement : transaction.statements) {
      statesAll &= !statement.mayHaveChanged() || statement.statesAllWrites();
    }
    boolean stated = false;
    for (int i = 0; i < changes.size(); i++) {
      if (states(transaction, changes, i)) {
        stated = true;
      } else if (byConnection
          ? statesAll && statesWriteTo(transaction, changes.get(i).table())
          : statesAllOf(transaction, changes.get(i).table())) {
        return false;
      }
    }
    if (stated) {
      return (byConnection && !statesAll || lastValuesAgree(transaction, changes))
          && (!statesAll || StatementMapping.of(transaction, changes).fits());
    }
    return byConnection && !statesAll;
  }

  /**
   * Whether a transaction states all that its statements wrote in a table: an INSERT into another
   * one whose rows are not known wrote nothing there.
   */
  private static boolean statesAllOf(TimedTransaction transaction, String table) {
    boolean states = false;
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged()) {
        states |= statement.statesWriteTo(table);
        if (!statement.statesAllWrites() && !statement.insertsIntoOthers(table)) {
          return false;
        }
      }
    }
    return states;
  }

  private static boolean states(TimedTransaction transaction, List<RowChange> changes, int index) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged() && statement.makes(changes, index)) {
        return true;
      }
    }
    return false;
  }

  private static boolean statesWriteTo(TimedTransaction transaction, String table) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged() && statement.statesWriteTo(table)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the last values that were stated for a row are those that the record shows. */
  private static boolean lastValuesAgree(TimedTransaction transaction, List<RowChange> changes) {
    for (int i = changes.size() - 1; i >= 0; i--) {
      RowChange change = changes.get(i);
      if (change.access() != Access.DELETE
          && isLast(changes, i)
          && statesAllOf(transaction, change.table())) {
        StatedWrite write = lastStated(transaction, change);
        if (write != null && !agrees(write, change)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isLast(List<RowChange> changes, int index) {
    RowChange change = changes.get(index);
    for (int i = index + 1; i < changes.size(); i++) {
      RowChange later = changes.get(i);
      if (later.table().equals(change.table())
          && (later.keyBefore() == change.keyAfter() || later.keyAfter() == change.keyAfter())) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable StatedWrite lastStated(TimedTransaction transaction, RowChange change) {
    for (int i = transaction.statements.size() - 1; i >= 0; i--) {
      TimedStatement statement = transaction.statements.get(i);
      if (statement.mayHaveChanged()) {
        for (StatedWrite write : statement.writes) {
          if (TimedStatement.indexOf(write, change.table(), change.keyAfter()) >= 0
              || TimedStatement.indexOf(write, change.table(), change.keyBefore()) >= 0) {
            return write;
          }
        }
      }
    }
    return null;
  }

  private static boolean agrees(StatedWrite write, RowChange change) {
    int row = TimedStatement.indexOf(write, change.table(), change.keyAfter());
    if (row < 0 || write.access() == Access.DELETE) {
      return true;
    }
    RowValues rows = write.rows();
    for (int i = 0; i < rows.columns().size(); i++) {
      int column = change.columns().indexOf(rows.columns().get(i));
      int stated = rows.value(row, i);
      int known = column < 0 ? ValueHash.UNKNOWN : change.after()[column];
      if (stated != ValueHash.UNKNOWN && known != ValueHash.UNKNOWN && stated != known) {
        return false;
      }
    }
    return true;
  }

  /** Whether the record shows what the transaction certainly inserted and deleted. */
  private static boolean changedWhatIsSure(TimedTransaction transaction, List<RowChange> changes) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged()) {
        for (StatedWrite write : statement.writes) {
          if (TimedStatement.isSure(write) && !areChanged(write, changes)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static boolean areChanged(StatedWrite write, List<RowChange> changes) {
    for (int row = 0; row < write.rows().size(); row++) {
      if (!TimedStatement.isChanged(write, row, changes)) {
        return false;
      }
    }
    return true;
  }

  /** Whether its statements may have waited for the writers of the versions that were replaced. */
  private static boolean wroteAfterPredecessors(
      TimedTransaction transaction, RecordedTransaction recorded, long skew) {
    for (RowVersion version : recorded.versions) {
      RowVersion before = version.row.beforeWriter(version);
      TimedStatement statement = firstStating(transaction, version);
      if (before != null
          && before.by != null
          && statement != null
          && statement.timed
          && statement.window.returned() < earliestCommit(before.by, skew)) {
        return false;
      }
    }
    return true;
  }

  private static long earliestCommit(RecordedTransaction recorded, long skew) {
    TimedTransaction writer = recorded.writer;
    return Window.minus(writer == null ? recorded.readBefore : writer.commitSent(), skew);
  }

  /**
   * Whether its statements were sent after each version that was replaced, and whose writer is not
   * known, had been recorded. Otherwise it may have made what that one is thought to have made.
   */
  static boolean followsUnknown(
      TimedTransaction transaction, RecordedTransaction recorded, long skew) {
    for (RowVersion version : recorded.versions) {
      RowVersion before = version.row.beforeWriter(version);
      TimedStatement statement = firstStating(transaction, version);
      if (before != null
          && before.by != null
          && before.by.writer == null
          && statement != null
          && statement.timed
          && statement.window.sent() <= Window.plus(before.by.received, skew)) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable TimedStatement firstStating(
      TimedTransaction transaction, RowVersion version) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged() && statement.states(version.row.table, version.row.key)) {
        return statement;
      }
    }
    return null;
  }

  /**
   * Whether the transaction cannot have left the changes to another one after it: it certainly
   * changed something of that kind, or it stated a value that the row did not have before.
   */
  static boolean cannotBeSkipped(TimedTransaction transaction, RecordedTransaction recorded) {
    return statesNews(transaction, recorded, false);
  }

  /**
   * Whether the transaction may have changed a row of them as it was before. If it states only what
   * was there, or other columns, it changed nothing: it may as well have run before the one that
   * made the changes.
   */
  static boolean mayStateNews(TimedTransaction transaction, RecordedTransaction recorded) {
    return statesNews(transaction, recorded, true);
  }

  private static boolean statesNews(
      TimedTransaction transaction, RecordedTransaction recorded, boolean orMay) {
    for (int i = 0; i < recorded.changes.size(); i++) {
      RowChange change = recorded.changes.get(i);
      // what a row was before later changes is no other transaction's
      boolean isFirst = isFirst(recorded.changes, i);
      for (TimedStatement statement : transaction.statements) {
        if (statement.mayHaveChanged()) {
          for (StatedWrite write : statement.writes) {
            int row = TimedStatement.indexOf(write, change.table(), change.keyBefore());
            row = row >= 0 ? row : TimedStatement.indexOf(write, change.table(), change.keyAfter());
            if (row >= 0
                && (isFirst && (TimedStatement.isSure(write) || isNew(write, row, change))
                    || orMay && mayBeNew(write, row, change))) {
              return true;
            }
          }
        }
      }
    }
    return false;
  }

  private static boolean isFirst(List<RowChange> changes, int index) {
    RowChange change = changes.get(index);
    for (int i = 0; i < index; i++) {
      RowChange earlier = changes.get(i);
      if (earlier.table().equals(change.table())
          && (earlier.keyAfter() == change.keyBefore()
              || earlier.keyBefore() == change.keyBefore()
              || earlier.keyBefore() == change.keyAfter())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNew(StatedWrite write, int row, RowChange change) {
    if (change.before().length == 0) {
      return true;
    }
    RowValues rows = write.rows();
    for (int i = 0; i < rows.columns().size(); i++) {
      int stated = rows.value(row, i);
      int before = value(change.before(), change, rows.columns().get(i));
      if (stated != ValueHash.UNKNOWN && before != ValueHash.UNKNOWN && stated != before) {
        return true;
      }
    }
    return false;
  }

  /** Whether a column may have changed to a value that was assigned to it, and is not known. */
  private static boolean mayBeNew(StatedWrite write, int row, RowChange change) {
    RowValues rows = write.rows();
    for (int i = 0; i < rows.columns().size(); i++) {
      int before = value(change.before(), change, rows.columns().get(i));
      int after = value(change.after(), change, rows.columns().get(i));
      if (before == ValueHash.UNKNOWN
          || after == ValueHash.UNKNOWN
          || before != after && rows.value(row, i) == ValueHash.UNKNOWN) {
        return true;
      }
    }
    return false;
  }

  private static int value(int[] image, RowChange change, String column) {
    int index = change.columns().indexOf(column);
    return index < 0 || index >= image.length ? ValueHash.UNKNOWN : image[index];
  }
}
