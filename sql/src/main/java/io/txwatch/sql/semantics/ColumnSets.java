package io.txwatch.sql.semantics;

import io.txwatch.sql.semantics.UsedColumns.Columns;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The columns that a statement reads and writes of one reference to a table, while they are
 * collected.
 */
final class ColumnSets {

  private static final class Collected {
    private final Set<String> names = new TreeSet<>();
    private boolean all;

    private void add(Collected other) {
      names.addAll(other.names);
      all |= other.all;
    }

    private Columns columns() {
      return all ? Columns.ALL : Columns.of(names);
    }

    private Columns without(Set<String> others) {
      Set<String> left = new TreeSet<>(names);
      left.removeAll(others);
      return all ? Columns.ALL : Columns.of(left);
    }
  }

  private final Schema.Relation relation;
  private final Collected read = new Collected();
  private final Collected sure = new Collected();
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
    sure.names.add(column);
    if (byPredicate) {
      predicate.names.add(column);
    }
  }

  void readAll(boolean byPredicate) {
    read.all = true;
    sure.all = true;
    predicate.all |= byPredicate;
  }

  /** Columns that the result surely depends on. */
  record Sure(Set<String> names, boolean all) {

    /** Those of both. */
    Sure and(Sure other) {
      Set<String> both = new TreeSet<>(other.all ? names : other.names);
      if (!all && !other.all) {
        both.retainAll(names);
      }
      return new Sure(both, all && other.all);
    }
  }

  /** What the result surely depends on, so far. */
  Sure sure() {
    return new Sure(new TreeSet<>(sure.names), sure.all);
  }

  /** Sets what the result surely depends on, so far. */
  void sureIs(Sure known) {
    sure.names.clear();
    sure.names.addAll(known.names);
    sure.all = known.all;
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
   * What was collected of all references to one table. The columns of the key count as read
   * wherever rows are chosen: a row that gets another key is found, or not, at another place.
   */
  static UsedColumns ofTable(List<ColumnSets> references) {
    Collected read = new Collected();
    Collected predicate = new Collected();
    Collected written = new Collected();
    Set<String> ofEach = null;
    boolean allOfEach = true;
    for (ColumnSets one : references) {
      if (one.choosesRows) {
        one.relation.key().forEach(column -> one.read(column, true));
        allOfEach &= one.sure.all;
        if (!one.sure.all) {
          ofEach = ofEach == null ? new TreeSet<>(one.sure.names) : ofEach;
          ofEach.retainAll(one.sure.names);
        }
      }
      read.add(one.read);
      predicate.add(one.predicate);
      written.add(one.written);
    }
    return new UsedColumns(
        references.get(0).relation.name(),
        read.columns(),
        predicate.columns(),
        written.columns(),
        allOfEach ? Columns.NONE : read.without(ofEach == null ? Set.of() : ofEach));
  }
}
