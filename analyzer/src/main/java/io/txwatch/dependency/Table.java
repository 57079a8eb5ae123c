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
  final List<Row> made = new ArrayList<>(0);

  /** The first reading by predicate of each transaction, oldest first. */
  final List<PredicateRead> reads = new ArrayList<>(0);

  /** The first reading by each transaction and named predicate. */
  final Map<Long, List<PredicateRead>> named = new HashMap<>();

  final ArrayDeque<PredicateRead> namedInOrder = new ArrayDeque<>(0);

  /** Rows that were inserted or deleted of late: a version set shows it by what it lacks. */
  final ArrayDeque<Version> comings = new ArrayDeque<>(0);

  Table(String name) {
    this.name = name;
  }

  Row row(long id) {
    Row row = rows.get(id);
    if (row == null) {
      row = new Row(this, id);
      rows.put(id, row);
      made.add(row);
    }
    return row;
  }
}
