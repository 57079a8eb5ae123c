package io.txwatch.interleave.state;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Renames generated keys by the rows in which they stand, so that two states are equal if they
 * differ only in which keys were generated: colour refinement, in which a key's colour is what its
 * rows contain, and the colours of the other keys in them.
 */
final class KeyRenaming {

  private static final int MAX_ROUNDS = 4;
  private static final String LEFT_OUT = "*";

  private final Map<String, List<List<String>>> byTable;
  private final RowIdentities identities;
  private final Map<String, BitSet> volatileColumns;

  /** The domains whose keys are generated. */
  private final Set<String> renamed = new HashSet<>();

  /** The rank of a key among those of its domain. */
  private Map<Key, Integer> ranks = Map.of();

  /** A generated key. */
  private record Key(String domain, String value) {}

  /**
   * The names of a state's keys.
   *
   * @param volatileColumns the columns, from 0, whose values differ between executions
   */
  KeyRenaming(
      Map<String, List<List<String>>> byTable,
      RowIdentities identities,
      Map<String, BitSet> volatileColumns) {
    this.byTable = byTable;
    this.identities = identities;
    this.volatileColumns = volatileColumns;
    identities
        .domains()
        .forEach(
            (table, columns) ->
                columns.forEach(
                    (column, domain) -> {
                      if (isVolatile(table, column)) {
                        renamed.add(domain);
                      }
                    }));
  }

  /** The rows of each table, sorted. */
  Map<String, List<List<String>>> named() {
    if (!renamed.isEmpty()) {
      refine();
    }
    Map<String, List<List<String>>> result = new TreeMap<>();
    byTable.forEach(
        (table, rows) -> {
          List<List<String>> shown = new ArrayList<>();
          rows.forEach(row -> shown.add(shown(table, row)));
          shown.sort((a, b) -> a.toString().compareTo(b.toString()));
          result.put(table, shown);
        });
    return result;
  }

  private void refine() {
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Map<Key, List<String>> colours = new HashMap<>();
      byTable.forEach(
          (table, rows) ->
              identities
                  .domains()
                  .getOrDefault(table, Map.of())
                  .forEach((column, domain) -> colour(table, rows, column, domain, colours)));
      Map<Key, Integer> next = ranks(colours);
      if (next.equals(ranks)) {
        return;
      }
      ranks = next;
    }
  }

  /** Adds to the colour of each key in a column the row in which it stands. */
  private void colour(
      String table,
      List<List<String>> rows,
      int column,
      String domain,
      Map<Key, List<String>> colours) {
    if (!renamed.contains(domain)) {
      return;
    }
    for (List<String> row : rows) {
      Key key = new Key(domain, row.get(column));
      if (isGenerated(key)) {
        colours
            .computeIfAbsent(key, one -> new ArrayList<>())
            .add(table + " " + column + " " + shown(table, row));
      }
    }
  }

  private static Map<Key, Integer> ranks(Map<Key, List<String>> colours) {
    Map<String, Set<String>> sorted = new HashMap<>();
    Map<Key, String> texts = new HashMap<>();
    colours.forEach(
        (key, places) -> {
          places.sort(null);
          texts.put(key, places.toString());
          sorted.computeIfAbsent(key.domain(), one -> new TreeSet<>()).add(places.toString());
        });
    Map<String, Map<String, Integer>> numbers = new HashMap<>();
    sorted.forEach(
        (domain, all) -> {
          Map<String, Integer> numbered = new HashMap<>();
          all.forEach(text -> numbered.put(text, numbered.size() + 1));
          numbers.put(domain, numbered);
        });
    Map<Key, Integer> ranks = new HashMap<>();
    texts.forEach(
        (key, text) ->
            ranks.put(key, numbers.getOrDefault(key.domain(), Map.of()).getOrDefault(text, 0)));
    return ranks;
  }

  /** A row without what differs from execution to execution. */
  private List<String> shown(String table, List<String> row) {
    Map<Integer, String> domains = identities.domains().getOrDefault(table, Map.of());
    List<String> shown = new ArrayList<>(row.size());
    for (int column = 0; column < row.size(); column++) {
      String domain = domains.get(column);
      String value = row.get(column);
      if (domain != null && renamed.contains(domain)) {
        Key key = new Key(domain, value);
        shown.add(isGenerated(key) ? "new " + ranks.getOrDefault(key, 0) : value);
      } else {
        shown.add(isVolatile(table, column) ? LEFT_OUT : value);
      }
    }
    return shown;
  }

  private boolean isGenerated(Key key) {
    return !key.value().equals("null")
        && !identities.known().getOrDefault(key.domain(), Set.of()).contains(key.value());
  }

  private boolean isVolatile(String table, int column) {
    return volatileColumns.getOrDefault(table, new BitSet()).get(column);
  }
}
