package io.txwatch.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A Markdown table whose source has aligned columns. */
public final class Markdown {

  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with these headings. */
  public Markdown(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row with as many cells as headings. */
  public void row(String... cells) {
    rows.add(List.of(cells));
  }

  /** The table, with a line break at its end. */
  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      List<String> cells = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r).get(i);
        String space = " ".repeat(widths[i] - cell.length());
        cells.add(i == 0 ? cell + space : space + cell);
      }
      out.append(line(cells));
      if (r == 0) {
        List<String> rules = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
          rules.add(i == 0 ? "-".repeat(widths[i]) : "-".repeat(widths[i] - 1) + ":");
        }
        out.append(line(rules));
      }
    }
    return out.toString();
  }

  private static String line(List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
