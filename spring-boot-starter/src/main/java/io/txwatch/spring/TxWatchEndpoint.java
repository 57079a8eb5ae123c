package io.txwatch.spring;

import io.txwatch.document.DocumentFormat;
import io.txwatch.document.SourceFiles;
import io.txwatch.live.LiveSource;
import io.txwatch.live.LiveSource.Figures;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Report;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.SettingException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * What was found in this JVM: {@code /actuator/txwatch} as JSON, {@code /actuator/txwatch/page} as
 * a page for browsers. Never waits for the analysis.
 */
@Endpoint(id = "txwatch")
final class TxWatchEndpoint {

  private final LiveSource source;
  private final Runnable changed;

  /**
   * An endpoint.
   *
   * @param changed runs after the level was changed
   */
  TxWatchEndpoint(LiveSource source, Runnable changed) {
    this.source = source;
    this.changed = changed;
  }

  @ReadOperation(produces = "application/json")
  String json() {
    return JsonReport.of(report());
  }

  /** Null, which is 404, for another name. */
  @ReadOperation(produces = "text/html")
  @Nullable String page(@Selector String name) {
    return name.equals("page") ? DocumentFormat.HTML.write(report(), SourceFiles.NONE) : null;
  }

  /**
   * Sets {@code txwatch.instrument}. Pools of HikariCP replace their connections, because those
   * that were opened while it was off would stay unwatched.
   *
   * @return the value
   * @throws InvalidEndpointRequestException if it is none, which is 400
   */
  @WriteOperation
  Map<String, String> change(String instrument) {
    try {
      String level = ObservationLevel.change(instrument);
      changed.run();
      return Map.of("instrument", level);
    } catch (SettingException e) {
      String message = String.valueOf(e.getMessage());
      throw new InvalidEndpointRequestException(message, message);
    }
  }

  private Report report() {
    List<Group> groups = source.anomalies();
    Figures figures = source.figures();
    long listed = groups.stream().mapToLong(Group::count).sum();
    return new Report(
        source.name(),
        Instant.now(),
        groups,
        Math.max(0, figures.anomalies() - listed),
        figures.coverage());
  }
}
