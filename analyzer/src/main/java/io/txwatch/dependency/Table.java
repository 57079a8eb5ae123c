package io.txwatch.dependency;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A table: its rows, and who read it by predicate. */
final class Table {

  final String name;
  final LongTable<Row> rows = new LongTable<>();

  /** The rows that are new since {@link ChainPruning} looked: nothing of them may be known yet. */
  final List<Row> created = new ArrayList<>(0);

  /** The first reading by predicate of each transaction, oldest first. */
  final List<PredicateRead> reads = new ArrayList<>(0);

  /** The first reading by each transaction and named predicate. */
  final Map<Long, List<PredicateRead>> named = new HashMap<>();

  final ArrayDeque<PredicateRead> namedInOrder = new ArrayDeque<>(0);

  /** Rows that were inserted or deleted of late: a version set shows it by what it lacks. */
  final ArrayDeque<Version> recentChanges = new ArrayDeque<>(0);

  /**
   * True once so many of its rows were {@linkplain Row#broken contradictory} that none of them is
   * looked at any more.
   */
  boolean broken;

  /** How many of its rows are contradictory. */
  int brokenRows;

  private final Footprint footprint;

  Table(String name, Footprint footprint) {
    this.name = name;
    this.footprint = footprint;
  }

  Row row(long id) {
    Row row = rows.get(id);
    if (row == null) {
      row = new Row(this, id);
      rows.put(id, row);
      footprint.add(Footprint.ROW);
      created.add(row);
    }
    return row;
  }

  /** Removes a row of which nothing is known any more. */
  void remove(Row row) {
    rows.remove(row.id());
    footprint.release(Footprint.ROW);
  }

  /** Whether nothing is known of it that must be kept. */
  boolean isEmpty() {
    return rows.size() == 0
        && !broken
        && reads.isEmpty()
        && namedInOrder.isEmpty()
        && recentChanges.isEmpty();
  }
}
