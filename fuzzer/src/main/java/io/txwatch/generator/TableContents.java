package io.txwatch.generator;

import io.txwatch.generator.GeneratedTable.Column;
import io.txwatch.generator.GeneratedTable.ForeignKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;

/** The initial rows of a case's tables; they violate no constraint. */
final class TableContents {

  /** The most initial rows of a table. */
  static final int MAX_ROWS = 6;

  private final RandomSource random;
  private final GeneratedDialect grammar;
  private final CaseKind caseKind;
  private final CaseLiterals literals;

  /** By table, the literals of each row by column. */
  private final Map<String, List<Map<String, String>>> rows = new HashMap<>();

  private final List<String> inserts = new ArrayList<>();

  /**
   * Generates rows.
   *
   * @param tables the tables, parents before children
   */
  TableContents(
      RandomSource random,
      GeneratedDialect grammar,
      CaseKind caseKind,
      CaseLiterals literals,
      List<GeneratedTable> tables) {
    this.random = random;
    this.grammar = grammar;
    this.caseKind = caseKind;
    this.literals = literals;
    tables.forEach(this::fill);
  }

  /** The INSERTs of the rows. */
  List<String> inserts() {
    return inserts;
  }

  /** The key of a random parent row, by the columns that refer to it. */
  Map<String, String> randomParentKey(ForeignKey reference) {
    Map<String, String> row = random.oneOf(rowsOf(reference.parent()));
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < reference.columns().size(); i++) {
      values.put(
          reference.columns().get(i),
          Objects.requireNonNull(row.get(reference.key().get(i)), "a value of each column"));
    }
    return values;
  }

  /** A condition for one row of a table, and for others with the same first column. */
  String conditionOnRow(GeneratedTable table) {
    String value =
        Objects.requireNonNull(random.oneOf(rowsOf(table)).get("c0"), "a value of each column");
    return value.equals("NULL") ? "(c0 IS NULL)" : "(c0 = " + value + ")";
  }

  /** The rows of a table: the literals by column. */
  List<Map<String, String>> rowsOf(GeneratedTable table) {
    return Objects.requireNonNull(rows.get(table.name()), "parents come before children");
  }

  private void fill(GeneratedTable table) {
    Set<String> distinct = distinct(table);
    List<Map<String, String>> filled = new ArrayList<>();
    // MySQL 9.7 has no default for an invisible column unless the columns are listed.
    String into = "INSERT INTO " + table.name() + " (" + table.allColumns() + ") VALUES ";
    StringJoiner values = new StringJoiner(", ", into, "");
    int size = caseKind.rows(random);
    for (int i = 0; i < size; i++) {
      Map<String, String> row = row(table, distinct, i);
      filled.add(row);
      StringJoiner one = new StringJoiner(", ", "(", ")");
      table.columns().forEach(column -> one.add(row.get(column.name())));
      values.add(one.toString());
    }
    rows.put(table.name(), filled);
    inserts.add(values.toString());
  }

  /** For each key and exclusion constraint, a column in which all rows differ. */
  private static Set<String> distinct(GeneratedTable table) {
    Set<String> distinct = new HashSet<>();
    for (List<String> key : table.keys()) {
      table.columns().stream()
          .filter(column -> key.contains(column.name()) && !table.isForeignKey(column))
          .findFirst()
          .ifPresent(column -> distinct.add(column.name()));
    }
    table.exclusion().ifPresent(exclusion -> distinct.add(exclusion.column()));
    return distinct;
  }

  private Map<String, String> row(GeneratedTable table, Set<String> distinct, int number) {
    Map<String, String> row = new HashMap<>();
    for (Column column : table.columns()) {
      boolean isDistinct = distinct.contains(column.name()) || column.hasCheck();
      row.put(
          column.name(), isDistinct ? distinctValue(table, column, number) : value(table, column));
    }
    table
        .reference()
        .filter(reference -> hasMandatoryReference(table) || !random.percent(20))
        .ifPresentOrElse(
            reference -> row.putAll(randomParentKey(reference)),
            () ->
                table.columns().stream()
                    .filter(table::isForeignKey)
                    .forEach(column -> row.put(column.name(), "NULL")));
    return row;
  }

  private String distinctValue(GeneratedTable table, Column column, int number) {
    // MySQL generates a value for 0.
    boolean skipsZero = isFirst(column) && table.hasAutoIncrement();
    boolean skipsNeighbours = column.type() == SqlType.INT && table.isExclusionColumn(column);
    int value = skipsNeighbours ? 2 * number : number + (skipsZero ? 1 : 0);
    return CaseLiterals.distinct(grammar, column.type(), value);
  }

  private String value(GeneratedTable table, Column column) {
    if (isFirst(column) && table.partitions().isPresent()) {
      return CaseLiterals.distinct(grammar, column.type(), random.below(MAX_ROWS));
    }
    return column.notNull() || !random.percent(15) ? literals.of(column.type()) : "NULL";
  }

  private static boolean isFirst(Column column) {
    return column.name().equals("c0");
  }

  private static boolean hasMandatoryReference(GeneratedTable table) {
    return table.columns().stream()
        .anyMatch(column -> table.isForeignKey(column) && column.notNull());
  }
}
