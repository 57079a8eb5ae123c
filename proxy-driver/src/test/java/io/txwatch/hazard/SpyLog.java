package io.txwatch.hazard;

import com.p6spy.engine.logging.Category;
import com.p6spy.engine.spy.appender.P6Logger;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What p6spy logs, as {@code spy.properties} configures it. */
public final class SpyLog implements P6Logger {

  static final List<String> TEXTS = new CopyOnWriteArrayList<>();

  /** Made by p6spy. */
  public SpyLog() {}

  @Override
  public void logSQL(
      int connectionId,
      String now,
      long elapsed,
      Category category,
      String prepared,
      String sql,
      String url) {
    if (!prepared.isEmpty()) {
      TEXTS.add(prepared);
    }
  }

  @Override
  public void logException(Exception e) {}

  @Override
  public void logText(String text) {}

  @Override
  public boolean isCategoryEnabled(Category category) {
    return Category.STATEMENT.equals(category) || Category.BATCH.equals(category);
  }
}
