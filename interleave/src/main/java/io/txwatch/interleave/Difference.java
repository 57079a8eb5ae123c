package io.txwatch.interleave;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** In what a result differs from those that were expected, in words. */
final class Difference {

  /** In front of what was expected. */
  static final String EXPECTED = "; one after the other they give ";

  /** Between two possibilities. */
  static final String OR = ", or ";

  private static final int MAX_ROWS = 5;
  private static final int MAX_CHARACTERS = 500;

  private final Collection<Result.Comparable> expected;
  private final List<String> names;

  /**
   * The results to compare with.
   *
   * @param names of the operations
   */
  Difference(Collection<Result.Comparable> expected, List<String> names) {
    this.expected = expected;
    this.names = names;
  }

  /** The result, and what was expected instead. */
  String of(Result.Comparable found) {
    List<Result.Comparable> nearest =
        expected.stream().filter(one -> one.outcomes().equals(found.outcomes())).toList();
    Map<String, List<List<String>>> common = new TreeMap<>();
    Set<String> tables = new TreeSet<>();
    for (Result.Comparable one : nearest.isEmpty() ? expected : nearest) {
      one.rows()
          .forEach(
              (table, rows) -> {
                if (!rows.equals(found.rows().get(table))) {
                  tables.add(table);
                }
              });
    }
    for (String table : tables) {
      List<List<String>> rows = new ArrayList<>(found.rows().getOrDefault(table, List.of()));
      for (Result.Comparable one : expected) {
        List<List<String>> others = new ArrayList<>(one.rows().getOrDefault(table, List.of()));
        rows.removeIf(row -> !others.remove(row));
      }
      common.put(table, rows);
    }
    Set<String> others = new TreeSet<>();
    expected.forEach(one -> others.add(words(one, common)));
    return words(found, common) + EXPECTED + String.join(OR, others);
  }

  /**
   * The outcomes, and rows of tables.
   *
   * @param common by table, the rows that need not be shown
   */
  private String words(Result.Comparable result, Map<String, List<List<String>>> common) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String outcome = result.outcomes().get(i);
      parts.add(
          names.get(i)
              + (outcome.startsWith(Result.THROWS)
                  ? " " + outcome
                  : outcome.equals("null") ? " returns" : " returns " + shortened(outcome)));
    }
    common.forEach(
        (table, known) -> {
          List<List<String>> rows = new ArrayList<>(result.rows().getOrDefault(table, List.of()));
          known.forEach(rows::remove);
          int more = Math.max(0, rows.size() - MAX_ROWS);
          parts.add(
              table.substring(table.lastIndexOf(' ') + 1)
                  + " has "
                  + (known.isEmpty() ? "" : "also ")
                  + shortened(String.valueOf(rows.subList(0, rows.size() - more)))
                  + (more == 0 ? "" : " and " + more + " rows more"));
        });
    return "{" + String.join(", ", parts) + "}";
  }

  private static String shortened(String text) {
    return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "…";
  }
}
