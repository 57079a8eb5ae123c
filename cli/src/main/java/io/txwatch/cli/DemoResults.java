package io.txwatch.cli;

import io.txwatch.coverage.Coverage;
import io.txwatch.link.Address;
import io.txwatch.live.LiveSource;
import io.txwatch.page.LivePage;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Report;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** What all phases of the demo found, as a report and as a page. */
record DemoResults(Report report) implements LiveSource {

  private static final int PORT = 7077;

  static DemoResults of(List<DemoPhase> phases) {
    AnomalyGroups groups = new AnomalyGroups();
    phases.forEach(phase -> phase.recorded().forEach(groups::add));
    Coverage coverage =
        phases.stream().map(DemoPhase::coverage).reduce(Coverage.NONE, Coverage::plus);
    return new DemoResults(
        new Report("demo", Instant.now(), groups.groups(), groups.ungrouped(), coverage));
  }

  /** Shows the page until the process is stopped. */
  void hold(PrintWriter out) throws IOException, InterruptedException {
    try (LivePage page = open()) {
      out.println(
          "live page: http://127.0.0.1:" + page.address().getPort() + "/ (stop it with Ctrl+C)");
      out.flush();
      new CountDownLatch(1).await();
    }
  }

  private LivePage open() throws IOException {
    try {
      return LivePage.open(new Address(false, "127.0.0.1", PORT), Optional.empty(), "", this);
    } catch (BindException e) {
      return LivePage.open(new Address(false, "127.0.0.1", 0), Optional.empty(), "", this);
    }
  }

  @Override
  public String name() {
    return "demo";
  }

  @Override
  public List<Group> anomalies() {
    return report.anomalies();
  }

  @Override
  public Figures figures() {
    long found = report.anomalies().stream().mapToLong(Group::count).sum() + report.ungrouped();
    return new Figures(report.coverage(), found, report.coverage().sessions(), 0, 0);
  }
}
