package io.txwatch.proof;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ValueComparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A table as a case defines and fills it.
 *
 * <p>Its rows can be changed back to what a transaction found: not thread-safe.
 */
final class TableCopy {

  private final String name;
  private final List<String> definition;
  private final List<String> columns;
  private final List<String> key;
  private final List<ForeignKey> references;
  private final List<Map<String, RecordedValue>> rows = new ArrayList<>();
  private boolean isInPart;

  /**
   * A foreign key.
   *
   * @param parent the table that it refers to
   * @param columns the column of the parent for each of the child's
   */
  record ForeignKey(String parent, Map<String, String> columns) {}

  /**
   * An empty table.
   *
   * @param name as the catalog has it
   * @param definition the statements that define it
   * @param columns those that rows are inserted with, as the catalog has them
   * @param key the columns of its primary key; empty if it has none
   * @param references its foreign keys
   */
  TableCopy(
      String name,
      List<String> definition,
      List<String> columns,
      List<String> key,
      List<ForeignKey> references) {
    this.name = name;
    this.definition = List.copyOf(definition);
    this.columns = List.copyOf(columns);
    this.key = List.copyOf(key);
    this.references = List.copyOf(references);
  }

  String name() {
    return name;
  }

  List<String> definition() {
    return definition;
  }

  List<String> columns() {
    return columns;
  }

  List<Map<String, RecordedValue>> rows() {
    return rows;
  }

  List<String> primaryKey() {
    return key;
  }

  /** Whether rows are missing that a statement may choose. */
  boolean isInPart() {
    return isInPart;
  }

  void setInPart() {
    isInPart = true;
  }

  void add(Map<String, RecordedValue> row) {
    rows.add(new LinkedHashMap<>(row));
  }

  /** Its column of that name, in whatever case. */
  Optional<String> column(String column) {
    String folded = column.toLowerCase(Locale.ROOT);
    return columns.stream().filter(one -> one.toLowerCase(Locale.ROOT).equals(folded)).findFirst();
  }

  /** Whether a column, named as the catalog has it, is one of the primary key. */
  boolean isOfKey(String column) {
    return key.contains(column);
  }

  /** Whether the primary key is among some columns. */
  boolean hasKeyIn(Set<String> some) {
    return !key.isEmpty() && some.containsAll(key);
  }

  /** Whether the primary key of a row is NULL: an outer join's row that is not there. */
  boolean isKeyOfNulls(Map<String, RecordedValue> row) {
    return key.stream().anyMatch(column -> RecordedValue.NULL.equals(row.get(column)));
  }

  /**
   * Removes the row with these values, or the only one. With its key they are compared no further:
   * a DBMS may have stored others, such as a time without its nanoseconds.
   */
  void remove(Map<String, RecordedValue> values) {
    if (hasKeyIn(values.keySet())) {
      Map<String, RecordedValue> ofKey = new LinkedHashMap<>(values);
      ofKey.keySet().retainAll(key);
      rows.removeAll(find(ofKey));
      return;
    }
    List<Map<String, RecordedValue>> found = find(values);
    if (!found.isEmpty()) {
      rows.remove(found.get(found.size() - 1));
    }
  }

  /**
   * Removes the rows that have some values, but not those that were found.
   *
   * @param chosen the values of the rows that would have been found
   * @param found the rows that were found; each has a key
   * @param isFound whether such a row would have been found
   */
  void removeOthers(
      Map<String, RecordedValue> chosen,
      List<Map<String, RecordedValue>> found,
      Predicate<Map<String, RecordedValue>> isFound) {
    for (Map<String, RecordedValue> row : find(chosen)) {
      boolean isOther =
          found.stream()
              .noneMatch(
                  one -> key.stream().allMatch(column -> isSame(row.get(column), one.get(column))));
      if (isOther && isFound.test(row)) {
        rows.remove(row);
      }
    }
  }

  private static boolean isSame(@Nullable RecordedValue one, @Nullable RecordedValue other) {
    return other != null && isEqual(one, other);
  }

  /**
   * Removes the rows that refer to others that are not there.
   *
   * @return true if there were some
   */
  boolean removeOrphans(List<TableCopy> tables) {
    return rows.removeIf(
        row -> references.stream().anyMatch(reference -> isOrphan(row, reference, tables)));
  }

  private static boolean isOrphan(
      Map<String, RecordedValue> row, ForeignKey reference, List<TableCopy> tables) {
    Map<String, RecordedValue> parent = new LinkedHashMap<>();
    reference.columns.forEach(
        (child, column) -> parent.put(column, row.getOrDefault(child, RecordedValue.UNKNOWN)));
    return parent.values().stream().allMatch(ValueComparison::isValue)
        && tables.stream()
            .filter(table -> table.name.equals(reference.parent))
            .anyMatch(table -> table.find(parent).isEmpty());
  }

  /** Gives the row that has these values in its key the other ones, too. */
  void restore(Map<String, RecordedValue> values) {
    if (!hasKeyIn(values.keySet())) {
      return;
    }
    Map<String, RecordedValue> ofKey = new LinkedHashMap<>(values);
    ofKey.keySet().retainAll(key);
    List<Map<String, RecordedValue>> found = find(ofKey);
    if (found.isEmpty()) {
      boolean isKnown =
          values.values().stream().noneMatch(one -> one.type() == RecordedValue.Type.UNKNOWN);
      if (isKnown && values.keySet().containsAll(columns)) {
        add(values);
      }
    } else {
      values.forEach(
          (column, value) -> {
            if (value.type() != RecordedValue.Type.UNKNOWN) {
              found.get(0).put(column, value);
            }
          });
    }
  }

  /**
   * Gives the rows that have these values in their key another value in a column that has the same
   * value as it is assigned.
   *
   * @param before the values that the column may have had, the most probable first
   * @return true if a row has been given one
   */
  boolean differ(
      Map<String, RecordedValue> ofKey,
      String column,
      RecordedValue assigned,
      List<RecordedValue> before) {
    Map<String, RecordedValue> all = new LinkedHashMap<>(ofKey);
    all.keySet().retainAll(key);
    all.put(column, assigned);
    List<Map<String, RecordedValue>> same = find(all);
    Optional<RecordedValue> other =
        before.stream()
            .filter(value -> value.type() != RecordedValue.Type.UNKNOWN)
            .filter(value -> !isEqual(value, assigned))
            .findFirst();
    other.ifPresent(value -> same.forEach(row -> row.put(column, value)));
    return other.isPresent() && !same.isEmpty();
  }

  /** The values that a column has in its rows. */
  List<RecordedValue> values(String column) {
    return rows.stream().map(row -> row.getOrDefault(column, RecordedValue.UNKNOWN)).toList();
  }

  /** Whether the row with these values in its key has the other ones, too. */
  boolean contains(Map<String, RecordedValue> ofKey, Map<String, RecordedValue> others) {
    Map<String, RecordedValue> all = new LinkedHashMap<>(ofKey);
    all.keySet().retainAll(key);
    all.putAll(others);
    return !find(all).isEmpty();
  }

  /** Whether there are rows with these values, and all of them have the other ones, too. */
  boolean allHave(Map<String, RecordedValue> values, Map<String, RecordedValue> others) {
    List<Map<String, RecordedValue>> found = find(values);
    Map<String, RecordedValue> all = new LinkedHashMap<>(values);
    all.putAll(others);
    return !found.isEmpty() && find(all).size() == found.size();
  }

  private List<Map<String, RecordedValue>> find(Map<String, RecordedValue> values) {
    return rows.stream()
        .filter(
            row ->
                values.entrySet().stream()
                    .allMatch(one -> isEqual(row.get(one.getKey()), one.getValue())))
        .toList();
  }

  private static boolean isEqual(@Nullable RecordedValue one, RecordedValue other) {
    return one != null && (one.equals(other) || ValueComparison.areEqual(one, other));
  }
}
