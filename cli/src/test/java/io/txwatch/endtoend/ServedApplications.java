package io.txwatch.endtoend;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.capture.Pipeline;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryWriter;
import io.txwatch.link.Address;
import io.txwatch.serve.AnalysisServer;
import io.txwatch.serve.ServerListener;
import io.txwatch.serve.ServerOptions;
import io.txwatch.settings.Settings;
import io.txwatch.stale.Across;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;

/** Services that report to one analyzer over TCP, and what it found. */
final class ServedApplications implements AutoCloseable, ServerListener {

  private static final String TOKEN = "the token of these tests";

  private final List<Anomaly> found = new CopyOnWriteArrayList<>();
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<Properties> services = new ArrayList<>();
  private final AnalysisServer server;

  ServedApplications() throws IOException {
    server =
        AnalysisServer.open(
            new ServerOptions(
                new Address(false, "127.0.0.1", 0),
                Optional.empty(),
                TOKEN,
                Optional.empty(),
                HistoryWriter.MAX_FILE_BYTES,
                Judge.DBMS,
                Granularity.DEFAULT,
                Across.OFF,
                Baseline.NONE,
                ServerOptions.GRACE,
                ServerOptions.SILENCE,
                64 << 20),
            this);
  }

  /** The settings by which a service reports to the analyzer. */
  Map<String, String> settings(String service) {
    return Map.of(
        "txwatch.analyzer",
        "tcp://127.0.0.1:" + server.address().getPort(),
        "txwatch.token",
        TOKEN,
        "txwatch.service",
        service,
        "txwatch.log",
        "none");
  }

  /** A service in this process, with settings of its own. */
  Service service(String name, Map<String, String> settings) {
    Properties properties = new Properties();
    properties.putAll(settings(name));
    properties.putAll(settings);
    services.add(properties);
    return url ->
        DriverManager.getConnection("jdbc:txwatch:" + url.substring("jdbc:".length()), properties);
  }

  /** A service that connects to a database. */
  interface Service {
    Connection connect(String vendorUrl) throws SQLException;
  }

  /** After closing: what was found. */
  List<Anomaly> found() {
    return found;
  }

  /** What the analyzer logged. */
  List<String> lines() {
    return lines;
  }

  @Override
  public void found(Anomaly anomaly, boolean replayed) {
    found.add(anomaly);
  }

  @Override
  public void log(String line) {
    lines.add(line);
  }

  /** Ends the services, which send what they have, and then the analyzer. */
  @Override
  public void close() {
    for (Properties service : services) {
      Pipeline.of(Settings.ofUrlProperties(service)).close();
    }
    server.close();
  }
}
