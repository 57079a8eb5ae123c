package io.txwatch.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which tables the sessions of a URL and user have used lately, and which were there when tables
 * were read ahead. It outlives the sessions, so that an application that opens one connection after
 * another reads ahead what it uses, and what is new, but not its whole schema again and again.
 * Thread-safe.
 */
final class TableUsage {

  /** More tables than this are not known to have been there before. */
  private static final int MAX_READ = 10_000;

  private static final Cache<String, TableUsage> BY_SESSION_KEY =
      Caffeine.newBuilder().maximumSize(256).executor(Runnable::run).build();

  /** In the order of their last use. */
  private final Map<String, Boolean> used = new LinkedHashMap<>(16, 0.75f, true);

  private final Set<String> read = new HashSet<>();
  private final int maxUsed;

  TableUsage(int maxUsed) {
    this.maxUsed = maxUsed;
  }

  static TableUsage of(String key, int maxUsed) {
    return BY_SESSION_KEY.get(key, k -> new TableUsage(maxUsed));
  }

  /** A statement uses a table, or would if it could be looked up; the eldest one is forgotten. */
  synchronized void use(String table) {
    used.put(table, true);
    if (used.size() > maxUsed) {
      used.remove(used.keySet().iterator().next());
    }
  }

  /** A table was read ahead. */
  synchronized void read(String table) {
    if (read.size() < MAX_READ) {
      read.add(table);
    }
  }

  /**
   * Those of the tables that are worth reading ahead: those that were used, then those that were
   * not there before.
   *
   * @param prefix what the names of the tables of this schema begin with
   * @param tables all tables of the schema
   */
  synchronized List<String> wanted(String prefix, List<String> tables) {
    Set<String> existing = new HashSet<>(tables);
    read.removeIf(table -> table.startsWith(prefix) && !existing.contains(table));
    List<String> wanted = new ArrayList<>();
    for (String table : tables) {
      if (used.containsKey(table)) {
        wanted.add(table);
      }
    }
    for (String table : tables) {
      if (!used.containsKey(table) && !read.contains(table)) {
        wanted.add(table);
      }
    }
    return wanted;
  }
}
