package io.txwatch.generator;

import io.txwatch.generator.GeneratedTable.Column;
import io.txwatch.generator.GeneratedTable.ForeignKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Generates joins on columns that fit (APTrans, section 3.2.2): a foreign key with its key, a key
 * with a foreign key that refers to it, otherwise two columns of the same type.
 */
final class JoinGenerator {

  private final StatementContext context;
  private final RandomSource random;

  JoinGenerator(StatementContext context) {
    this.context = context;
    this.random = context.random;
  }

  /**
   * A query of a table, named {@code a}, and another one that it is joined with, {@code b}.
   *
   * @param condition on the columns of {@code a}; empty for none
   * @return empty if no other table has a column that fits
   */
  Optional<String> join(GeneratedTable table, String condition) {
    List<String> candidates = new ArrayList<>();
    for (GeneratedTable other : context.otherTables(table)) {
      candidates.addAll(pairs(table, other));
    }
    if (candidates.isEmpty()) {
      return Optional.empty();
    }
    String pair = random.oneOf(candidates);
    String kind = random.oneOf("JOIN", "LEFT JOIN", "RIGHT JOIN", "CROSS JOIN");
    String other = pair.substring(0, pair.indexOf(' '));
    String on = pair.substring(pair.indexOf(' ') + 1);
    String where =
        condition.isEmpty()
            ? kind.equals("CROSS JOIN") ? " WHERE " + on : ""
            : " WHERE " + condition;
    return Optional.of(
        "SELECT a.c0, b.c0 FROM "
            + table.name()
            + " a "
            + kind
            + " "
            + other
            + " b"
            + (kind.equals("CROSS JOIN") ? "" : " ON " + on)
            + where);
  }

  /** The other table and a condition that joins it, for each pair of columns of the best kind. */
  private static List<String> pairs(GeneratedTable table, GeneratedTable other) {
    List<String> pairs = new ArrayList<>();
    table
        .reference()
        .filter(reference -> reference.parent().equals(other))
        .ifPresent(reference -> pairs.add(other.name() + " " + on(reference, "a", "b")));
    other
        .reference()
        .filter(reference -> reference.parent().equals(table))
        .ifPresent(reference -> pairs.add(other.name() + " " + on(reference, "b", "a")));
    if (!pairs.isEmpty()) {
      return pairs;
    }
    for (Column own : table.columns()) {
      for (Column column : other.columns()) {
        if (own.type() == column.type()) {
          pairs.add(other.name() + " (a." + own.name() + " = b." + column.name() + ")");
        }
      }
    }
    return pairs;
  }

  private static String on(ForeignKey reference, String child, String parent) {
    List<String> equal = new ArrayList<>();
    for (int i = 0; i < reference.columns().size(); i++) {
      equal.add(
          child + "." + reference.columns().get(i) + " = " + parent + "." + reference.key().get(i));
    }
    return "(" + String.join(" AND ", equal) + ")";
  }
}
