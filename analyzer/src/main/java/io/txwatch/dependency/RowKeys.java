package io.txwatch.dependency;

import java.util.HashMap;
import java.util.Map;

/**
 * The keys of a table's rows, as far as they became known: what reports show in place of ids. They
 * outlive the table's rows here, since each is recorded once.
 */
final class RowKeys {

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

    private final Map<String, RowKeys> tables = new HashMap<>();

    /** Those of a table of a place. */
    RowKeys of(String place, String table) {
      String name = place + '\0' + table;
      RowKeys known = tables.get(name);
      if (known == null) {
        known = new RowKeys();
        if (tables.size() < MAX_TABLES) {
          tables.put(name, known);
        }
      }
      return known;
    }
  }
}
