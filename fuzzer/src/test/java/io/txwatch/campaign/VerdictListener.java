package io.txwatch.campaign;

import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import java.util.function.BiConsumer;

/** Hears of what is judged, and of nothing else. */
record VerdictListener(BiConsumer<CaseExecution, OracleVerdict> heard)
    implements Campaign.Listener {

  @Override
  public void found(Finding finding) {}

  @Override
  public void judged(CaseExecution execution, OracleVerdict verdict) {
    heard.accept(execution, verdict);
  }
}
