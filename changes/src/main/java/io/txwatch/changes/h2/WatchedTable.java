package io.txwatch.changes.h2;

import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ColumnType;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.h2.table.Table;
import org.jspecify.annotations.Nullable;

/** A table with a trigger: H2 creates a trigger's object again when it rebuilds its table. */
final class WatchedTable {

  static final String PREFIX = "TXWATCH_";
  private static final int MAX_DESCRIPTIONS = 32;
  private static final Map<String, WatchedTable> BY_TRIGGER = new ConcurrentHashMap<>();

  private final TriggerSource source;
  private final String trigger;

  /** The table as it was when H2's object had a number. Of the source's thread. */
  private final NavigableMap<Long, ChangedTable> descriptions = new TreeMap<>();

  /** H2's own object, whose number changes when its columns do; null while that is not known. */
  private volatile @Nullable Table engineTable;

  /** H2 finds rows by this column, so that a row with another value is another row; -1 if none. */
  private volatile int keyColumn = -1;

  private WatchedTable(TriggerSource source, String trigger) {
    this.source = source;
    this.trigger = trigger;
  }

  static WatchedTable register(TriggerSource source, String namePart) {
    WatchedTable table = new WatchedTable(source, PREFIX + namePart);
    BY_TRIGGER.put(table.trigger, table);
    return table;
  }

  /**
   * The table of a trigger.
   *
   * @param name while H2 rebuilds a table, its triggers have a prefix before their names
   * @return null if it is of no source that is open in this process
   */
  static @Nullable WatchedTable ofTrigger(String name) {
    int start = name.indexOf(PREFIX);
    return start < 0 ? null : BY_TRIGGER.get(name.substring(start));
  }

  void unregister() {
    BY_TRIGGER.remove(trigger);
  }

  static void unregisterAll(TriggerSource source) {
    BY_TRIGGER.values().removeIf(table -> table.source == source);
  }

  TriggerSource source() {
    return source;
  }

  String trigger() {
    return trigger;
  }

  /** H2 creates the trigger, for a new table or one that it rebuilds. */
  void initialized() {
    engineTable = null;
  }

  /** The number of the table's present version; -1 if it is not known. */
  long version() {
    Table table = engineTable;
    return table == null || !table.isValid() ? -1 : table.getModificationId();
  }

  /** As described last. */
  @Nullable ChangedTable lastDescription() {
    Map.Entry<Long, ChangedTable> last = descriptions.lastEntry();
    return last == null ? null : last.getValue();
  }

  /** True if {@link #describedAt} needs no later description. */
  boolean isDescribedSince(long version) {
    return descriptions.ceilingKey(version) != null;
  }

  /**
   * As it was at a version. Between two descriptions that are the same, it is taken to have been
   * the same.
   *
   * @return null if it is not known
   */
  @Nullable ChangedTable describedAt(long version) {
    Map.Entry<Long, ChangedTable> before = descriptions.floorEntry(version);
    if (before != null && before.getKey() == version) {
      return before.getValue();
    }
    Map.Entry<Long, ChangedTable> after = descriptions.ceilingEntry(version);
    return before != null && after != null && before.getValue().equals(after.getValue())
        ? after.getValue()
        : null;
  }

  /** True if an UPDATE is a DELETE and an INSERT to H2. */
  boolean movesKey(@Nullable Object @Nullable [] before, @Nullable Object @Nullable [] after) {
    int column = keyColumn;
    return column >= 0
        && before != null
        && after != null
        && column < before.length
        && column < after.length
        && !Objects.equals(before[column], after[column]);
  }

  void describe(ChangedTable table, Table byEngine) {
    long version = byEngine.getModificationId();
    engineTable = byEngine;
    keyColumn =
        table.keys().stream()
            .filter(key -> key.isPrimary() && key.columns().size() == 1)
            .mapToInt(key -> key.columns().get(0))
            .filter(column -> table.columns().get(column).type() == ColumnType.INTEGER)
            .findFirst()
            .orElse(-1);
    ChangedTable last = lastDescription();
    descriptions.put(version, table.equals(last) ? last : table);
    if (descriptions.size() > MAX_DESCRIPTIONS) {
      descriptions.pollFirstEntry();
    }
  }
}
