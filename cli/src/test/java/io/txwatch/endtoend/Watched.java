package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.capture.Pipeline;
import io.txwatch.coverage.Coverage;
import io.txwatch.dbms.Workspace;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.product.registry.Products;
import io.txwatch.report.JsonReport;
import io.txwatch.schedule.ScheduleExecutor.Application;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A watched application: it reaches its database through {@code jdbc:txwatch:}, with a history and
 * a report in files of its own. Closed, everything that happened has been written and analysed.
 */
final class Watched implements Application, AutoCloseable {

  /** Where versions come from while the tables stay as they are. */
  private static final Set<String> BY_VALUE = Set.of("log", "triggers", "statements");

  private final Properties properties = new Properties();
  private final Path history;
  private final Path report;

  /**
   * An application that has not connected yet.
   *
   * @param folder for the two files
   * @param more further settings
   */
  Watched(Path folder, Map<String, String> more) {
    this.history = folder.resolve("history.txw");
    this.report = folder.resolve("report.jsonl");
    properties.setProperty("txwatch.history", history.toString());
    properties.setProperty("txwatch.report", report.toString());
    properties.setProperty("txwatch.log", "none");
    properties.setProperty("txwatch.redact", "false");
    properties.putAll(more);
  }

  /** Adds the auxiliary columns to every table, where tables can have them. */
  static void prepare(Connection connection) throws SQLException {
    String url = connection.getMetaData().getURL();
    Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(10));
    if (!preparation.isPossible()) {
      return;
    }
    PreparationResult result = preparation.execute(preparation.planPrepare(List.of()));
    if (!result.complete()) {
      throw new IllegalStateException("not prepared: " + result.failed());
    }
  }

  /** Two transactions read an account's balance, and both write it. */
  static void loseAnUpdate(String url, Properties settings) throws SQLException {
    try (Connection one = DriverManager.getConnection(url, settings);
        Connection other = DriverManager.getConnection(url, settings);
        Statement ofOne = one.createStatement();
        Statement ofOther = other.createStatement()) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      for (Statement each : List.of(ofOne, ofOther)) {
        try (ResultSet rows = each.executeQuery("SELECT balance FROM account WHERE id = 1")) {
          assertThat(rows.next()).isTrue();
        }
      }
      ofOne.execute("UPDATE account SET balance = 90 WHERE id = 1");
      one.commit();
      ofOther.execute("UPDATE account SET balance = 80 WHERE id = 1");
      other.commit();
    }
  }

  /** How many transactions a history saw end. */
  static long commits(Path history) throws IOException {
    List<Event> events = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(events::add);
    }
    return events.stream().filter(Event.TransactionEnded.class::isInstance).count();
  }

  @Override
  public void prepare(Workspace workspace, boolean isNew) throws SQLException {
    if (BY_VALUE.contains(properties.getProperty("txwatch.versions", "auto"))) {
      return;
    }
    try (Connection connection = workspace.connect()) {
      prepare(connection);
    }
  }

  @Override
  public Connection connect(Workspace workspace, String session) throws SQLException {
    return workspace.connect(this::connect);
  }

  /** A new watched connection to what is behind a vendor's URL. */
  Connection connect(String vendorUrl) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:txwatch:" + vendorUrl.substring("jdbc:".length()), properties);
  }

  @Override
  public void close() {
    Pipeline.of(Settings.ofUrlProperties(properties)).close();
  }

  /** After closing: what was reported while it ran. */
  List<ReportedAnomaly> reported() throws IOException {
    return ReportedAnomaly.readAll(report);
  }

  /** After closing: every event, as a reader of the file gets it. */
  List<Event> events() throws IOException {
    List<Event> events = new ArrayList<>();
    forEachEvent(events::add);
    return events;
  }

  /** After closing: every event, one after the other, as a reader of the file gets it. */
  void forEachEvent(Consumer<Event> action) throws IOException {
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(action);
    }
  }

  /** After closing: copies the recorded history over a file. */
  void copyHistory(Path to) throws IOException {
    Files.copy(history, to, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The result of analysing the recorded history afterwards. */
  record Afterwards(List<ReportedAnomaly> anomalies, Coverage coverage) {}

  /** After closing: analyses the recorded history. */
  Afterwards analysedAfterwards() throws IOException {
    List<String> lines = new ArrayList<>();
    Coverage coverage;
    try (HistoryReader reader = HistoryReader.open(history);
        Analyzer analyzer =
            new Analyzer(Judge.named("dbms"), anomaly -> lines.add(JsonReport.anomaly(anomaly)))) {
      reader.forEach(analyzer::accept);
      coverage = analyzer.coverage();
    }
    List<ReportedAnomaly> anomalies = new ArrayList<>();
    for (String line : lines) {
      anomalies.add(ReportedAnomaly.parse(line));
    }
    return new Afterwards(anomalies, coverage);
  }
}
