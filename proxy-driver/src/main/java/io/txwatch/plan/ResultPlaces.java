package io.txwatch.plan;

import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.plan.ValuePlan.Read;
import io.txwatch.plan.ValuePlan.Selected;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the rows of a plan's tables are in a result. Each column of the result is read once,
 * whatever it is used for, so the places of a table's columns are numbers of read columns. The
 * arrays must not be modified.
 */
public final class ResultPlaces {

  private final int[] indexes;
  private final int[][] keys;
  private final int[][] values;

  private ResultPlaces(int[] indexes, int[][] keys, int[][] values) {
    this.indexes = indexes;
    this.keys = keys;
    this.values = values;
  }

  static ResultPlaces of(List<Read> reads) {
    List<Integer> indexes = new ArrayList<>();
    int[][] keys = new int[reads.size()][];
    int[][] values = new int[reads.size()][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = places(indexes, reads.get(i).keyPlaces());
      values[i] = places(indexes, reads.get(i).places());
    }
    return new ResultPlaces(indexes.stream().mapToInt(Integer::intValue).toArray(), keys, values);
  }

  private static int[] places(List<Integer> indexes, List<? extends Place> of) {
    int[] places = new int[of.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = of.get(i) instanceof Selected selected ? place(indexes, selected.index()) : -1;
    }
    return places;
  }

  private static int place(List<Integer> indexes, int index) {
    int place = indexes.indexOf(index);
    if (place < 0) {
      indexes.add(index);
      place = indexes.size() - 1;
    }
    return place;
  }

  /** The columns of the result that are read, as the driver counts them. */
  public int[] indexes() {
    return indexes;
  }

  /** For each column of a table's key its place; -1 for one that the statement pins. */
  public int[] key(int table) {
    return keys[table];
  }

  /** For each other column of a table its place. */
  public int[] values(int table) {
    return values[table];
  }
}
