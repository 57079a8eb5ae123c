package io.txwatch.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A Markdown table whose source has aligned columns. */
public final class MarkdownTable {

  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with these headings. */
  public MarkdownTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row with as many cells as headings. */
  public void row(String... cells) {
    rows.add(List.of(cells));
  }

  /** The table, with a line break at its end. */
  @Override
  public String toString() {
    int[] widths = widths();
    StringBuilder out = new StringBuilder(line(padded(rows.get(0), widths)));
    out.append(line(rules(widths)));
    rows.stream().skip(1).map(row -> line(padded(row, widths))).forEach(out::append);
    return out.toString();
  }

  private int[] widths() {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  /** The first column is aligned to the left, all others to the right. */
  private static List<String> padded(List<String> row, int[] widths) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.get(i);
      String space = " ".repeat(widths[i] - cell.length());
      cells.add(i == 0 ? cell + space : space + cell);
    }
    return cells;
  }

  private static List<String> rules(int[] widths) {
    List<String> rules = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      rules.add(i == 0 ? "-".repeat(widths[i]) : "-".repeat(widths[i] - 1) + ":");
    }
    return rules;
  }

  private static String line(List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
