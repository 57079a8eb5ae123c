package io.txwatch.oracle.troc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private final RowIdentity identity;
  private long lastRow;
  private int lastNumber;

  /** Creates the history of the rows after the set-up; their writer commits before all others. */
  ChangeHistory(Map<String, List<List<@Nullable Object>>> rows, RowIdentity identity) {
    this.identity = identity;
    Writer initial = new Writer();
    initial.commit(-1);
    rows.forEach(
        (table, list) -> {
          tables.put(table, new TreeMap<>());
          list.forEach(data -> insert(table, data, initial));
        });
  }

  private ChangeHistory(ChangeHistory other) {
    this.identity = other.identity;
    this.lastRow = other.lastRow;
    this.lastNumber = other.lastNumber;
    other.tables.forEach(
        (table, rows) -> {
          TreeMap<Long, List<Version>> copied = new TreeMap<>();
          rows.forEach((row, versions) -> copied.put(row, new ArrayList<>(versions)));
          tables.put(table, copied);
        });
  }

  /** A copy that can be changed by itself. */
  ChangeHistory copy() {
    return new ChangeHistory(this);
  }

  /** True if the other history has the same versions of the same rows. */
  boolean hasSameVersions(ChangeHistory other) {
    return tables.equals(other.tables);
  }

  /** Adds a new row, or a new version of the deleted row that the DBMS considers the same. */
  void insert(String table, List<@Nullable Object> data, Writer writer) {
    add(table, deletedRow(table, data, writer).orElseGet(() -> ++lastRow), data, writer);
  }

  /**
   * The deleted row that has, or had before an UPDATE, the key of a new one. If its deletion may be
   * rolled back, the new row has a key that it had before, and is another one: else the INSERT
   * would have waited.
   */
  private Optional<Long> deletedRow(String table, List<@Nullable Object> data, Writer writer) {
    Optional<Object> key = identity.key(table, data);
    return key.isEmpty()
        ? Optional.empty()
        : of(table).entrySet().stream()
            .filter(row -> isDeleted(row.getValue(), writer))
            .filter(
                row ->
                    row.getValue().stream()
                        .map(Version::data)
                        .anyMatch(
                            before -> before != null && identity.key(table, before).equals(key)))
            .map(Map.Entry::getKey)
            .findFirst();
  }

  private static boolean isDeleted(List<Version> versions, Writer writer) {
    Version newest = versions.get(versions.size() - 1);
    return newest.data() == null && (newest.writer() == writer || newest.writer().isCommitted());
  }

  /** Adds a version of a row; null deletes it. */
  void write(String table, long row, @Nullable List<@Nullable Object> data, Writer writer) {
    Optional<List<@Nullable Object>> before = newest(table, row).map(Version::data);
    if (data != null
        && identity.changesWithKey()
        && before.isPresent()
        && !identity.key(table, before.get()).equals(identity.key(table, data))) {
      add(table, row, null, writer);
      insert(table, data, writer);
    } else {
      add(table, row, data, writer);
    }
  }

  private void add(String table, long row, @Nullable List<@Nullable Object> data, Writer writer) {
    of(table)
        .computeIfAbsent(row, first -> new ArrayList<>())
        .add(new Version(data, writer, ++lastNumber));
  }

  /** Records a write and the rows that it touched. */
  void record(Writer writer, ViewExecutor.Outcome result, Map<String, Set<Long>> touched) {
    touched.forEach(
        (table, rows) -> {
          TreeMap<Long, List<@Nullable Object>> after =
              result.after().getOrDefault(table, new TreeMap<>());
          rows.stream().sorted().forEach(row -> write(table, row, after.get(row), writer));
        });
    result.inserted().forEach((table, rows) -> rows.forEach(row -> insert(table, row, writer)));
  }

  /** All rows of a table that have or had a version, by number. */
  Map<Long, List<Version>> rows(String table) {
    return Collections.unmodifiableMap(of(table));
  }

  /** The names of the tables. */
  Set<String> tables() {
    return tables.keySet();
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
