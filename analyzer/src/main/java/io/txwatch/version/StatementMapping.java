package io.txwatch.version;

import io.txwatch.history.RowChange;
import io.txwatch.history.StatedWrite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which statement of a transaction made which group of recorded changes. Groups are in the order of
 * execution, and a statement makes one group at most; it makes none if it changed nothing.
 *
 * @param groups the numbers of the groups, ascending
 * @param statements the number of each group's statement
 * @param certain for each group, whether no other statement can have made it
 * @param fits whether statements in that order can have made the groups
 */
record StatementMapping(int[] groups, int[] statements, boolean[] certain, boolean fits) {

  static final StatementMapping UNKNOWN =
      new StatementMapping(new int[0], new int[0], new boolean[0], false);

  /** The statements of the groups of a transaction's changes. */
  static StatementMapping of(TimedTransaction transaction, List<RowChange> changes) {
    StatementMapping mapping = of(transaction, changes, false);
    // A trigger for each statement may write rows although its statement does not.
    return mapping.fits() ? mapping : of(transaction, changes, true);
  }

  private static StatementMapping of(
      TimedTransaction transaction, List<RowChange> changes, boolean withThoseOfNoRow) {
    List<TimedStatement> slots = new ArrayList<>();
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged() && (withThoseOfNoRow || !statement.changedNothing)) {
        slots.add(statement);
      }
    }
    int[] groups = changes.stream().mapToInt(RowChange::group).distinct().toArray();
    int n = groups.length;
    int[] first = new int[n];
    int next = 0;
    for (int i = 0; i < n; i++, next++) {
      while (next < slots.size() && !fits(slots.get(next), changes, groups[i])) {
        next++;
      }
      if (next == slots.size()) {
        return withoutOrder(slots, groups);
      }
      first[i] = next;
    }
    int[] statements = new int[n];
    boolean[] certain = new boolean[n];
    next = slots.size() - 1;
    for (int i = n - 1; i >= 0; i--, next--) {
      while (!fits(slots.get(next), changes, groups[i])) {
        next--;
      }
      statements[i] = slots.get(next).number;
      certain[i] = next == first[i];
    }
    return new StatementMapping(groups, statements, certain, true);
  }

  /** The statements state themselves what they changed: groups have their numbers. */
  static StatementMapping ofStated(int[] numbers) {
    boolean[] certain = new boolean[numbers.length];
    Arrays.fill(certain, true);
    return new StatementMapping(numbers, numbers, certain, true);
  }

  private static StatementMapping withoutOrder(List<TimedStatement> slots, int[] groups) {
    int[] statements = new int[groups.length];
    Arrays.fill(statements, slots.isEmpty() ? 1 : slots.get(slots.size() - 1).number);
    return new StatementMapping(groups, statements, new boolean[groups.length], false);
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

  int of(int group) {
    int index = index(group);
    return index < 0 ? 1 : statements[index];
  }

  boolean isCertain(int group) {
    int index = index(group);
    return index >= 0 && certain[index];
  }
}
