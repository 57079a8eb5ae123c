package io.txwatch.oracle.troc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The change history of a database (Troc, section III-E1): all versions of every row, oldest first,
 * each with the transaction that wrote it.
 */
final class ChangeHistory {

  /** The visibility of a transaction's versions to others. */
  static final class Writer {
    private static final int NEVER = Integer.MAX_VALUE;
    private int committedAt = NEVER;

    /** Commits the versions at this moment. */
    void commit(int moment) {
      committedAt = moment;
    }

    boolean isCommitted() {
      return committedAt != NEVER;
    }

    /** True if it committed before the moment. */
    boolean isCommittedBefore(int moment) {
      return committedAt < moment;
    }
  }

  /**
   * A version of a row.
   *
   * @param data its values; null if the row is deleted
   * @param writer the transaction that wrote it
   * @param number its sequence number among all versions
   */
  record Version(@Nullable List<@Nullable Object> data, Writer writer, int number) {}

  private final Map<String, TreeMap<Long, List<Version>>> tables = new HashMap<>();
  private final Writer initial = new Writer();
  private long lastRow;
  private int lastNumber;

  /** Creates the history of the rows after the set-up; their writer commits before all others. */
  ChangeHistory(Map<String, List<List<@Nullable Object>>> rows) {
    initial.commit(-1);
    rows.forEach(
        (table, list) -> {
          tables.put(table, new TreeMap<>());
          list.forEach(data -> insert(table, data, initial));
        });
  }

  /** Adds a new row. */
  void insert(String table, List<@Nullable Object> data, Writer writer) {
    write(table, ++lastRow, data, writer);
  }

  /** Adds a version of a row; null deletes it. */
  void write(String table, long row, @Nullable List<@Nullable Object> data, Writer writer) {
    of(table)
        .computeIfAbsent(row, first -> new ArrayList<>())
        .add(new Version(data, writer, ++lastNumber));
  }

  private TreeMap<Long, List<Version>> of(String table) {
    return tables.computeIfAbsent(table, first -> new TreeMap<>());
  }

  /** The number of the newest version, to roll back to. */
  int savepoint() {
    return lastNumber;
  }

  /** Removes the versions that a transaction wrote after a savepoint; 0 is its beginning. */
  void rollBack(Writer writer, int savepoint) {
    for (TreeMap<Long, List<Version>> rows : tables.values()) {
      rows.values()
          .forEach(
              versions ->
                  versions.removeIf(
                      version -> version.writer() == writer && version.number() > savepoint));
      rows.values().removeIf(List::isEmpty);
    }
  }

  /** The newest version of a row. */
  Optional<Version> newest(String table, long row) {
    return newest(table, row, version -> true);
  }

  /** The newest visible version of a row. */
  Optional<Version> newest(
      String table, long row, java.util.function.Predicate<Version> isVisible) {
    List<Version> versions = of(table).getOrDefault(row, List.of());
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (isVisible.test(versions.get(i))) {
        return Optional.of(versions.get(i));
      }
    }
    return Optional.empty();
  }

  /** A view (section III-E2): the newest visible version of each row, unless it is a deletion. */
  View view(BiPredicate<String, Version> isVisible) {
    Map<String, TreeMap<Long, List<@Nullable Object>>> view = new HashMap<>();
    tables.forEach(
        (table, rows) -> {
          TreeMap<Long, List<@Nullable Object>> seen = new TreeMap<>();
          for (long row : rows.keySet()) {
            newest(table, row, version -> isVisible.test(table, version))
                .map(Version::data)
                .ifPresent(data -> seen.put(row, data));
          }
          view.put(table, seen);
        });
    return new View(view);
  }

  /**
   * What a statement sees.
   *
   * @param tables the rows of each table by their numbers
   */
  record View(Map<String, TreeMap<Long, List<@Nullable Object>>> tables) {
    TreeMap<Long, List<@Nullable Object>> rows(String table) {
      return tables.getOrDefault(table, new TreeMap<>());
    }
  }
}
