package io.txwatch.dependency;

import io.txwatch.history.KeyValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which keys rows can have, as far as the statement that chose, inserted or deleted them shows: for
 * some columns of the table's key the hashes of their only possible values.
 *
 * @param process whose hashes they are, see {@link KeyValues}
 */
record KeyBounds(long process, Map<String, List<Long>> values) {

  /** Nothing is known. */
  static final KeyBounds NONE = new KeyBounds(0, Map.of());

  /** Those of a statement for the rows of a table. */
  static KeyBounds of(Transaction transaction, List<KeyValues> known, String table) {
    if (known.isEmpty()) {
      return NONE;
    }
    Map<String, List<Long>> values = new HashMap<>();
    for (KeyValues column : known) {
      if (column.table().equals(table)) {
        values.put(column.column(), column.hashes());
      }
    }
    return values.isEmpty() ? NONE : new KeyBounds(process(transaction.id()), values);
  }

  /** The upper half of an id is its process's. */
  private static long process(long transaction) {
    return transaction >>> Integer.SIZE;
  }

  /** Whether no row can have a key of both: a column has different values. */
  boolean excludes(KeyBounds other) {
    if (process != other.process) {
      return false;
    }
    for (Map.Entry<String, List<Long>> column : values.entrySet()) {
      List<Long> others = other.values.get(column.getKey());
      if (others != null && column.getValue().stream().noneMatch(others::contains)) {
        return true;
      }
    }
    return false;
  }

  /** Without the columns that a statement assigns. */
  KeyBounds without(long assigned, ColumnBits columns) {
    if (values.keySet().stream().noneMatch(c -> columns.has(assigned, c))) {
      return this;
    }
    Map<String, List<Long>> kept = new HashMap<>(values);
    kept.keySet().removeIf(column -> columns.has(assigned, column));
    return kept.isEmpty() ? NONE : new KeyBounds(process, kept);
  }

  /** Of a row that one of two statements shows. */
  KeyBounds or(KeyBounds other) {
    if (process != other.process) {
      return NONE;
    }
    if (values.equals(other.values)) {
      return this;
    }
    Map<String, List<Long>> both = new HashMap<>();
    values.forEach(
        (column, one) -> {
          List<Long> others = other.values.get(column);
          if (others != null) {
            List<Long> all = new ArrayList<>(one);
            all.addAll(others);
            both.put(column, all);
          }
        });
    return both.isEmpty() ? NONE : new KeyBounds(process, both);
  }
}
