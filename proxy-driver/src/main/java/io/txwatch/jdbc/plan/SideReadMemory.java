package io.txwatch.jdbc.plan;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the reads beside statements have learnt of a database: shared by all connections to it. */
public final class SideReadMemory {

  /** For so long a table that was too large is not read again. */
  private static final long REST_NANOS = 60_000_000_000L;

  private final Map<String, Long> tooLargeUntil = new ConcurrentHashMap<>();
  private final VersionSetBudget versionSets = new VersionSetBudget(System::nanoTime);
  private volatile boolean foundRowsAsked;
  private volatile boolean rowCountAsked;

  /** True if the table had too many rows a short while ago. */
  public boolean isTooLarge(String table) {
    if (tooLargeUntil.isEmpty()) {
      return false;
    }
    Long until = tooLargeUntil.get(table);
    if (until == null) {
      return false;
    }
    if (System.nanoTime() - until > 0) {
      tooLargeUntil.remove(table);
      return false;
    }
    return true;
  }

  public void tooLarge(String table) {
    if (tooLargeUntil.size()
        >= VersionSetBudget.MAX_TABLES) { // names that come and go, as of temporary tables
      tooLargeUntil.clear();
    }
    tooLargeUntil.put(table, System.nanoTime() + REST_NANOS);
  }

  /** What may be spent on version sets. */
  public VersionSetBudget versionSets() {
    return versionSets;
  }

  /** True if the application asks for FOUND_ROWS() at all. */
  public boolean isAskedForFoundRows() {
    return foundRowsAsked;
  }

  public void asksFoundRows() {
    foundRowsAsked = true;
  }

  /** True if the application has requested ROW_COUNT() after a write that returned its rows. */
  public boolean isAskedForRowCount() {
    return rowCountAsked;
  }

  public void asksRowCount() {
    rowCountAsked = true;
  }
}
