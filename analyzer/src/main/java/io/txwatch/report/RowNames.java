package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Names rows within one report: {@code account row 7}, with the columns that matter. The number is
 * the row's primary key if that is known of all rows of the table in the anomaly, else the row's
 * id. Some DBMSs make ids of eighteen digits, too long to compare by eye. These are shortened to
 * their last digits, {@code ..321085}, as many as distinguish the rows of the anomaly.
 */
public final class RowNames {

  private static final int MIN_SHORTENED_DIGITS = 10;
  private static final int MIN_SHOWN_DIGITS = 6;

  /** The digits of a long, including its sign. */
  private static final int MAX_DIGITS = 20;

  private final int digits;

  /**
   * Tables of whose rows not all keys are known, so that a key and an id may be the same number, or
   * not all differ: a key is that by which a row was found last, and it may have another one since.
   */
  private final Set<String> tablesById;

  private RowNames(int digits, Set<String> tablesById) {
    this.digits = digits;
    this.tablesById = tablesById;
  }

  /** The names of the rows of an anomaly. */
  public static RowNames of(Anomaly anomaly) {
    return of(anomaly.cycle());
  }

  static RowNames of(List<Dependency> cycle) {
    Set<String> ids =
        cycle.stream().map(edge -> Long.toString(edge.row())).collect(Collectors.toSet());
    int digits = MIN_SHOWN_DIGITS;
    while (digits < MAX_DIGITS && !areDistinct(ids, digits)) {
      digits++;
    }
    Map<String, Map<String, Set<Long>>> rowsByKey =
        cycle.stream()
            .collect(
                Collectors.groupingBy(
                    Dependency::table,
                    Collectors.groupingBy(
                        Dependency::key, Collectors.mapping(Dependency::row, Collectors.toSet()))));
    Set<String> tablesById = new HashSet<>();
    rowsByKey.forEach(
        (table, keys) -> {
          if (keys.containsKey("") || keys.values().stream().anyMatch(rows -> rows.size() > 1)) {
            tablesById.add(table);
          }
        });
    return new RowNames(digits, tablesById);
  }

  private static boolean areDistinct(Set<String> ids, int digits) {
    return ids.stream().map(id -> shown(id, digits)).distinct().count() == ids.size();
  }

  /** The table and the row: {@code account row 7}. Of a wait only the table is known. */
  public String of(Dependency edge) {
    if (edge.kind() == DependencyKind.WAITS) {
      return edge.table().isEmpty() ? "a row" : "a row of " + edge.table();
    }
    return of(edge.table(), edge.row(), edge.key());
  }

  /** The same of a row that was read for context. */
  public String of(ContextRead read) {
    return of(read.table(), read.row(), read.key());
  }

  private String of(String table, long row, String key) {
    return TerminalText.escape(table) + " row " + id(table, row, key);
  }

  /** The same with the columns through which a dependency runs, if they are known. */
  public String withColumns(Dependency edge) {
    String row = of(edge);
    return switch (edge.columns().size()) {
      case 0 -> row;
      case 1 -> row + ", column " + TerminalText.escape(edge.columns().get(0));
      default -> row + ", columns " + TerminalText.escape(String.join(" and ", edge.columns()));
    };
  }

  /** The row alone. */
  String id(Dependency edge) {
    return id(edge.table(), edge.row(), edge.key());
  }

  private String id(String table, long row, String key) {
    return tablesById.contains(table)
        ? shown(Long.toString(row), digits)
        : TerminalText.escape(key);
  }

  private static String shown(String id, int digits) {
    return id.length() < MIN_SHORTENED_DIGITS || digits >= id.length()
        ? id
        : ".." + id.substring(id.length() - digits);
  }
}
