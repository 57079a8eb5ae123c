package io.txwatch.schedule;

import io.txwatch.history.RecordedValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The text of a statement with values that depend on what earlier statements of its session have
 * returned.
 *
 * @param parts what stands before, between and after these values: one more than there are
 * @param values which values
 */
public record ComputedText(List<String> parts, List<ReturnedValue> values) {

  /**
   * A value that an earlier statement has returned.
   *
   * @param statement its index among the statements of the session
   * @param row from 0
   * @param column from 0
   * @param difference what is added; null if nothing is
   * @param assigned the column that the value is assigned to; empty if it is not
   * @param otherwise the literal if there is no such row
   */
  public record ReturnedValue(
      int statement,
      int row,
      int column,
      @Nullable BigDecimal difference,
      String assigned,
      String otherwise) {}

  public ComputedText {
    parts = List.copyOf(parts);
    values = List.copyOf(values);
  }

  /** The same statement with a clause more at its end. */
  public ComputedText followedBy(String clause) {
    List<String> longer = new ArrayList<>(parts);
    int last = longer.size() - 1;
    longer.set(last, longer.get(last).replaceAll("[;\\s]+$", "") + " " + clause);
    return new ComputedText(longer, values);
  }

  /** The same statement where some of those before it are left out. */
  ComputedText afterRemoving(Set<Integer> statements) {
    return new ComputedText(
        parts,
        values.stream()
            .map(
                value ->
                    new ReturnedValue(
                        value.statement
                            - (int)
                                statements.stream().filter(one -> one < value.statement).count(),
                        value.row,
                        value.column,
                        value.difference,
                        value.assigned,
                        value.otherwise))
            .toList());
  }

  /** The text as it was observed. */
  public String observed() {
    StringBuilder text = new StringBuilder(parts.get(0));
    for (int i = 0; i < values.size(); i++) {
      text.append(values.get(i).otherwise).append(parts.get(i + 1));
    }
    return text.toString();
  }

  /**
   * The text to execute.
   *
   * @param results the rows that each statement of the session has returned so far
   * @param literal writes a value as a literal
   */
  String text(List<List<List<RecordedValue>>> results, Function<RecordedValue, String> literal) {
    StringBuilder text = new StringBuilder(parts.get(0));
    for (int i = 0; i < values.size(); i++) {
      text.append(text(values.get(i), results, literal)).append(parts.get(i + 1));
    }
    return text.toString();
  }

  private static String text(
      ReturnedValue value,
      List<List<List<RecordedValue>>> results,
      Function<RecordedValue, String> literal) {
    List<List<RecordedValue>> rows =
        value.statement < results.size() ? results.get(value.statement) : List.of();
    if (value.row >= rows.size() || value.column >= rows.get(value.row).size()) {
      return value.otherwise;
    }
    RecordedValue returned = rows.get(value.row).get(value.column);
    if (returned.type() == RecordedValue.Type.UNKNOWN) {
      return value.otherwise;
    }
    BigDecimal difference = value.difference;
    if (difference == null) {
      return literal.apply(returned);
    }
    try {
      return new BigDecimal(returned.text()).add(difference).toPlainString();
    } catch (NumberFormatException e) {
      return value.otherwise;
    }
  }

  /** The statements whose keys or rows a text needs. */
  static List<Integer> needed(List<ComputedText> texts) {
    List<Integer> needed = new ArrayList<>();
    texts.forEach(text -> text.values.forEach(value -> needed.add(value.statement)));
    return needed;
  }
}
