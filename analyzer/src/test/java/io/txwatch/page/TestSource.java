package io.txwatch.page;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.history.GapReason;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.PredictedRaces;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Results that a test changes while the page is open. */
public final class TestSource implements LiveSource {

  static final Coverage COVERAGE =
      new Coverage(
          4, 2_000, 1_990, 8_000, 7_900, 9_000, 4_000, 0, 0, 0, Map.of(GapReason.SHAPE, 100L));

  private final List<Group> groups = new CopyOnWriteArrayList<>();

  private volatile Optional<PredictedRaces> predicted = Optional.empty();

  private volatile OperationWaits waits = OperationWaits.NONE;

  public void set(OperationWaits newWaits) {
    waits = newWaits;
  }

  public void add(Anomaly anomaly, long count) {
    groups.add(new Group(anomaly, count, 1_000_000, 61_000_000));
  }

  public void removeAll() {
    groups.clear();
  }

  public void predict(PredictedRaces races) {
    predicted = Optional.of(races);
  }

  @Override
  public Optional<PredictedRaces> predicted() {
    return predicted;
  }

  @Override
  public String name() {
    return "of a test";
  }

  @Override
  public List<Group> anomalies() {
    return List.copyOf(groups);
  }

  @Override
  public Figures figures() {
    return new Figures(COVERAGE.with(waits), groups.size(), 4, 1 << 20, 0);
  }
}
