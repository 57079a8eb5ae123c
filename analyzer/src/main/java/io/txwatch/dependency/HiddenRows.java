package io.txwatch.dependency;

import io.txwatch.history.StatementKind;
import io.txwatch.rules.registry.RulesRegistry;

/**
 * Rows that a transaction's own writes hide from its snapshot.
 *
 * <p>Where rows are stored by their primary keys, a snapshot shows one version of each key: the
 * transaction's own if it wrote one. If T's snapshot shows row x, another transaction deletes x,
 * and T then inserts a row with the key of x, or updates or deletes one that was inserted since,
 * then T's queries do not return x any more. Yet they do not see that it was deleted: if T undoes
 * its write, they return x again.
 */
final class HiddenRows {

  private HiddenRows() {}

  /**
   * Whether a write of a transaction may have hidden a row from one of its queries.
   *
   * @param query the number of the query
   * @param deletion by another transaction, of the row
   */
  static boolean mayHide(Transaction reader, int query, Version deletion) {
    return RulesRegistry.of(reader.database().product()).writesMayHideRows(reader.level())
        && (wroteAnother(reader, deletion) || mayHaveWrittenUnseen(reader, query, deletion));
  }

  private static boolean wroteAnother(Transaction reader, Version deletion) {
    Row row = deletion.row;
    for (Version write : reader.writes) {
      if (write.row != row
          && write.row.owner() == row.owner()
          && mayHaveKeyOf(deletion, write.keys())) {
        return true;
      }
    }
    return false;
  }

  /** A trigger or a cascade of any statement may have written the table; no event reports that. */
  private static boolean mayHaveWrittenUnseen(Transaction reader, int query, Version deletion) {
    Table table = deletion.row.owner();
    for (Transaction.Statement statement : reader.statements()) {
      if (statement.number() < query && statement.kind().mayWrite()) {
        boolean assignsNone =
            statement.kind() == StatementKind.INSERT && statement.columns().isEmpty();
        long assigned = assignsNone ? 0 : table.columns.of(statement.columns()).written();
        KeyBounds keys =
            KeyBounds.of(reader, statement.keyValues(), table.name)
                .without(assigned, table.columns);
        if (mayHaveKeyOf(deletion, keys)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean mayHaveKeyOf(Version deletion, KeyBounds keys) {
    Version deleted = deletion.previous;
    return !keys.excludes(deletion.keys()) && (deleted == null || !keys.excludes(deleted.keys()));
  }
}
