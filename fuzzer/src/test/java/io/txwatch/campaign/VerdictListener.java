package io.txwatch.campaign;

import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import java.util.function.BiConsumer;

/** Receives verdicts only. */
public record VerdictListener(BiConsumer<CaseExecution, OracleVerdict> onVerdict)
    implements Campaign.Listener {

  @Override
  public void found(CampaignFinding finding) {}

  @Override
  public void judged(CaseExecution execution, OracleVerdict verdict) {
    onVerdict.accept(execution, verdict);
  }
}
