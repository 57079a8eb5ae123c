package io.txwatch.changes.binlog;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is held back until the descriptions with which it was decoded are certain, and what follows
 * it: all of it goes on in order. Used by one thread.
 */
final class HeldChanges {

  private final LogAssembler.Surroundings surroundings;
  private final TableDescriptions descriptions;
  private final Deque<Held> held = new ArrayDeque<>();
  private int rows;

  /**
   * A transaction, a gap, or a change of schema.
   *
   * @param before the position up to which everything that precedes it was read
   * @param certainAfter the position that must be passed before it goes on; null if none
   */
  private record Held(Object change, LogPosition before, @Nullable LogPosition certainAfter) {}

  HeldChanges(LogAssembler.Surroundings surroundings, TableDescriptions descriptions) {
    this.surroundings = surroundings;
    this.descriptions = descriptions;
  }

  /** The rows that are held back. */
  int rows() {
    return rows;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /** The position up to which everything has gone on, if the log was read up to the given one. */
  LogPosition passed(LogPosition read) {
    Held first = held.peek();
    return first == null ? read : first.before();
  }

  /**
   * Adds a transaction, a gap, or a change of schema.
   *
   * @param before the position up to which everything that precedes it was read
   */
  void add(Object change, LogPosition before) {
    rows += rowsOf(change);
    held.add(new Held(change, before, certainAfter(change)));
  }

  private static int rowsOf(Object change) {
    return change instanceof ChangedTransaction transaction ? transaction.changes().size() : 0;
  }

  private @Nullable LogPosition certainAfter(Object change) {
    LogPosition last = null;
    if (change instanceof ChangedTransaction transaction) {
      for (ChangedRow row : transaction.changes()) {
        LogPosition end = descriptions.certainAfter(row.table().schema(), row.table().name());
        if (end != null && (last == null || end.compareTo(last) > 0)) {
          last = end;
        }
      }
    }
    return last;
  }

  /** Hands on what is certain if the log was read up to a position, up to the first that is not. */
  void release(LogPosition read) {
    for (Held next = held.peek(); next != null; next = held.peek()) {
      LogPosition certainAfter = next.certainAfter();
      if (certainAfter != null && read.compareTo(certainAfter) < 0) {
        return;
      }
      held.remove();
      rows -= rowsOf(next.change());
      handOn(next.change());
    }
  }

  /** Hands on everything without the rows of some tables, which become gaps. */
  void releaseWithout(Set<String> tables, String why) {
    for (Held next = held.poll(); next != null; next = held.poll()) {
      rows -= rowsOf(next.change());
      if (next.change() instanceof ChangedTransaction transaction) {
        without(transaction, tables, why).forEach(this::handOn);
      } else {
        handOn(next.change());
      }
    }
  }

  private void handOn(Object change) {
    if (change instanceof ChangedTransaction transaction) {
      surroundings.transaction(transaction);
    } else if (change instanceof ChangeGap gap) {
      surroundings.gap(gap);
    } else {
      surroundings.schemaChange((SchemaChange) change);
    }
  }

  private static List<Object> without(
      ChangedTransaction transaction, Set<String> tables, String why) {
    List<Object> kept = new ArrayList<>();
    List<ChangedRow> certain = new ArrayList<>();
    Set<String> dropped = new LinkedHashSet<>();
    for (ChangedRow row : transaction.changes()) {
      String schema = row.table().schema();
      String table = row.table().name();
      String key = TableDescriptions.key(schema, table);
      if (!tables.contains(key)) {
        certain.add(row);
      } else if (dropped.add(key)) {
        kept.add(new ChangeGap(Reason.TABLE_UNKNOWN, schema, table, why));
      }
    }
    kept.add(
        dropped.isEmpty()
            ? transaction
            : new ChangedTransaction(
                transaction.server(),
                transaction.id(),
                transaction.end(),
                transaction.connectionId(),
                transaction.commitMicros(),
                transaction.commitPrecisionMicros(),
                transaction.xid(),
                certain,
                false));
    return kept;
  }
}
