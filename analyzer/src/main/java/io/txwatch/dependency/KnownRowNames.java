package io.txwatch.dependency;

import java.util.HashMap;
import java.util.Map;

/**
 * The names that reports show for a table's rows in place of ids: their keys, as far as they are
 * known. They outlive the table's rows here, since each is recorded once.
 */
final class KnownRowNames {

  private static final int MAX_KEYS = 1 << 11;
  private static final int MAX_TABLES = 1 << 6;

  /** Longer ones come only from files and clients that are not ours. */
  static final int MAX_KEY_CHARACTERS = 1 << 7;

  private LongTable<String> keys = new LongTable<>();

  /**
   * The key of a row became known. If there are too many, those known before are discarded.
   *
   * @param key empty if the table's rows may have other keys from now on: all are discarded
   */
  void put(long row, String key) {
    if (key.length() > MAX_KEY_CHARACTERS) {
      return;
    }
    if (key.isEmpty() || keys.size() == MAX_KEYS) {
      keys = new LongTable<>();
    }
    if (!key.isEmpty()) {
      keys.put(row, key);
    }
  }

  /** The key of a row; empty if it is not known. */
  String of(long row) {
    String key = keys.get(row);
    return key == null ? "" : key;
  }

  /** Those of all tables. */
  static final class OfTables {

    private final Map<String, KnownRowNames> tables = new HashMap<>();

    /** Those of a table of a place. */
    KnownRowNames of(String place, String table) {
      String name = place + '\0' + table;
      KnownRowNames known = tables.get(name);
      if (known == null) {
        known = new KnownRowNames();
        if (tables.size() < MAX_TABLES) {
          tables.put(name, known);
        }
      }
      return known;
    }
  }
}
