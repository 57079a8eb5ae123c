package io.txwatch.oracle.troc;

import io.txwatch.history.Database;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a DBMS identifies rows. H2 stores a table with a primary key of one integer column as a map
 * from that key to the row ({@code MVPrimaryIndex}): a row that is deleted and inserted again is
 * the same row, and a row whose key changes becomes another one. All other rows keep their
 * identity.
 *
 * @param keyColumns by table, the index of the identifying column
 * @param changesWithKey false if a row with a changed key counts as the same nevertheless
 */
record RowIdentity(Map<String, Integer> keyColumns, boolean changesWithKey) {

  /** The rows keep their identity until they are deleted. */
  static final RowIdentity STABLE = new RowIdentity(Map.of(), false);

  static RowIdentity of(Database database, List<String> setup, AugmentedTables tables) {
    if (!database.product().equals("H2")) {
      return STABLE;
    }
    Map<String, Integer> keyColumns = new HashMap<>();
    TableKeys keys = TableKeys.of(setup);
    for (String table : tables.names()) {
      keys.integerPrimaryKey(table)
          .map(column -> tables.columnIndex(table, column))
          .filter(index -> index >= 0)
          .ifPresent(index -> keyColumns.put(table, index));
    }
    return new RowIdentity(keyColumns, false);
  }

  /** The same, with a row whose key changes as another row. */
  RowIdentity changingWithKey() {
    return new RowIdentity(keyColumns, true);
  }

  /** The value that identifies a row of a table; empty if the row has an identity of its own. */
  Optional<Object> key(String table, List<@Nullable Object> row) {
    Integer column = keyColumns.get(table);
    return column == null ? Optional.empty() : Optional.ofNullable(row.get(column));
  }
}
