package io.txwatch.interleave.state;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rows of tables, by table; each row is the texts of its columns. NULL is the text {@code
 * NULL}.
 */
public record TouchedRows(Map<String, List<List<String>>> byTable) {

  public TouchedRows {
    byTable = Map.copyOf(byTable);
  }

  /**
   * The rows without values that differ from execution to execution, in an order that does not
   * depend on them.
   *
   * @param volatileColumns the columns of such values, by table, from 0
   */
  public Map<String, List<List<String>>> comparable(Map<String, BitSet> volatileColumns) {
    Map<String, List<List<String>>> result = new TreeMap<>();
    byTable.forEach(
        (table, rows) -> {
          BitSet masked = volatileColumns.getOrDefault(table, new BitSet());
          List<List<String>> shown = new ArrayList<>();
          for (List<String> row : rows) {
            List<String> kept = new ArrayList<>(row);
            masked.stream().filter(i -> i < kept.size()).forEach(i -> kept.set(i, "*"));
            shown.add(kept);
          }
          shown.sort((a, b) -> a.toString().compareTo(b.toString()));
          result.put(table, shown);
        });
    return result;
  }

  /** The columns in which two states of as many rows differ, by table. */
  public Map<String, BitSet> differingColumns(TouchedRows other) {
    Map<String, BitSet> result = new TreeMap<>();
    byTable.forEach(
        (table, rows) -> {
          List<List<String>> others = other.byTable.getOrDefault(table, List.of());
          if (rows.size() == others.size()) {
            BitSet differing = new BitSet();
            for (int i = 0; i < rows.size(); i++) {
              for (int column = 0; column < rows.get(i).size(); column++) {
                if (!rows.get(i).get(column).equals(others.get(i).get(column))) {
                  differing.set(column);
                }
              }
            }
            result.put(table, differing);
          }
        });
    return result;
  }
}
