package io.txwatch.campaign;

import io.txwatch.oracle.Verdict;
import io.txwatch.schedule.Execution;
import java.util.function.BiConsumer;

/** Hears of what is judged, and of nothing else. */
record VerdictListener(BiConsumer<Execution, Verdict> heard) implements Campaign.Listener {

  @Override
  public void found(Finding finding) {}

  @Override
  public void judged(Execution execution, Verdict verdict) {
    heard.accept(execution, verdict);
  }
}
