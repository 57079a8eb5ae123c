package io.txwatch.format;

import io.txwatch.dependency.ColumnBits;
import io.txwatch.dependency.Granularity;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns of a table in groups: those that the same statements wrote. All columns of a group
 * have the same versions in each row, so that one list has them.
 */
final class ColumnGroups {

  private final ColumnBits bits;
  private List<Long> groups = List.of(ColumnBits.ALL);

  ColumnGroups(String table) {
    bits = new ColumnBits(table, Granularity.COLUMN);
  }

  /**
   * What a statement does with the columns.
   *
   * @param text {@link io.txwatch.history.Event.StatementExecuted#columns}
   */
  ColumnBits.Used used(String text) {
    return bits.of(text);
  }

  /** Separates the columns that were written together from the others. */
  void separate(long written) {
    List<Long> parts = new ArrayList<>();
    for (long group : groups) {
      for (long part : new long[] {group & written, group & ~written}) {
        if (part != 0) {
          parts.add(part);
        }
      }
    }
    groups = parts;
  }

  int size() {
    return groups.size();
  }

  /** Whether a group has one of these columns. */
  boolean has(int group, long columns) {
    return (groups.get(group) & columns) != 0;
  }

  /** The columns of a group, for display; empty if it has all. */
  String text(int group) {
    long columns = groups.get(group);
    if (columns == ColumnBits.ALL) {
      return "";
    }
    return (columns & ColumnBits.EXISTENCE) != 0
        ? "existence and other columns"
        : "column " + String.join(", ", bits.names(columns));
  }
}
