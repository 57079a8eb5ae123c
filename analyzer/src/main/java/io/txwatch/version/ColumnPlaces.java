package io.txwatch.version;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Where the columns of conditions are in the rows of tables. Not thread-safe. */
final class ColumnPlaces {

  private static final int MAX_TABLES = 256;

  /** By the list of a table's columns, which its rows have in common. */
  private final Map<List<String>, Map<String, Integer>> places = new IdentityHashMap<>();

  /**
   * The place of a column, in whatever case its name is written; -1 if there is none.
   *
   * @param columns the names of a table's columns, in order
   */
  int of(List<String> columns, String name) {
    Map<String, Integer> ofTable = places.get(columns);
    if (ofTable == null) {
      if (places.size() >= MAX_TABLES) {
        places.clear();
      }
      ofTable = new HashMap<>();
      places.put(columns, ofTable);
    }
    Integer place = ofTable.get(name);
    if (place == null) {
      place = find(columns, name);
      ofTable.put(name, place);
    }
    return place;
  }

  private static int find(List<String> columns, String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }
}
