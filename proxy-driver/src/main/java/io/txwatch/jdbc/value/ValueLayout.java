package io.txwatch.jdbc.value;

import io.txwatch.sql.ValuePlan;
import io.txwatch.sql.ValuePlan.Place;
import io.txwatch.sql.ValuePlan.Read;
import io.txwatch.sql.ValuePlan.Selected;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a plan's tables are read from a result: each column of the result once, by its
 * type.
 */
final class ValueLayout {

  /** The columns of the result that are read, and how. */
  final int[] indexes;

  final ColumnReader[] readers;
  final List<TableLayout> tables;

  /**
   * Where the columns of a table are among those that are read.
   *
   * @param read the table
   * @param key for each column of the key its place among {@link #indexes}; -1 for one that the
   *     statement pins
   * @param values for each other column its place there
   */
  record TableLayout(Read read, int[] key, int[] values) {}

  private ValueLayout(int[] indexes, ColumnReader[] readers, List<TableLayout> tables) {
    this.indexes = indexes;
    this.readers = readers;
    this.tables = tables;
  }

  /**
   * The layout for a result.
   *
   * @param asksForColumns true if the driver may ask the DBMS what a result's columns are
   * @return null if the result is not the one that the plan was made for, or not known
   */
  static @Nullable ValueLayout of(ValuePlan plan, ResultSet result, boolean asksForColumns)
      throws SQLException {
    ResultColumns columns = ResultColumns.of(result, asksForColumns);
    if (columns == null) {
      return null;
    }
    int count = columns.count();
    if (plan.resultColumns() >= 0 && plan.resultColumns() != count) {
      return null;
    }
    List<Integer> indexes = new ArrayList<>();
    List<TableLayout> tables = new ArrayList<>();
    for (Read read : plan.reads()) {
      int[] key = new int[read.keyPlaces().size()];
      for (int i = 0; i < key.length; i++) {
        Place place = read.keyPlaces().get(i);
        key[i] = place instanceof Selected selected ? place(indexes, selected.index()) : -1;
      }
      int[] values = new int[read.places().size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = place(indexes, read.places().get(i).index());
      }
      tables.add(new TableLayout(read, key, values));
    }
    ColumnReader[] readers = new ColumnReader[indexes.size()];
    for (int i = 0; i < readers.length; i++) {
      if (indexes.get(i) > count) {
        return null;
      }
      int index = indexes.get(i);
      readers[i] = ColumnReader.of(columns, index);
    }
    return new ValueLayout(
        indexes.stream().mapToInt(Integer::intValue).toArray(), readers, List.copyOf(tables));
  }

  private static int place(List<Integer> indexes, int index) {
    int place = indexes.indexOf(index);
    if (place < 0) {
      indexes.add(index);
      place = indexes.size() - 1;
    }
    return place;
  }
}
