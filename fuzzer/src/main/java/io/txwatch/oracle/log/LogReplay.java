package io.txwatch.oracle.log;

import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.UnknownValue;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.StoredRows;
import io.txwatch.schedule.Values;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Applies the images of a log, in its order, to the tables as they were before, as a replica does:
 * each row that is changed must be there as it was before the change, and the last state must be
 * that of the server.
 */
final class LogReplay {

  private final LoggedExecution logged;
  private final Map<String, List<ChangedRow>> images = new LinkedHashMap<>();

  /** The tables of which the log has images; complete after {@link #difference()}. */
  private final Map<String, LoggedTable> tables = new LinkedHashMap<>();

  LogReplay(LoggedExecution logged) {
    this.logged = logged;
    logged.transactions().stream()
        .flatMap(transaction -> transaction.changes().stream())
        .forEach(
            row -> images.computeIfAbsent(row.table().name(), any -> new ArrayList<>()).add(row));
  }

  /** Why the images cannot be applied with certainty; empty if they can. */
  Optional<String> obstacle() {
    if (logged.transactions().stream().anyMatch(transaction -> !transaction.isComplete())) {
      return Optional.of("changes of a transaction are missing");
    }
    if (!logged.before().keySet().equals(logged.after().keySet())) {
      return Optional.of("the case defines or drops a table");
    }
    for (Map.Entry<String, List<ChangedRow>> table : images.entrySet()) {
      if (!logged.before().containsKey(table.getKey())) {
        return Optional.of("the log has rows of another table: " + table.getKey());
      }
      List<String> columns = table.getValue().get(0).table().columnNames();
      for (ChangedRow row : table.getValue()) {
        if (!row.table().columnNames().equals(columns)) {
          return Optional.of("the columns of " + table.getKey() + " change");
        }
        if (isPartial(row.before()) || isPartial(row.after())) {
          return Optional.of("an image of " + table.getKey() + " lacks columns");
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isPartial(@Nullable Object @Nullable [] image) {
    return image != null && Arrays.asList(image).contains(UnknownValue.ABSENT);
  }

  /** The tables of which the log has images, after all of them were applied. */
  Map<String, LoggedTable> tables() {
    return tables;
  }

  /** The number of transactions whose images are applied. */
  int size() {
    return logged.transactions().size();
  }

  /** What a replica could not do, or would hold instead; empty if it would hold the same. */
  Optional<String> difference() throws SQLException {
    images.forEach(
        (name, rows) ->
            tables.put(name, LoggedTable.of(rows.get(0).table(), rows, before(name), after(name))));
    int number = 0;
    for (ChangedTransaction transaction : logged.transactions()) {
      number++;
      for (ChangedRow row : transaction.changes()) {
        LoggedTable table = tables.get(row.table().name());
        Optional<String> problem = table == null ? Optional.empty() : table.apply(row, number - 1);
        if (problem.isPresent()) {
          String position = number + " of " + size() + " in the log";
          return Optional.of(problem.get() + ": " + row.kind() + " by transaction " + position);
        }
      }
    }
    for (LoggedTable table : tables.values()) {
      Optional<String> difference = table.difference();
      if (difference.isPresent()) {
        return difference;
      }
    }
    return differenceWithoutImages();
  }

  /** Tables of which the log has no image must not have changed. */
  private Optional<String> differenceWithoutImages() throws SQLException {
    Set<String> others = new TreeSet<>(logged.before().keySet());
    others.removeAll(images.keySet());
    for (String name : others) {
      List<String> before = bag(before(name));
      List<String> after = bag(after(name));
      if (!before.equals(after)) {
        return Optional.of(
            "a replica would hold in "
                + name
                + " "
                + before
                + " where the server holds "
                + after
                + ": the log has no change of this table");
      }
    }
    return Optional.empty();
  }

  private static List<String> bag(StoredRows rows) throws SQLException {
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (List<@Nullable Object> row : rows.rows()) {
      List<@Nullable Object> converted = new ArrayList<>();
      for (Object value : row) {
        converted.add(Values.value(value));
      }
      values.add(converted);
    }
    return Values.bag(values);
  }

  private StoredRows before(String table) {
    return rows(logged.before(), table);
  }

  private StoredRows after(String table) {
    return rows(logged.after(), table);
  }

  private static StoredRows rows(Map<String, StoredRows> tables, String name) {
    StoredRows rows = tables.get(name);
    if (rows == null) {
      throw new IllegalArgumentException("no rows of " + name);
    }
    return rows;
  }
}
