package io.txwatch.jdbc.changes;

import io.txwatch.catalog.CatalogMode.Versions;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the versions of one database come from that is watched by value without being set: chosen
 * by its first watched connection, the same for all that are open at the same time. A record of
 * changes that can be read only later must not be mixed with writes that are known from their
 * statements. Thread-safe.
 */
final class SourceChoice {

  private static final Map<String, SourceChoice> CHOICES = new HashMap<>();

  private final String key;
  private int connections;
  private @Nullable Versions versions;

  private SourceChoice(String key) {
    this.key = key;
  }

  /** For one more connection; to be {@linkplain #leave left} with it. */
  static SourceChoice enter(String key) {
    synchronized (CHOICES) {
      SourceChoice choice = CHOICES.computeIfAbsent(key, SourceChoice::new);
      choice.connections++;
      return choice;
    }
  }

  void leave() {
    synchronized (CHOICES) {
      if (--connections == 0) {
        CHOICES.remove(key);
      }
    }
  }

  /** What was chosen; connections that are opened meanwhile wait for the first one's choice. */
  synchronized Versions versions(Supplier<Versions> first) {
    Versions known = versions;
    if (known == null) {
      known = first.get();
      versions = known;
    }
    return known;
  }
}
