package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowChoice;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import java.util.List;

/** A statement of a watched transaction: its time, what it read, and what it states to write. */
final class TimedStatement {

  final int number;
  final StatementKind kind;

  /** Whether it may have written rows, be it that they were undone. */
  final boolean mayWrite;

  /** Whether its event stated that not all rows that it wrote were seen. */
  final boolean unseen;

  Window window = Window.UNKNOWN;
  boolean timed;
  List<RowValues> reads = List.of();
  List<StatedWrite> writes = List.of();
  List<RowChoice> choices = List.of();

  /** Whether it returned rows of a table. */
  boolean returnedRows;

  /** Whether the DBMS reported that it wrote no row. */
  boolean changedNothing;

  boolean undone;

  /** The last statement that a rollback to a savepoint undid together with this one. */
  int undoneThrough;

  TimedStatement(Event.StatementExecuted event) {
    this.number = event.statement();
    this.kind = event.kind();
    this.unseen = event.succeeded() && !event.writesSeen();
    this.mayWrite = event.succeeded() && kind.mayWrite() && !writesNoRows(event);
  }

  /** Whether it is one like SET or CREATE TABLE. CALL may write rows that are not seen. */
  private static boolean writesNoRows(Event.StatementExecuted event) {
    return (event.kind() == StatementKind.OTHER || event.kind() == StatementKind.DDL)
        && event.writesSeen();
  }

  /** Whether a change that the DBMS recorded may be this statement's. */
  boolean mayHaveChanged() {
    return mayWrite && !undone;
  }

  /** Whether it states all rows that it wrote itself. */
  boolean statesAllWrites() {
    for (StatedWrite write : writes) {
      if (!isWhole(write)) {
        return false;
      }
    }
    return !writes.isEmpty();
  }

  /**
   * Whether this statement and the one before it are items of one batch, and state all rows that
   * they wrote: it was sent before that one had returned.
   */
  boolean isOfSameBatch(TimedStatement before) {
    return timed
        && before.timed
        && window.sent() < before.window.returned()
        && kind == before.kind
        && statesAllWrites()
        && before.statesAllWrites();
  }

  /** Whether a stated write names all rows that it wrote. */
  static boolean isWhole(StatedWrite write) {
    for (long key : write.rows().keys()) {
      if (key == 0) {
        return false;
      }
    }
    return write.complete();
  }

  /** Whether it is known to have only inserted rows, and none into a table. */
  boolean insertsIntoOthers(String table) {
    for (StatedWrite write : writes) {
      if (write.access() != Access.INSERT || write.rows().table().equals(table)) {
        return false;
      }
    }
    return !writes.isEmpty();
  }

  /** Whether it is known to have read a table. */
  boolean reads(String table) {
    return reads.stream().anyMatch(rows -> rows.table().equals(table))
        || choices.stream().anyMatch(choice -> choice.table().equals(table));
  }

  /** Whether it states a write to a table. */
  boolean statesWriteTo(String table) {
    for (StatedWrite write : writes) {
      if (write.rows().table().equals(table)) {
        return true;
      }
    }
    return false;
  }

  /** The number of a row in a stated write; -1 if it is not stated. */
  static int indexOf(StatedWrite write, String table, long key) {
    if (key != 0 && write.rows().table().equals(table)) {
      long[] keys = write.rows().keys();
      for (int i = 0; i < keys.length; i++) {
        if (keys[i] == key) {
          return i;
        }
      }
    }
    return -1;
  }

  /** Whether it states a write of a row. */
  boolean states(String table, long key) {
    for (StatedWrite write : writes) {
      if (indexOf(write, table, key) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether its text names the columns that it assigned in a row, as it wrote that row itself. */
  boolean mayHaveAssigned(String table, long key) {
    return states(table, key) || (!statesAllWrites() && statesWriteTo(table));
  }

  /**
   * Whether it states a change: one of its kind, of a row that it names. An INSERT that may update,
   * or delete, names no rows.
   */
  boolean makes(RowChange change) {
    for (StatedWrite write : writes) {
      if (makes(write, change)) {
        return true;
      }
    }
    return false;
  }

  private static boolean makes(StatedWrite write, RowChange change) {
    long key = change.access() == Access.INSERT ? change.keyAfter() : change.keyBefore();
    return write.access() == change.access() && indexOf(write, change.table(), key) >= 0;
  }

  /**
   * Whether it states one of the changes of a transaction, or changed that row before in the same
   * group: then a trigger may have changed it again.
   */
  boolean makes(List<RowChange> changes, int index) {
    RowChange change = changes.get(index);
    if (makes(change)) {
      return true;
    }
    for (int i = index - 1; i >= 0 && changes.get(i).group() == change.group(); i--) {
      RowChange earlier = changes.get(i);
      if (earlier.table().equals(change.table())
          && earlier.keyAfter() != 0
          && earlier.keyAfter() == change.keyBefore()
          && makes(earlier)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it may itself make a change in a table to which it states a write. */
  boolean mayMake(List<RowChange> changes, int index) {
    if (statesAllWrites()) {
      return makes(changes, index);
    }
    RowChange change = changes.get(index);
    for (StatedWrite write : writes) {
      if (write.rows().table().equals(change.table())
          && (write.access() == change.access() || write.access() == Access.INSERT)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a write of a row that it certainly changed is one of the changes. Of an inserted row
   * whose key the DBMS generated any may be it.
   */
  static boolean isChanged(StatedWrite write, int row, List<RowChange> changes) {
    long key = write.rows().keys()[row];
    for (RowChange change : changes) {
      boolean isOfRow =
          key == 0
              || key == (write.access() == Access.INSERT ? change.keyAfter() : change.keyBefore());
      if (isOfRow
          && write.access() == change.access()
          && write.rows().table().equals(change.table())) {
        return true;
      }
    }
    return key == 0 && write.access() != Access.INSERT;
  }

  /** Whether it certainly changed a row that it states: an INSERT or a DELETE. */
  static boolean isSure(StatedWrite write) {
    return write.access() != Access.UPDATE;
  }
}
