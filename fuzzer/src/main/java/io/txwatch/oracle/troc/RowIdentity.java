package io.txwatch.oracle.troc;

import io.txwatch.dbms.DbmsBehaviour;
import io.txwatch.dbms.DbmsBehaviour.IdentifyingKey;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a DBMS identifies rows. A row that is deleted and inserted again with the same primary key is
 * the same row on InnoDB, which changes the record that is marked as deleted, and on H2 if the key
 * is one integer column, which is the key of a map ({@code MVPrimaryIndex}); there a row whose key
 * changes becomes another one. All other rows keep their identity.
 *
 * @param keyColumns by table, the indexes of the identifying columns
 * @param changesWithKey false if a row with a changed key counts as the same nevertheless
 */
record RowIdentity(Map<String, List<Integer>> keyColumns, boolean changesWithKey) {

  /** The rows keep their identity until they are deleted. */
  static final RowIdentity STABLE = new RowIdentity(Map.of(), false);

  static RowIdentity of(DbmsBehaviour dbms, List<String> setup, AugmentedTables tables) {
    IdentifyingKey key = dbms.identifyingKey();
    if (key == IdentifyingKey.NONE) {
      return STABLE;
    }
    Map<String, List<Integer>> keyColumns = new HashMap<>();
    TableKeys keys = TableKeys.of(setup);
    for (String table : tables.names()) {
      List<String> columns =
          key == IdentifyingKey.PRIMARY_KEY
              ? keys.primaryKey(table)
              : keys.integerPrimaryKey(table).stream().toList();
      List<Integer> indexes =
          columns.stream().map(column -> tables.columnIndex(table, column)).toList();
      if (!indexes.isEmpty() && indexes.stream().allMatch(index -> index >= 0)) {
        keyColumns.put(table, indexes);
      }
    }
    return new RowIdentity(keyColumns, false);
  }

  /** The same, with a row whose key changes as another row. */
  RowIdentity changingWithKey() {
    return new RowIdentity(keyColumns, true);
  }

  /** The value that identifies a row of a table; empty if the row has an identity of its own. */
  Optional<Object> key(String table, List<@Nullable Object> row) {
    List<Integer> columns = keyColumns.get(table);
    if (columns == null || columns.stream().anyMatch(column -> row.get(column) == null)) {
      return Optional.empty();
    }
    return Optional.of(
        columns.stream().map(column -> folded(Objects.requireNonNull(row.get(column)))).toList());
  }

  /** Equal for texts that InnoDB's default collations consider equal, as far as case goes. */
  private static Object folded(Object value) {
    return value instanceof String text ? text.toLowerCase(Locale.ROOT) : value;
  }
}
