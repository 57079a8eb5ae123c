package io.txwatch.oracle.log;

import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ColumnType;
import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.UnknownValue;
import io.txwatch.schedule.StoredRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table as a replica holds it that applies the images of the log one after another. Columns whose
 * values cannot be compared with certainty are left out.
 */
final class LoggedTable {

  private static final int MAX_SHOWN_ROWS = 5;

  private final ChangedTable table;

  /** Indexes of the columns that are compared, in the order of the images. */
  private final List<Integer> compared;

  /** The key that identifies a row, as indexes into compared rows; empty if there is none. */
  private final List<Integer> key;

  /** Each row with how often it is there. */
  private final Map<List<@Nullable Object>, Integer> rows;

  private final Map<List<@Nullable Object>, Integer> expected;

  /** All versions that a row has had, from the first state on. */
  private final List<LoggedVersion> versions = new ArrayList<>();

  private LoggedTable(
      ChangedTable table, List<Integer> compared, StoredRows before, StoredRows after) {
    this.table = table;
    this.compared = compared;
    ChangedTable.Key rowKey = table.rowKey();
    this.key =
        rowKey == null || !compared.containsAll(rowKey.columns())
            ? List.of()
            : rowKey.columns().stream().map(compared::indexOf).toList();
    this.rows = bag(before);
    this.expected = bag(after);
    rows.forEach(
        (row, count) -> {
          for (int i = 0; i < count; i++) {
            versions.add(new LoggedVersion(row, LoggedVersion.NONE));
          }
        });
  }

  /**
   * A table with its rows before the first image.
   *
   * @param images all images of the table
   * @param after the rows that it is compared with at the end
   */
  static LoggedTable of(
      ChangedTable table, List<ChangedRow> images, StoredRows before, StoredRows after) {
    List<Integer> compared = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      if (isComparable(table, i, before) && isComparable(table, i, after) && isKnown(images, i)) {
        compared.add(i);
      }
    }
    return new LoggedTable(table, compared, before, after);
  }

  private static boolean isComparable(ChangedTable table, int column, StoredRows rows) {
    ChangedTable.Column described = table.columns().get(column);
    int index = rows.columns().indexOf(described.name());
    return index >= 0
        && described.type().isComparable()
        && rows.rows().stream()
            .map(row -> JdbcValues.normalized(described.type(), row.get(index)))
            .noneMatch(UnknownValue.class::isInstance);
  }

  private static boolean isKnown(List<ChangedRow> images, int column) {
    return images.stream()
        .allMatch(row -> isKnown(row.before(), column) && isKnown(row.after(), column));
  }

  private static boolean isKnown(@Nullable Object @Nullable [] image, int column) {
    return image == null || !(image[column] instanceof UnknownValue);
  }

  private Map<List<@Nullable Object>, Integer> bag(StoredRows read) {
    Map<List<@Nullable Object>, Integer> bag = new LinkedHashMap<>();
    for (List<@Nullable Object> row : read.rows()) {
      List<@Nullable Object> values = new ArrayList<>();
      for (int column : compared) {
        ChangedTable.Column described = table.columns().get(column);
        int index = read.columns().indexOf(described.name());
        values.add(comparable(JdbcValues.normalized(described.type(), row.get(index))));
      }
      bag.merge(Collections.unmodifiableList(values), 1, Integer::sum);
    }
    return bag;
  }

  private List<@Nullable Object> row(@Nullable Object[] image) {
    @Nullable Object[] values = new Object[compared.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = comparable(image[compared.get(i)]);
    }
    return Collections.unmodifiableList(Arrays.asList(values));
  }

  static @Nullable Object comparable(@Nullable Object value) {
    return value instanceof byte[] bytes ? "0x" + HexFormat.of().formatHex(bytes) : value;
  }

  /** The names of the columns that are compared. */
  List<String> comparedColumns() {
    return compared.stream().map(column -> table.columnNames().get(column)).toList();
  }

  /** The type of a column that is compared. */
  ColumnType type(int index) {
    return table.columns().get(compared.get(index)).type();
  }

  /** All versions of its rows, with the transactions of the changes that were applied. */
  List<LoggedVersion> versions() {
    return Collections.unmodifiableList(versions);
  }

  /**
   * Applies a change; returns why a replica cannot.
   *
   * @param transaction the index of its transaction in the log
   */
  Optional<String> apply(ChangedRow change, int transaction) {
    @Nullable Object[] before = change.before();
    if (before != null) {
      List<@Nullable Object> replaced = row(before);
      Integer count = rows.get(replaced);
      if (count == null) {
        return Optional.of(
            "a replica would not find the row "
                + shown(replaced)
                + " of "
                + table.name()
                + sameKey(replaced).map(row -> ", but " + shown(row)).orElse(""));
      }
      if (count == 1) {
        rows.remove(replaced);
      } else {
        rows.put(replaced, count - 1);
      }
      versions.stream()
          .filter(version -> version.isCurrent() && version.values().equals(replaced))
          .findFirst()
          .ifPresent(version -> version.removeBy(transaction));
    }
    @Nullable Object[] after = change.after();
    if (after != null) {
      List<@Nullable Object> added = row(after);
      Optional<List<@Nullable Object>> other = sameKey(added);
      if (other.isPresent()) {
        return Optional.of(
            "a replica would hold the row "
                + shown(other.get())
                + " of "
                + table.name()
                + " when it adds "
                + shown(added));
      }
      rows.merge(added, 1, Integer::sum);
      versions.add(new LoggedVersion(added, transaction));
    }
    return Optional.empty();
  }

  private Optional<List<@Nullable Object>> sameKey(List<@Nullable Object> row) {
    return key.isEmpty()
        ? Optional.empty()
        : rows.keySet().stream().filter(other -> keyOf(other).equals(keyOf(row))).findFirst();
  }

  private List<@Nullable Object> keyOf(List<@Nullable Object> row) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int column : key) {
      values.add(row.get(column));
    }
    return values;
  }

  /** What a replica holds and the server does not, or the other way round; empty if nothing. */
  Optional<String> difference() {
    if (rows.equals(expected)) {
      return Optional.empty();
    }
    String columns =
        compared.stream()
            .map(column -> table.columnNames().get(column))
            .collect(Collectors.joining(", ", "(", ")"));
    return Optional.of(
        "a replica would hold in "
            + table.name()
            + columns
            + " "
            + surplus(rows, expected)
            + " where the server holds "
            + surplus(expected, rows));
  }

  /** The rows of one bag that another one does not have as often. */
  private static String surplus(
      Map<List<@Nullable Object>, Integer> bag, Map<List<@Nullable Object>, Integer> other) {
    List<String> more = new ArrayList<>();
    bag.forEach(
        (row, count) -> {
          for (int i = other.getOrDefault(row, 0); i < count; i++) {
            more.add(shown(row));
          }
        });
    return more.isEmpty()
        ? "no further row"
        : more.stream().limit(MAX_SHOWN_ROWS).collect(Collectors.joining(", "))
            + (more.size() > MAX_SHOWN_ROWS ? ", …" : "");
  }

  private static String shown(List<@Nullable Object> row) {
    return row.stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
  }
}
