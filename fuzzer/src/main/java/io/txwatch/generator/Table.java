package io.txwatch.generator;

import java.util.List;
import java.util.Set;

/**
 * A table of a generated schema.
 *
 * @param name its name
 * @param columns its columns
 * @param keys its primary key, if it has one, and its unique constraints, each a list of columns
 */
record Table(String name, List<Column> columns, List<Set<String>> keys) {

  /**
   * A column.
   *
   * @param notNull true if it takes no null
   */
  record Column(String name, SqlType type, boolean notNull) {}

  /** The columns that belong to no key: assigning them cannot violate uniqueness. */
  List<Column> plainColumns() {
    return columns.stream()
        .filter(column -> keys.stream().noneMatch(key -> key.contains(column.name())))
        .toList();
  }

  /** The columns that make a row's place in any order of the table unique. */
  String allColumns() {
    return String.join(", ", columns.stream().map(Column::name).toList());
  }
}
