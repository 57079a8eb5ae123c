package io.txwatch.analyzer;

import io.txwatch.coverage.Coverage;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.List;

/** The results of all analyzers of this process. */
public final class ProcessSource implements LiveSource {

  @Override
  public String name() {
    return "in process " + ProcessHandle.current().pid();
  }

  @Override
  public List<Group> anomalies() {
    return InProcessResults.all().stream().flatMap(r -> r.groups().stream()).toList();
  }

  @Override
  public Figures figures() {
    Coverage coverage = Coverage.NONE;
    long found = 0;
    long bytes = 0;
    long sessions = 0;
    for (InProcessResults results : InProcessResults.all()) {
      coverage = coverage.plus(results.coverage());
      found += results.ungrouped();
      found += results.groups().stream().mapToLong(Group::count).sum();
      bytes += results.graphBytes();
      sessions += results.openSessions();
    }
    return new Figures(coverage, found, sessions, bytes, coverage.dropped());
  }
}
