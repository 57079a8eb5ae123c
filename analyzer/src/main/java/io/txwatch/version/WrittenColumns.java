package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.RowChange;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a transaction wrote of each row, as recorded: of a row that a trigger or a
 * cascade wrote, the statement's text states nothing.
 */
final class WrittenColumns {

  private final TimedTransaction transaction;
  private final RecordedTransaction recorded;
  private final Map<HashedKey, List<RowChange>> changes = new HashMap<>();

  WrittenColumns(TimedTransaction transaction, RecordedTransaction recorded) {
    this.transaction = transaction;
    this.recorded = recorded;
    for (RowChange change : recorded.changes) {
      long key = change.keyAfter() == 0 ? change.keyBefore() : change.keyAfter();
      changes
          .computeIfAbsent(new HashedKey(change.table(), key), k -> new ArrayList<>())
          .add(change);
    }
  }

  /**
   * The columns of a version if they are not those that its statement names.
   *
   * @param certain whether it is certain which statement it is
   * @see io.txwatch.dependency.KnownRow#columns
   */
  Optional<String> of(RowVersion version, Access access, boolean certain) {
    int number = recorded.statement(version);
    Set<String> changed = access == Access.UPDATE ? changed(version, number) : Set.of();
    if (certain && isOwn(transaction.statement(number), version.row, access, changed)) {
      return Optional.empty();
    }
    if (changed.isEmpty()) {
      return Optional.of("");
    }
    // What a trigger computed these values from is not known: from those before, for example.
    AccessedColumns.Columns columns = AccessedColumns.Columns.of(changed);
    return Optional.of(
        new AccessedColumns(
                List.of(
                    new AccessedColumns.OfTable(
                        version.row.table, columns, AccessedColumns.Columns.NONE, columns)))
            .text());
  }

  /** Whether a statement wrote a row itself. */
  private static boolean isOwn(
      @Nullable TimedStatement statement, RowChain row, Access access, Set<String> changed) {
    if (statement == null) {
      return false;
    }
    if (statement.states(row.table, row.key)
        || (statement.kind != StatementKind.UPDATE && statement.writes.isEmpty())) {
      return true;
    }
    for (StatedWrite write : statement.writes) {
      if (write.rows().table().equals(row.table) && !TimedStatement.isWhole(write)) {
        List<String> assigned = write.rows().columns();
        if (access != Access.UPDATE
            || write.access() != Access.UPDATE
            || changed.isEmpty()
            || assigned.stream().anyMatch(name -> changed.contains(lower(name)))) {
          return true;
        }
      }
    }
    return false;
  }

  /** The columns that a statement changed in a row, or may have changed; in lower case. */
  private Set<String> changed(RowVersion version, int statement) {
    Set<String> changed = new LinkedHashSet<>();
    for (RowChange change :
        changes.getOrDefault(new HashedKey(version.row.table, version.row.key), List.of())) {
      if (recorded.statement(change) == statement) {
        for (int i = 0; i < change.columns().size(); i++) {
          int before = value(change.before(), i);
          if (before == ValueHash.UNKNOWN || before != value(change.after(), i)) {
            changed.add(lower(change.columns().get(i)));
          }
        }
      }
    }
    return changed;
  }

  private static int value(int[] values, int column) {
    return column < values.length ? values[column] : ValueHash.UNKNOWN;
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
