package io.txwatch.schedule;

import io.txwatch.history.RecordedValue;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a query found when it was observed, by the columns that identify them.
 *
 * <p>An application may decide by which rows they are. So a query that finds as many, but others,
 * is not what was observed. A query with other arguments than observed finds other rows; of these,
 * each has to be one that the session has as an argument exactly if the observed one was.
 *
 * @param columns the indices of these columns
 * @param rows the rows that were found
 * @param isComplete whether these are all rows that were found
 * @param findsOthers whether the query is executed with other arguments than observed, or finds
 *     keys that are generated
 * @param arguments the keys that the session is given
 */
public record IdentifiedRows(
    List<Integer> columns,
    List<List<RecordedValue>> rows,
    boolean isComplete,
    boolean findsOthers,
    List<Argument> arguments) {

  /** No columns: whichever rows are found. */
  public static final IdentifiedRows ANY =
      new IdentifiedRows(List.of(), List.of(), true, false, List.of());

  /**
   * A key that the session is given.
   *
   * @param observed as it was observed
   * @param executed as it is executed
   */
  public record Argument(RecordedValue observed, RecordedValue executed) {}

  public IdentifiedRows {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
    arguments = List.copyOf(arguments);
  }

  /** Whether rows that were found now may be taken for those. */
  boolean are(List<List<RecordedValue>> found) {
    if (columns.isEmpty()) {
      return true;
    }
    if (findsOthers) {
      return arguments.stream()
          .allMatch(
              one ->
                  columns.stream()
                      .allMatch(
                          column ->
                              has(rows, column, one.observed) == has(found, column, one.executed)));
    }
    Set<List<String>> before = keys(rows);
    Set<List<String>> now = keys(found);
    return isComplete ? now.equals(before) : now.containsAll(before);
  }

  private static boolean has(List<List<RecordedValue>> rows, int column, RecordedValue value) {
    String text = text(value);
    return text != null && rows.stream().anyMatch(row -> text.equals(text(row.get(column))));
  }

  private Set<List<String>> keys(List<List<RecordedValue>> some) {
    return some.stream()
        .map(row -> columns.stream().map(column -> String.valueOf(text(row.get(column)))).toList())
        .collect(Collectors.toSet());
  }

  private static @Nullable String text(RecordedValue value) {
    return switch (value.type()) {
      case NULL, UNKNOWN -> null;
      default -> value.text();
    };
  }
}
