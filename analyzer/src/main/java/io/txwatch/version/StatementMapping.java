package io.txwatch.version;

import io.txwatch.history.RowChange;
import io.txwatch.history.StatedWrite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which statement of a transaction made which group of recorded changes. Groups are in the order of
 * execution, and a statement makes one group at most; it makes none if it changed nothing. A driver
 * may send the items of a batch as one statement, as MariaDB's does with inserts: then one group is
 * of several items.
 *
 * @param groups the numbers of the groups, ascending
 * @param statements the number of each group's statement
 * @param certain for each group, whether no other statement can have made it
 * @param fits whether statements in that order can have made the groups
 * @param batches for each group, the items of the batch that made it; otherwise empty
 */
record StatementMapping(
    int[] groups,
    int[] statements,
    boolean[] certain,
    boolean fits,
    List<List<TimedStatement>> batches) {

  static final StatementMapping UNKNOWN =
      new StatementMapping(new int[0], new int[0], new boolean[0], false, List.of());

  /** The statements of the groups of a transaction's changes. */
  static StatementMapping of(TimedTransaction transaction, List<RowChange> changes) {
    StatementMapping mapping = of(single(transaction, false), changes);
    if (!mapping.fits()) {
      mapping = of(batched(single(transaction, false)), changes);
    }
    // A trigger for each statement may write rows although its statement does not.
    return mapping.fits() ? mapping : of(single(transaction, true), changes);
  }

  private static List<List<TimedStatement>> single(
      TimedTransaction transaction, boolean withThoseOfNoRow) {
    List<List<TimedStatement>> slots = new ArrayList<>();
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged() && (withThoseOfNoRow || !statement.changedNothing)) {
        slots.add(List.of(statement));
      }
    }
    return slots;
  }

  /** Joins the items of batches that state all rows that they wrote. */
  private static List<List<TimedStatement>> batched(List<List<TimedStatement>> single) {
    List<List<TimedStatement>> slots = new ArrayList<>();
    for (List<TimedStatement> slot : single) {
      List<TimedStatement> last = slots.isEmpty() ? List.of() : slots.get(slots.size() - 1);
      if (!last.isEmpty() && slot.get(0).isOfSameBatch(last.get(last.size() - 1))) {
        last.add(slot.get(0));
      } else {
        slots.add(new ArrayList<>(slot));
      }
    }
    return slots;
  }

  private static StatementMapping of(List<List<TimedStatement>> slots, List<RowChange> changes) {
    int[] groups = groups(changes);
    int n = groups.length;
    int[] first = new int[n];
    int next = 0;
    for (int i = 0; i < n; i++) {
      while (next < slots.size() && !fits(slots.get(next), changes, groups[i])) {
        next++;
      }
      if (next == slots.size()) {
        return withoutOrder(slots, groups);
      }
      first[i] = next;
      next += slots.get(next).size() == 1 ? 1 : 0; // a batch may have been sent in parts
    }
    int[] statements = new int[n];
    boolean[] certain = new boolean[n];
    List<List<TimedStatement>> batches = new ArrayList<>();
    next = slots.size() - 1;
    for (int i = n - 1; i >= 0; i--) {
      while (!fits(slots.get(next), changes, groups[i])) {
        next--;
      }
      List<TimedStatement> slot = slots.get(next);
      statements[i] = last(slot).number;
      certain[i] = next == first[i];
      batches.add(0, slot.size() == 1 ? List.of() : slot);
      next -= slot.size() == 1 ? 1 : 0;
    }
    return new StatementMapping(groups, statements, certain, true, batches);
  }

  private static int[] groups(List<RowChange> changes) {
    int[] groups = new int[changes.size()];
    int n = 0;
    for (RowChange change : changes) {
      if (n == 0 || groups[n - 1] != change.group()) {
        groups[n++] = change.group();
      }
    }
    return Arrays.copyOf(groups, n);
  }

  private static TimedStatement last(List<TimedStatement> slot) {
    return slot.get(slot.size() - 1);
  }

  /** The statements state themselves what they changed: groups have their numbers. */
  static StatementMapping ofStated(int[] numbers) {
    boolean[] certain = new boolean[numbers.length];
    Arrays.fill(certain, true);
    return new StatementMapping(numbers, numbers, certain, true, List.of());
  }

  private static StatementMapping withoutOrder(List<List<TimedStatement>> slots, int[] groups) {
    int[] statements = new int[groups.length];
    Arrays.fill(statements, slots.isEmpty() ? 1 : last(slots.get(slots.size() - 1)).number);
    return new StatementMapping(groups, statements, new boolean[groups.length], false, List.of());
  }

  /** Whether a statement, or items of a batch, may have made a group of changes. */
  private static boolean fits(List<TimedStatement> slot, List<RowChange> changes, int group) {
    return slot.size() == 1 ? fits(slot.get(0), changes, group) : isOfBatch(slot, changes, group);
  }

  /** Whether items of a batch state all changes of a group in their tables, and one at least. */
  private static boolean isOfBatch(List<TimedStatement> batch, List<RowChange> changes, int group) {
    boolean found = false;
    for (int i = 0; i < changes.size(); i++) {
      RowChange change = changes.get(i);
      if (change.group() == group) {
        int index = i;
        if (batch.stream().anyMatch(item -> item.makes(changes, index))) {
          found = true;
        } else if (batch.stream().anyMatch(item -> item.statesWriteTo(change.table()))) {
          return false;
        }
      }
    }
    return found;
  }

  /** Whether a statement may have made a group of changes, with those of triggers and cascades. */
  private static boolean fits(TimedStatement statement, List<RowChange> changes, int group) {
    if (statement.writes.isEmpty()) {
      return true;
    }
    boolean changedItsTable = false;
    List<RowChange> ofGroup = new ArrayList<>();
    for (int i = 0; i < changes.size(); i++) {
      RowChange change = changes.get(i);
      if (change.group() == group) {
        ofGroup.add(change);
        if (statement.mayMake(changes, i)) {
          changedItsTable = true;
        } else if (statement.statesAllWrites() && statement.statesWriteTo(change.table())) {
          return false;
        }
      }
    }
    // A trigger may have written all that the record shows, if the statement itself changed
    // nothing.
    return changedItsTable && agrees(statement, ofGroup);
  }

  private static boolean agrees(TimedStatement statement, List<RowChange> ofGroup) {
    for (StatedWrite write : statement.writes) {
      if (TimedStatement.isSure(write) && write.complete()) {
        for (int row = 0; row < write.rows().size(); row++) {
          if (!TimedStatement.isChanged(write, row, ofGroup)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private int index(int group) {
    return Arrays.binarySearch(groups, group);
  }

  /** The statement that made the change of a row in a group; the group's last if none states it. */
  int of(int group, String table, long key) {
    int index = index(group);
    if (index < 0) {
      return 1;
    }
    int number = statements[index];
    for (TimedStatement item : batch(index)) {
      number = item.states(table, key) ? item.number : number;
    }
    return number;
  }

  /** Whether no other statement can have made that change. */
  boolean isCertain(int group, String table, long key) {
    int index = index(group);
    if (index < 0 || !certain[index]) {
      return false;
    }
    List<TimedStatement> batch = batch(index);
    return batch.isEmpty() || batch.stream().filter(item -> item.states(table, key)).count() == 1;
  }

  /** Whether no statement before one, nor that one, can have made a group of changes. */
  boolean isAfter(int statement, int group) {
    int index = index(group);
    if (index < 0 || !certain[index]) {
      return false;
    }
    for (TimedStatement item : batch(index)) {
      if (item.number <= statement) {
        return false;
      }
    }
    return statements[index] > statement;
  }

  private List<TimedStatement> batch(int index) {
    return index < batches.size() ? batches.get(index) : List.of();
  }
}
