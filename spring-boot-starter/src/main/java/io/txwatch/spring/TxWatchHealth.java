package io.txwatch.spring;

import io.txwatch.live.LiveSource;
import io.txwatch.live.LiveSource.Figures;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the application is watched: {@code UNKNOWN} until the first statement of a watched
 * connection, then {@code UP}. Never {@code DOWN}: neither an anomaly nor a failure of txwatch may
 * take a service out of a load balancer.
 */
final class TxWatchHealth implements HealthIndicator {

  private final LiveSource source;

  TxWatchHealth(LiveSource source) {
    this.source = source;
  }

  @Override
  public Health health() {
    Figures figures = source.figures();
    long statements = figures.coverage().statements();
    return (statements > 0 ? Health.up() : Health.unknown())
        .withDetail("transactions", figures.coverage().transactions())
        .withDetail("statements", statements)
        .withDetail("anomalies", figures.anomalies())
        .withDetail("lostEvents", figures.dropped())
        .build();
  }
}
