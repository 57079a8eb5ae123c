package io.txwatch.cli;

import io.txwatch.coverage.Coverage;
import io.txwatch.link.Address;
import io.txwatch.live.LiveSource;
import io.txwatch.page.LivePage;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Report;
import java.io.IOException;
import java.net.BindException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What the phases of the demo have found so far, as a report and as a page. Thread-safe. */
final class DemoResults implements LiveSource {

  private static final int PORT = 7077;

  private final AnomalyGroups groups = new AnomalyGroups();
  private Coverage coverage = Coverage.NONE;

  /** Adds what a phase has found. */
  synchronized void add(DemoPhase phase) {
    phase.recorded().forEach(groups::add);
    coverage = coverage.plus(phase.coverage());
  }

  /** Opens the page, at another port if the usual one is taken. */
  LivePage openPage() throws IOException {
    try {
      return openPage(PORT);
    } catch (BindException e) {
      return openPage(0);
    }
  }

  private LivePage openPage(int port) throws IOException {
    return LivePage.open(new Address(false, "127.0.0.1", port), Optional.empty(), "", this);
  }

  /** All that was found. */
  synchronized Report report() {
    return new Report("demo", Instant.now(), groups.groups(), groups.ungrouped(), coverage);
  }

  @Override
  public String name() {
    return "demo";
  }

  @Override
  public synchronized List<Group> anomalies() {
    return groups.groups();
  }

  @Override
  public synchronized Figures figures() {
    long found = groups.groups().stream().mapToLong(Group::count).sum() + groups.ungrouped();
    return new Figures(coverage, found, coverage.sessions(), 0, 0);
  }
}
