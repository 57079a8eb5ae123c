package io.txwatch.version;

import io.txwatch.history.RowChoice;
import io.txwatch.history.ValueHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The committed states of a row as a query may have seen them, in their order: absent, or one of
 * its versions. Each but the first is the result of one transaction's change.
 */
final class RowStates {

  private static final Window ALWAYS = new Window(Long.MIN_VALUE, Long.MIN_VALUE);

  private final RowChoice choice;
  private final ConditionValue condition;
  private final List<@Nullable RowVersion> versions;
  private final int[] matches;

  private RowStates(
      RowChoice choice, ConditionValue condition, List<@Nullable RowVersion> versions) {
    this.choice = choice;
    this.condition = condition;
    this.versions = versions;
    this.matches = new int[versions.size()];
    for (int i = 0; i < matches.length; i++) {
      RowVersion version = versions.get(i);
      if (version != null && version.moved) { // it was there under another key, or still is
        matches[i] = ConditionValue.ANY;
      } else {
        matches[i] = isAbsent(i) ? ConditionValue.FALSE : value(version, version.plain);
      }
    }
  }

  /** The states of a row; null if the query may have seen a version of its own transaction. */
  static @Nullable RowStates of(
      RowChoice choice,
      ConditionValue condition,
      RowChain row,
      TimedTransaction reader,
      TimedStatement query) {
    List<@Nullable RowVersion> versions = new ArrayList<>();
    if (row.versions.get(0).insertion) {
      versions.add(null);
    }
    RecordedTransaction own = reader.recorded;
    for (int i = 0; i < row.versions.size(); i++) {
      RowVersion version = row.versions.get(i);
      if (own != null && version.by == own) {
        boolean isLater = own.isCertain(version) && own.statement(version) > query.number;
        if (!isLater) {
          return null;
        }
      }
      if (!row.isIntermediate(i)) {
        versions.add(version);
      }
    }
    return new RowStates(choice, condition, versions);
  }

  private int value(@Nullable RowVersion version, @Nullable Object @Nullable [] values) {
    return condition.of(version == null ? List.of() : version.plainColumns, values);
  }

  int size() {
    return versions.size();
  }

  /** The version of a state; null if the row was not there yet. */
  @Nullable RowVersion version(int state) {
    return versions.get(state);
  }

  private boolean isAbsent(int state) {
    RowVersion version = versions.get(state);
    return version == null || version.deletion;
  }

  private Window commit(int state) {
    RowVersion version = versions.get(state);
    return version == null ? ALWAYS : version.commit();
  }

  /** Whether the condition is certainly true. */
  boolean matches(int state) {
    return matches[state] == ConditionValue.TRUE;
  }

  /** The first state that may be read in a window. */
  int first(Window read) {
    for (int i = size() - 1; i > 0; i--) {
      if (commit(i).returned() < read.sent()) {
        return i;
      }
    }
    return 0;
  }

  /** The last state that may be read in a window. */
  int last(Window read) {
    for (int i = 1; i < size(); i++) {
      if (commit(i).sent() > read.returned()) {
        return i - 1;
      }
    }
    return size() - 1;
  }

  /**
   * Whether the change that led to a state certainly matters to a query that read another one.
   *
   * @param read at least {@code change} if the query read afterwards
   */
  boolean matters(int change, int read) {
    if (change <= read) {
      for (int later = change + 1; later <= read; later++) {
        if (isAbsent(later) || isAbsent(later - 1)) {
          return false; // no value of it is left
        }
      }
    }
    if (isAbsent(change) || isAbsent(change - 1)) {
      int other = change <= read ? change - 1 : change;
      return differ(matches[read], matches[other]);
    }
    RowVersion seen = versions.get(read);
    RowVersion before = versions.get(change - 1);
    RowVersion after = versions.get(change);
    if (isAbsent(read) || seen == null || before == null || after == null) {
      return false; // of a row that was not there
    }
    @Nullable Object[] plain = seen.plain;
    int[] hashes = after.values;
    int[] hashesBefore = before.values;
    int[] hashesSeen = seen.values;
    boolean comparable =
        before.plain != null
            && after.plain != null
            && before.plainColumns.equals(after.plainColumns)
            && before.columns.equals(after.columns)
            && before.columns.equals(before.plainColumns)
            && seen.columns.equals(after.columns)
            && seen.plainColumns.equals(after.plainColumns);
    if (!comparable
        || plain == null
        || hashes == null
        || hashesBefore == null
        || hashesSeen == null) {
      return false;
    }
    @Nullable Object[] other = plain.clone();
    boolean usedChanges = false;
    for (int column = 0; column < hashes.length; column++) {
      boolean known =
          hashes[column] != ValueHash.UNKNOWN && hashesBefore[column] != ValueHash.UNKNOWN;
      boolean changes = !known || hashes[column] != hashesBefore[column];
      if (changes && (change > read || isUnchanged(column, change, read))) {
        other[column] = change <= read ? plainOf(before, column) : plainOf(after, column);
        int otherHash = change <= read ? hashesBefore[column] : hashes[column];
        usedChanges |=
            known
                && hashesSeen[column] != ValueHash.UNKNOWN
                && hashesSeen[column] != otherHash
                && isUsed(seen.plainColumns.get(column));
      }
    }
    int value = value(seen, other);
    return differ(matches[read], value)
        || usedChanges && matches(read) && value == ConditionValue.TRUE;
  }

  private static @Nullable Object plainOf(RowVersion version, int column) {
    @Nullable Object[] plain = version.plain;
    return plain == null ? null : plain[column];
  }

  /** Whether a column's value of one state is certainly still there in a later one. */
  private boolean isUnchanged(int column, int from, int to) {
    for (int i = from + 1; i <= to; i++) {
      RowVersion before = versions.get(i - 1);
      RowVersion after = versions.get(i);
      if (before == null
          || after == null
          || before.values == null
          || after.values == null
          || !before.columns.equals(after.columns)
          || before.values[column] == ValueHash.UNKNOWN
          || before.values[column] != after.values[column]) {
        return false;
      }
    }
    return true;
  }

  private boolean isUsed(String column) {
    return choice.used().contains(column.toLowerCase(Locale.ROOT));
  }

  /** Whether one value of a condition is certainly true and the other one certainly is not. */
  private static boolean differ(int one, int other) {
    return one == ConditionValue.TRUE && (other & ConditionValue.TRUE) == 0
        || other == ConditionValue.TRUE && (one & ConditionValue.TRUE) == 0;
  }
}
