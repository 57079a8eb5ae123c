package io.txwatch.proof;

import io.txwatch.capture.Pipeline;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.Watch;
import io.txwatch.predict.LevelledCandidate;
import io.txwatch.predict.ObservedOperation;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.predict.TemplateCollector;
import io.txwatch.schedule.CaseInterleaver;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** An application with one client, whose operations are observed on a real DBMS. */
final class ObservedApplication implements AutoCloseable {

  /** Its bound is the number of orders, so that a busy machine gives no other verdict. */
  private static final Duration MAX_TIME = Duration.ofMinutes(10);

  private final String url;
  private final TemplateCollector collector = new TemplateCollector();
  private final Pipeline pipeline =
      new Pipeline(
          Ids.random(),
          new EventSink() {
            @Override
            public synchronized void accept(Event event) {
              collector.accept(event);
            }

            @Override
            public void close() {}
          });
  private final Connection connection;
  private Duration maxTimeOfRepairs = Duration.ZERO;

  ObservedApplication(ServerKind kind, String... setup) throws SQLException {
    this(freshDatabase(kind, setup));
    connection.setAutoCommit(false);
  }

  /** An application whose tables are there. */
  ObservedApplication(String url) throws SQLException {
    this.url = url;
    connection =
        Watch.connection(
            DriverManager.getConnection(url),
            url,
            "",
            () -> DriverManager.getConnection(url),
            Settings.of(Map.of(Setting.PREDICT, "on", Setting.LOG, "none")),
            pipeline);
  }

  private static String freshDatabase(ServerKind kind, String... setup) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      for (String sql : setup) {
        statement.execute(sql);
      }
    }
    return url;
  }

  /** Its only connection, which is watched. */
  Connection connection() {
    return connection;
  }

  /** What an operation does with its connection. */
  interface Work {
    void run(ObservedApplication application) throws SQLException;
  }

  /** Executes an operation as one transaction. */
  ObservedApplication run(Work work) throws SQLException {
    work.run(this);
    connection.commit();
    return this;
  }

  /** The rows of a query, as texts. */
  List<List<String>> query(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement select = prepare(sql, parameters);
        ResultSet result = select.executeQuery()) {
      List<List<String>> rows = new ArrayList<>();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(result.getObject(i)));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  /** The schema or database that its tables are in. */
  String schema() throws SQLException {
    return connection.getSchema() == null ? connection.getCatalog() : connection.getSchema();
  }

  /** The number in the first column of the first row. */
  int number(String sql, Object... parameters) throws SQLException {
    return Integer.parseInt(query(sql, parameters).get(0).get(0));
  }

  /** The rows that a statement changes. */
  int update(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement update = prepare(sql, parameters)) {
      return update.executeUpdate();
    }
  }

  private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  /** The operations as they were observed. */
  List<ObservedOperation> operations() {
    return collector.operations();
  }

  /** The next proofs try repairs, too. */
  ObservedApplication withRepairs() {
    maxTimeOfRepairs = MAX_TIME;
    return this;
  }

  /** Proves all candidates at the levels that the operations ran at. */
  List<RaceProof> prove() throws Exception {
    return prove(candidate -> true);
  }

  /** Proves some of the candidates at the levels that the operations ran at. */
  List<RaceProof> prove(Predicate<RaceCandidate> chosen) throws Exception {
    List<ObservedOperation> operations = collector.operations();
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    List<RaceProof> proofs = new ArrayList<>();
    try (Connection source = DriverManager.getConnection(url)) {
      RaceProver prover =
          new RaceProver(
              dbms,
              source,
              new CaseInterleaver(dbms, 3, 200),
              operations,
              MAX_TIME,
              maxTimeOfRepairs);
      for (LevelledCandidate candidate :
          LevelledCandidate.asSeen(
              operations.stream().map(ObservedOperation::template).toList(), dbms.database())) {
        if (chosen.test(candidate.candidate())) {
          proofs.add(prover.prove(candidate.candidate(), candidate.levels()));
        }
      }
    }
    return proofs;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    pipeline.close();
  }
}
