package io.txwatch.generator;

import java.util.List;
import java.util.Optional;

/**
 * A table of a generated schema.
 *
 * @param name its name
 * @param columns its columns
 * @param keys its unique constraints, the primary key last if there is one, each a list of columns
 * @param exclusion its exclusion constraint
 * @param reference its foreign key
 * @param hasAutoIncrement true if the DBMS generates a value for {@code c0} unless an INSERT has
 *     one
 * @param partitions its partitions
 * @param hasView true if there is a view of its first two columns
 */
record GeneratedTable(
    String name,
    List<Column> columns,
    List<List<String>> keys,
    Optional<ExclusionConstraint> exclusion,
    Optional<ForeignKey> reference,
    boolean hasAutoIncrement,
    Optional<Partitions> partitions,
    boolean hasView) {

  /**
   * A column.
   *
   * @param type its type in expressions
   * @param declared its declared type
   * @param notNull true if it is NOT NULL
   * @param hasCheck true if a CHECK rejects some values
   */
  record Column(String name, SqlType type, String declared, boolean notNull, boolean hasCheck) {}

  /**
   * An exclusion constraint: rows with the same value, or close ones, conflict.
   *
   * @param column its column
   * @param isDeferred true if it is checked when transactions commit
   */
  record ExclusionConstraint(String column, boolean isDeferred) {}

  /**
   * A foreign key.
   *
   * @param columns the referencing columns
   * @param parent the referenced table
   * @param key the referenced key
   * @param onDelete the action on DELETE of the parent row: {@code CASCADE}; empty for the default
   * @param onUpdate the action on UPDATE of the parent's key
   */
  record ForeignKey(
      List<String> columns,
      GeneratedTable parent,
      List<String> key,
      String onDelete,
      String onUpdate) {

    /** The constraint in a table's definition. */
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

  /** The column of this name. */
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

  /** True if the column belongs to the exclusion constraint. */
  boolean isExclusionColumn(Column column) {
    return exclusion.filter(some -> some.column().equals(column.name())).isPresent();
  }

  /** True if {@code ON CONFLICT} without a key is an error: it accepts no deferred constraint. */
  boolean rejectsOnConflict() {
    return exclusion.filter(ExclusionConstraint::isDeferred).isPresent();
  }

  /** The columns that belong to no key: assigning them cannot make two rows conflict. */
  List<Column> plainColumns() {
    return columns.stream()
        .filter(column -> !isKeyColumn(column) && !isExclusionColumn(column))
        .toList();
  }

  /** All columns, as an ORDER BY that makes the position of each row unique. */
  String allColumns() {
    return String.join(", ", columns.stream().map(Column::name).toList());
  }
}
