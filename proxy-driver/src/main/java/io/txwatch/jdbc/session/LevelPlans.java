package io.txwatch.jdbc.session;

import io.txwatch.jdbc.plan.PlanCache;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The plans for a database at each level of observation ({@code txwatch.instrument}). Those of a
 * level are created when a connection first has it, because the level can change while connections
 * are open. Thread-safe.
 */
public final class LevelPlans {

  private final String levelAtFirst;
  private final Function<String, PlanCache> created;
  private final Map<String, PlanCache> shared = new ConcurrentHashMap<>();

  /**
   * No plans yet.
   *
   * @param levelAtFirst the level that connections are opened with
   * @param created creates an empty cache for a level
   */
  LevelPlans(String levelAtFirst, Function<String, PlanCache> created) {
    this.levelAtFirst = levelAtFirst;
    this.created = created;
  }

  /** The level that connections are opened with. */
  String levelAtFirst() {
    return levelAtFirst;
  }

  /** The plans at a level, for all sessions that look names up where they did when opened. */
  PlanCache shared(String level) {
    return shared.computeIfAbsent(level, created);
  }

  /** An empty cache, for a session that looks names up elsewhere. */
  PlanCache own(String level) {
    return created.apply(level);
  }
}
