package io.txwatch.dependency;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A table: its rows, and the reads of it by predicate. */
final class Table {

  final String name;
  final ColumnBits columns;
  final LongTable<Row> rows = new LongTable<>();

  /** The rows created since {@link ChainPruning} last ran; they may have no versions. */
  final List<Row> created = new ArrayList<>(0);

  /**
   * The reads by predicate of each transaction, oldest first, except those that depend on no other
   * columns than earlier ones.
   */
  final List<PredicateRead> reads = new ArrayList<>(0);

  /** The first read of each transaction by each named predicate. */
  final Map<Long, List<PredicateRead>> named = new HashMap<>();

  final ArrayDeque<PredicateRead> namedInOrder = new ArrayDeque<>(0);

  /** Recently inserted or deleted rows: a version set shows these changes by what it lacks. */
  final ArrayDeque<Version> recentChanges = new ArrayDeque<>(0);

  /**
   * True once so many of its rows were {@linkplain Row#broken contradictory} that all are ignored.
   */
  boolean broken;

  int brokenRows;

  private final Footprint footprint;

  /** The keys of its rows, as far as they are known. */
  final KnownRowNames rowNames;

  Table(String name, Footprint footprint, Granularity granularity) {
    this(name, footprint, granularity, new KnownRowNames());
  }

  Table(String name, Footprint footprint, Granularity granularity, KnownRowNames rowNames) {
    this.name = name;
    this.columns = new ColumnBits(name, granularity);
    this.footprint = footprint;
    this.rowNames = rowNames;
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

  /** Removes a row without known versions. */
  void remove(Row row) {
    rows.remove(row.id());
    footprint.release(Footprint.ROW);
  }

  /** Whether nothing needs to be retained for it. */
  boolean isEmpty() {
    return rows.size() == 0
        && !broken
        && reads.isEmpty()
        && namedInOrder.isEmpty()
        && recentChanges.isEmpty();
  }
}
