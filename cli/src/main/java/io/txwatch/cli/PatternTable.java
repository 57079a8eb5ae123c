package io.txwatch.cli;

import io.txwatch.campaign.PatternCount;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.PatternOutcome;
import io.txwatch.pattern.AnomalyPattern;
import io.txwatch.pattern.PatternFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * The coverage of the anomaly patterns on a DBMS: a row for each pattern, a column for each level,
 * and in each cell how many cases ended in which way, {@code 3 shown, 2 blocked}.
 *
 * @param counts the number of cases by pattern, level and outcome
 * @param levels the levels of these cases
 */
record PatternTable(SortedMap<PatternCount, Long> counts, List<IsolationLevel> levels) {

  private static final String LEGEND =
      "V violated, S shown where the level permits it, A a transaction aborted, B a statement"
          + " blocked, O other versions accessed";

  static PatternTable of(SortedMap<PatternCount, Long> counts) {
    return new PatternTable(
        counts, counts.keySet().stream().map(PatternCount::level).distinct().sorted().toList());
  }

  /** The lines of the table; none if no case followed a pattern. */
  List<String> text() {
    List<String> lines = new ArrayList<>();
    if (counts.isEmpty()) {
      return lines;
    }
    lines.add("cases by anomaly pattern and level: " + LEGEND);
    StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "%-20s", ""));
    levels.forEach(level -> head.append(String.format(Locale.ROOT, "%-20s", level.shortName())));
    lines.add(head.toString().stripTrailing());
    for (AnomalyPattern pattern : PatternFile.all()) {
      StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-20s", pattern.id()));
      levels.forEach(
          level -> line.append(String.format(Locale.ROOT, "%-20s", cell(pattern.id(), level))));
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  /**
   * The table in Markdown.
   *
   * @param dbms the DBMS and its version
   */
  List<String> markdown(String dbms) {
    List<String> lines = new ArrayList<>();
    lines.add("# Anomaly patterns on " + dbms);
    lines.add("");
    lines.add("Number of cases: " + LEGEND + ".");
    lines.add("");
    lines.add(
        "| id | pattern | " + columns(levels.stream().map(IsolationLevel::shortName).toList()));
    lines.add("|---|---|" + "---|".repeat(levels.size()));
    for (AnomalyPattern pattern : PatternFile.all()) {
      lines.add(
          "| "
              + pattern.id()
              + " | "
              + pattern
              + " | "
              + columns(levels.stream().map(level -> cell(pattern.id(), level)).toList()));
    }
    return lines;
  }

  private static String columns(List<String> cells) {
    return String.join(" | ", cells) + " |";
  }

  private String cell(String pattern, IsolationLevel level) {
    return counts.entrySet().stream()
        .filter(count -> count.getKey().pattern().equals(pattern))
        .filter(count -> count.getKey().level() == level)
        .map(count -> letter(count.getKey().outcome()) + count.getValue())
        .collect(Collectors.joining(" "));
  }

  private static String letter(PatternOutcome outcome) {
    return switch (outcome) {
      case VIOLATED -> "V";
      case SHOWN -> "S";
      case ABORTED -> "A";
      case BLOCKED -> "B";
      case AVOIDED -> "O";
    };
  }
}
