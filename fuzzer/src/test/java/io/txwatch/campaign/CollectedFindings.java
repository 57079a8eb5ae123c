package io.txwatch.campaign;

import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.CaseWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a campaign found. */
final class CollectedFindings implements Campaign.Listener {

  private final Runnable whenJudged;

  final List<CampaignFinding> findings = new CopyOnWriteArrayList<>();

  /** Further violations that are reported with one of the findings. */
  final List<CampaignFinding> again = new CopyOnWriteArrayList<>();

  /** Violations that did not occur again, each with its case, its execution and the reason. */
  final List<String> notReproduced = new CopyOnWriteArrayList<>();

  CollectedFindings() {
    this(() -> {});
  }

  /**
   * Executes something besides.
   *
   * @param whenJudged after each verdict
   */
  CollectedFindings(Runnable whenJudged) {
    this.whenJudged = whenJudged;
  }

  @Override
  public void judged(CaseExecution execution, OracleVerdict verdict) {
    whenJudged.run();
  }

  @Override
  public void found(CampaignFinding finding) {
    findings.add(finding);
  }

  @Override
  public void foundAgain(CampaignFinding first, CampaignFinding further) {
    again.add(further);
  }

  @Override
  public void notReproduced(CampaignFinding violation) {
    notReproduced.add(
        CaseWriter.write(violation.original()) + violation.execution() + "\n" + violation.reason());
  }
}
