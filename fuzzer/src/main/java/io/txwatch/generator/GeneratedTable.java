package io.txwatch.generator;

import java.util.List;
import java.util.Optional;

/**
 * A table of a generated schema.
 *
 * @param name its name
 * @param columns its columns
 * @param keys its unique constraints, its primary key last if it has one, each a list of columns
 * @param reference its foreign key
 * @param hasAutoIncrement true if {@code c0} gets a value of the DBMS's own where an INSERT gives
 *     none
 * @param partitions its partitions
 */
record GeneratedTable(
    String name,
    List<Column> columns,
    List<List<String>> keys,
    Optional<ForeignKey> reference,
    boolean hasAutoIncrement,
    Optional<Partitions> partitions) {

  /**
   * A column.
   *
   * @param type what expressions take it for
   * @param declared its type as the definition has it
   * @param notNull true if it takes no null
   * @param hasCheck true if there are values that a CHECK refuses
   */
  record Column(String name, SqlType type, String declared, boolean notNull, boolean hasCheck) {}

  /**
   * A foreign key.
   *
   * @param columns the columns that refer
   * @param parent the table that they refer to
   * @param key the key of that table that they refer to
   * @param onDelete what a DELETE of the parent's row does: {@code CASCADE}; empty if nothing is
   *     said
   * @param onUpdate what an UPDATE of the parent's key does
   */
  record ForeignKey(
      List<String> columns,
      GeneratedTable parent,
      List<String> key,
      String onDelete,
      String onUpdate) {

    /** The constraint, as a table's definition has it. */
    String definition() {
      return "FOREIGN KEY ("
          + String.join(", ", columns)
          + ") REFERENCES "
          + parent.name()
          + " ("
          + String.join(", ", key)
          + ")"
          + (onDelete.isEmpty() ? "" : " ON DELETE " + onDelete)
          + (onUpdate.isEmpty() ? "" : " ON UPDATE " + onUpdate);
    }
  }

  /** The column of that name. */
  Column column(String wanted) {
    return columns.stream().filter(c -> c.name().equals(wanted)).findFirst().orElseThrow();
  }

  /** True if the column refers to another table. */
  boolean isForeignKey(Column column) {
    return reference.isPresent() && reference.get().columns().contains(column.name());
  }

  /** True if the column belongs to a key. */
  boolean isKeyColumn(Column column) {
    return keys.stream().anyMatch(key -> key.contains(column.name()));
  }

  /** The columns that belong to no key: assigning them cannot violate uniqueness. */
  List<Column> plainColumns() {
    return columns.stream().filter(column -> !isKeyColumn(column)).toList();
  }

  /** The columns that make a row's place in any order of the table unique. */
  String allColumns() {
    return String.join(", ", columns.stream().map(Column::name).toList());
  }
}
