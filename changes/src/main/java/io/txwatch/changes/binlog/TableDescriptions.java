package io.txwatch.changes.binlog;

import io.txwatch.changes.LogPosition;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The descriptions with which the rows of a log are decoded. Used by one thread.
 *
 * <p><b>Which version of a table?</b> The catalog describes a table as it is now; the log may be
 * behind. So the end of the log is requested after tables were described, and their descriptions
 * are uncertain until the log has passed that end: if a change of schema comes first, they may be
 * those of a later version.
 *
 * <p><b>Which tables?</b> The first table of a schema is described alone. Whenever another one is
 * needed, further ones are described with it, because on a busy server each query takes
 * milliseconds, in which the log grows: after a change of schema those that were used before it,
 * else the next ones by name; more of them, the more of those before were used.
 */
final class TableDescriptions {

  /** The queries that are sent to the server. */
  interface TableSource {

    /** Tables as they are now, by the names given; those that are not found are missing. */
    Map<String, TableDescription> describe(String schema, Collection<String> tables)
        throws IOException;

    /** The names of the tables of a schema, in order. */
    Collection<String> tables(String schema) throws IOException;

    LogPosition endOfLog() throws IOException;
  }

  /** Tables that are described together with one that is needed, until some of them are used. */
  private static final int AHEAD = 64;

  /** Tables that are described together at most. */
  private static final int MAX_TOGETHER = 500;

  /** Descriptions that nothing was decoded with, at most. */
  private static final int MAX_UNUSED = 1000;

  private final TableSource catalog;
  private final Map<String, Described> descriptions = new HashMap<>();
  private final Map<String, Schema> schemas = new HashMap<>();

  /** Tables whose description is uncertain until the log has passed a position. */
  private final Map<String, LogPosition> uncertain = new LinkedHashMap<>();

  private int unused;

  /**
   * A table as described, or the reason why it is not.
   *
   * @param map what the log states of the table, which the description fits; null if nothing was
   *     decoded with the description so far
   */
  record Described(@Nullable TableDescription table, @Nullable TableMap map, String problem) {}

  /** The tables of a schema that are to be described with others. */
  private static final class Schema {

    /** Used before the last change of schema. */
    final Set<String> usedBefore = new LinkedHashSet<>();

    /** The others; null until they were requested. */
    @Nullable Set<String> others;

    boolean isKnown;
    int usedAhead;
  }

  TableDescriptions(TableSource catalog) {
    this.catalog = catalog;
  }

  static String key(String schema, String table) {
    return schema + "." + table;
  }

  /** The table of some rows, if it can be described. */
  Described of(TableMap map) {
    Described known = descriptions.get(map.qualified);
    TableDescription table = known == null ? null : known.table();
    if (known != null && (table == null || known.map() == map)) {
      return known;
    }
    if (known != null && known.map() == null) {
      unused--;
      schema(map.schema).usedAhead++;
    }
    if (table != null && table.mismatch(map).isEmpty()) {
      Described same = new Described(table, map, "");
      descriptions.put(map.qualified, same);
      return same;
    }
    try {
      Described now = describedAnew(map);
      descriptions.put(map.qualified, now);
      return now;
    } catch (IOException e) {
      descriptions.remove(map.qualified);
      return new Described(null, map, "the catalog cannot be read: " + e.getMessage());
    }
  }

  private Schema schema(String name) {
    return schemas.computeIfAbsent(name, any -> new Schema());
  }

  private Described describedAnew(TableMap map) throws IOException {
    Set<String> tables = new LinkedHashSet<>();
    tables.add(map.table);
    addOthers(map.schema, tables);
    Map<String, TableDescription> found = catalog.describe(map.schema, tables);
    LogPosition end = found.isEmpty() ? new LogPosition("", 0) : catalog.endOfLog();
    tables.remove(map.table);
    for (String other : tables) {
      TableDescription description = found.get(other);
      if (description != null) {
        descriptions.put(key(map.schema, other), new Described(description, null, ""));
        uncertain.put(key(map.schema, other), end);
        unused++;
      }
    }
    TableDescription wanted = found.get(map.table);
    if (wanted == null) {
      return new Described(null, map, "not in the catalog, or no right to see it");
    }
    String mismatch = wanted.mismatch(map);
    if (!mismatch.isEmpty()) {
      return new Described(null, map, mismatch);
    }
    uncertain.put(map.qualified, end);
    return new Described(wanted, map, "");
  }

  private void addOthers(String name, Set<String> tables) throws IOException {
    Schema schema = schema(name);
    if (!schema.usedBefore.isEmpty()) {
      move(name, schema.usedBefore, tables, MAX_TOGETHER);
    } else if (schema.isKnown) {
      Set<String> others = schema.others;
      if (others == null) {
        others = new LinkedHashSet<>(catalog.tables(name));
        schema.others = others;
      }
      int most = Math.min(AHEAD * (1 + schema.usedAhead), MAX_UNUSED - unused);
      move(name, others, tables, Math.min(most, MAX_TOGETHER));
    }
    schema.isKnown = true;
  }

  private void move(String schema, Set<String> from, Set<String> to, int most) {
    for (Iterator<String> each = from.iterator(); to.size() < most && each.hasNext(); ) {
      String next = each.next();
      each.remove();
      if (!descriptions.containsKey(key(schema, next))) {
        to.add(next);
      }
    }
  }

  /** The log was read up to there: what was described before that end is certain. */
  void passed(LogPosition position) {
    if (!uncertain.isEmpty()) {
      uncertain.values().removeIf(end -> position.compareTo(end) >= 0);
    }
  }

  /** The position after which a table's description is certain; null if it is. */
  @Nullable LogPosition certainAfter(String schema, String table) {
    return uncertain.isEmpty() ? null : uncertain.get(key(schema, table));
  }

  /** The keys of the tables whose description is uncertain. */
  Set<String> uncertain() {
    return Set.copyOf(uncertain.keySet());
  }

  /** Those that are uncertain will not become certain. */
  void removeUncertain() {
    uncertain.keySet().forEach(this::remove);
    uncertain.clear();
  }

  private void remove(String key) {
    Described removed = descriptions.remove(key);
    if (removed != null && removed.map() == null) {
      unused--;
    }
  }

  /** After a change of schema: any table may be another one, and there may be others. */
  void clear() {
    schemas
        .values()
        .forEach(
            schema -> {
              schema.others = null;
              schema.usedAhead = 0;
            });
    descriptions
        .values()
        .forEach(
            described -> {
              TableMap map = described.map();
              if (map != null && described.table() != null) {
                schema(map.schema).usedBefore.add(map.table);
              }
            });
    descriptions.clear();
    uncertain.clear();
    unused = 0;
  }
}
