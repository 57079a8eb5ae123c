package io.txwatch.interleave.state;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The rows of touched tables, as texts. */
public final class TouchedRows {

  private final Map<String, List<List<String>>> byTable;
  private final RowIdentities identities;

  TouchedRows(Map<String, List<List<String>>> byTable, RowIdentities identities) {
    this.byTable = Map.copyOf(byTable);
    this.identities = identities;
  }

  Map<String, List<List<String>>> byTable() {
    return byTable;
  }

  /** The names of the tables. */
  public Set<String> tables() {
    return byTable.keySet();
  }

  RowIdentities identities() {
    return identities;
  }

  /** The same, and rows that were read otherwise. */
  public TouchedRows with(String name, List<List<String>> rows) {
    Map<String, List<List<String>>> all = new TreeMap<>(byTable);
    all.put(name, rows);
    return new TouchedRows(all, identities);
  }

  /**
   * The rows in an order, and with values, that do not depend on what differs from execution to
   * execution: generated keys have other names, and other such values are left out.
   *
   * @param volatileColumns the columns of such values, by table, from 0
   * @param latest which keys are known by now: a later reset may have generated others
   */
  public Map<String, List<List<String>>> comparable(
      Map<String, BitSet> volatileColumns, RowIdentities latest) {
    return new KeyRenaming(byTable, latest, volatileColumns).named();
  }

  /**
   * The tables whose rows differ from others, up to the names of generated keys.
   *
   * @param volatileColumns columns that are left out, by table, from 0
   * @param dates columns of which it counts alone whether they are null: a reset may set a clock
   */
  public Set<String> unlike(
      TouchedRows other, Map<String, BitSet> volatileColumns, Map<String, BitSet> dates) {
    Map<String, List<List<String>>> own = named(volatileColumns, dates);
    Map<String, List<List<String>>> others = other.named(volatileColumns, dates);
    Set<String> unlike = new TreeSet<>(own.keySet());
    unlike.removeIf(table -> Objects.equals(own.get(table), others.get(table)));
    return unlike;
  }

  private Map<String, List<List<String>>> named(
      Map<String, BitSet> volatileColumns, Map<String, BitSet> dates) {
    Map<String, List<List<String>>> shown = new TreeMap<>();
    byTable.forEach(
        (table, rows) -> {
          BitSet ofTable = dates.getOrDefault(table, new BitSet());
          shown.put(table, rows.stream().map(row -> withoutDates(row, ofTable)).toList());
        });
    RowIdentities anew = new RowIdentities(identities.domains(), Map.of());
    return new KeyRenaming(shown, anew, volatileColumns).named();
  }

  private static List<String> withoutDates(List<String> row, BitSet dates) {
    List<String> shown = new ArrayList<>(row);
    dates.stream().filter(i -> !shown.get(i).equals("null")).forEach(i -> shown.set(i, "*"));
    return shown;
  }

  /**
   * The columns in which two states of as many rows differ, by table.
   *
   * @param volatileColumns columns that are known to
   */
  public Map<String, BitSet> differingColumns(
      TouchedRows other, Map<String, BitSet> volatileColumns) {
    Map<String, BitSet> result = new TreeMap<>();
    byTable.forEach(
        (table, all) -> {
          BitSet known = volatileColumns.getOrDefault(table, new BitSet());
          List<List<String>> others = other.byTable.getOrDefault(table, List.of());
          if (all.size() == others.size()) {
            BitSet differing = differing(all, others, known, known);
            // Generated keys may be in another order than before: 9 and 10 as texts.
            BitSet unordered = identities.columns(table);
            unordered.or(known);
            BitSet withoutKeys = differing(all, others, known, unordered);
            result.put(
                table,
                withoutKeys.cardinality() < differing.cardinality() ? withoutKeys : differing);
          }
        });
    return result;
  }

  /**
   * The columns in which as many rows differ.
   *
   * @param known columns that are known to
   * @param unordered columns by which rows are sorted last
   */
  private static BitSet differing(
      List<List<String>> some, List<List<String>> others, BitSet known, BitSet unordered) {
    List<List<String>> sorted = sorted(some, unordered);
    List<List<String>> sortedOthers = sorted(others, unordered);
    BitSet differing = new BitSet();
    for (int i = 0; i < sorted.size(); i++) {
      for (int column = 0; column < sorted.get(i).size(); column++) {
        if (!sorted.get(i).get(column).equals(sortedOthers.get(i).get(column))) {
          differing.set(column);
        }
      }
    }
    differing.andNot(known);
    return differing;
  }

  /** Rows in an order that depends on volatile columns least. */
  private static List<List<String>> sorted(List<List<String>> rows, BitSet volatileColumns) {
    return rows.stream()
        .sorted(
            Comparator.comparing((List<String> row) -> stable(row, volatileColumns))
                .thenComparing(List::toString))
        .toList();
  }

  private static String stable(List<String> row, BitSet volatileColumns) {
    List<String> kept = new ArrayList<>(row);
    volatileColumns.stream().filter(i -> i < kept.size()).forEach(i -> kept.set(i, ""));
    return kept.toString();
  }
}
