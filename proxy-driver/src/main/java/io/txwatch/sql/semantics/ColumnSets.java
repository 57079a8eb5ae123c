package io.txwatch.sql.semantics;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.AccessedColumns.Columns;
import java.util.Set;
import java.util.TreeSet;

/** The columns of one table that a statement reads and writes, while they are collected. */
final class ColumnSets {

  private static final class Collected {
    private final Set<String> names = new TreeSet<>();
    private boolean all;

    private Columns columns() {
      return all ? Columns.ALL : Columns.of(names);
    }
  }

  private final Schema.Relation relation;
  private final Collected read = new Collected();
  private final Collected predicate = new Collected();
  private final Collected written = new Collected();
  private boolean choosesRows;

  ColumnSets(Schema.Relation relation) {
    this.relation = relation;
  }

  boolean has(String column) {
    return relation.columns().contains(column);
  }

  /** Adds a column that is read. */
  void read(String column, boolean byPredicate) {
    read.names.add(column);
    if (byPredicate) {
      predicate.names.add(column);
    }
  }

  void readAll(boolean byPredicate) {
    read.all = true;
    predicate.all |= byPredicate;
  }

  /** Adds a column that an UPDATE assigns, and those that change with it. */
  void assign(String column) {
    written.names.add(column);
    written.names.addAll(relation.changing());
  }

  /** Its rows are looked up, not inserted. */
  void chooseRows() {
    choosesRows = true;
  }

  void writeAll() {
    written.all = true;
  }

  /**
   * What was collected. The columns of the key count as read wherever rows are chosen: a row that
   * gets another key is found, or not, at another place.
   */
  AccessedColumns.OfTable finish() {
    if (choosesRows) {
      relation.key().forEach(column -> read(column, true));
    }
    return new AccessedColumns.OfTable(
        relation.name(), read.columns(), predicate.columns(), written.columns());
  }
}
