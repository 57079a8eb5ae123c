package io.txwatch.bench.nested;

import io.txwatch.analyzer.AnomalyListeners;
import io.txwatch.analyzer.InProcessResults;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.bench.nested.DependencyJudge.Snapshots;
import io.txwatch.bench.nested.DependencyJudge.Truth;
import io.txwatch.bench.overhead.Databases;
import io.txwatch.coverage.Coverage;
import io.txwatch.history.AnalysisQueues;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.TxWatchDriver;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Runs the load on a fresh database of a DBMS, at one level, and judges what was reported. */
final class NestedSoakRun {

  private static final Duration MAX_ANALYSIS = Duration.ofMinutes(5);

  private final ServerKind kind;
  private final IsolationLevel level;
  private final String instrument;
  private final String versions;
  private final boolean isHot;

  NestedSoakRun(
      ServerKind kind, IsolationLevel level, String instrument, String versions, boolean isHot) {
    this.isHot = isHot;
    this.kind = kind;
    this.level = level;
    this.instrument = instrument;
    this.versions = versions;
  }

  /** A reported anomaly and whether it is true. */
  record Judged(Anomaly anomaly, Truth truth) {}

  /**
   * What a run found.
   *
   * @param transactions all of them
   * @param judge the judge, which can be given other anomalies
   * @param confirmed the anomalies that were reported as confirmed
   * @param complete whether all of them are listed
   * @param statements the statements that were watched
   * @param observed those whose rows were observed
   * @param coverage what was observed by this process, also in earlier runs
   * @param seconds the time of the load
   */
  record Result(
      Map<Long, LoggedTransaction> transactions,
      DependencyJudge judge,
      List<Judged> confirmed,
      boolean complete,
      long statements,
      long observed,
      Coverage coverage,
      double seconds) {

    /** The confirmed anomalies of that truth, the possible ones or the others. */
    Stream<Judged> of(Truth truth, boolean possible) {
      return confirmed.stream()
          .filter(each -> each.truth() == truth && each.anomaly().possible() == possible);
    }
  }

  Result run(long seed, int clients, int commits) throws SQLException, InterruptedException {
    if (versions.equals("log")) {
      TestServers.startBy(
          ServerKind.MARIADB,
          () -> MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=1"));
    }
    String url = TestServers.freshDatabase(kind);
    try (Connection raw = DriverManager.getConnection(url)) {
      AuditedTables.create(raw, kind);
    }
    if (!isByValue()) {
      Databases.prepare(url);
    }
    try (Connection raw = DriverManager.getConnection(url)) {
      AuditedTables.audit(raw, kind);
      if (isHot) {
        AuditedTables.copy(raw, kind);
      }
    }
    LoadShape shape = isHot ? LoadShape.hot() : LoadShape.plain(isByValue());
    List<Anomaly> found = new CopyOnWriteArrayList<>();
    boolean wasComplete = isAnalysed();
    Coverage before = coverage();
    Runnable remove = AnomalyListeners.INSTANCE.add(found::add);
    try {
      long started = System.nanoTime();
      Map<Long, LoggedTransaction> log =
          new NestedLoad(seed, clients, commits, shape).run(() -> open(url), () -> unwatched(url));
      double seconds = (System.nanoTime() - started) / 1e9;
      boolean complete = wasComplete && isAnalysed();
      Coverage after = coverage();
      DependencyJudge judge;
      try (Connection raw = DriverManager.getConnection(url)) {
        judge = new DependencyJudge(log, AuditedTables.audited(raw), snapshots());
      }
      List<Judged> judged =
          found.stream()
              .filter(anomaly -> anomaly.confidence() == Confidence.CONFIRMED)
              .map(anomaly -> new Judged(anomaly, judge.judge(anomaly)))
              .toList();
      return new Result(
          log,
          judge,
          judged,
          complete,
          after.statements() - before.statements(),
          after.instrumented() - before.instrumented(),
          after,
          seconds);
    } finally {
      remove.run();
    }
  }

  /** Whether rows are known by their keys and values: then each query is on one table. */
  private boolean isByValue() {
    return List.of("log", "triggers", "statements").contains(versions);
  }

  /** Waits until everything that was observed has been analysed, and passed on. */
  private static boolean isAnalysed() {
    return AnalysisQueues.awaitDelivered(MAX_ANALYSIS)
        && AnomalyListeners.INSTANCE.awaitDelivered(MAX_ANALYSIS);
  }

  private static Coverage coverage() {
    return InProcessResults.all().stream()
        .map(InProcessResults::coverage)
        .reduce(Coverage.NONE, Coverage::plus);
  }

  /**
   * At READ COMMITTED each statement has a snapshot, and so has a query that locks what it reads.
   */
  private Snapshots snapshots() {
    boolean locks =
        level == IsolationLevel.SERIALIZABLE
            && (kind == ServerKind.MYSQL || kind == ServerKind.MARIADB);
    boolean ofStatements =
        locks
            || ((level == IsolationLevel.READ_COMMITTED || level == IsolationLevel.READ_UNCOMMITTED)
                && kind != ServerKind.SQLITE);
    if (kind == ServerKind.H2 && level == IsolationLevel.REPEATABLE_READ) {
      return Snapshots.OF_TABLES;
    }
    return ofStatements ? Snapshots.OF_STATEMENTS : Snapshots.OF_TRANSACTIONS;
  }

  private Connection open(String url) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("txwatch.instrument", instrument);
    properties.setProperty("txwatch.versions", versions);
    properties.setProperty("txwatch.log", "none");
    Connection connection =
        new TxWatchDriver().connect("jdbc:txwatch:" + url.substring("jdbc:".length()), properties);
    if (connection == null) {
      throw new SQLException("txwatch does not take " + url);
    }
    return atLevel(connection);
  }

  private Connection unwatched(String url) throws SQLException {
    return atLevel(DriverManager.getConnection(url));
  }

  private Connection atLevel(Connection connection) throws SQLException {
    connection.setTransactionIsolation(
        switch (level) {
          case READ_UNCOMMITTED -> Connection.TRANSACTION_READ_UNCOMMITTED;
          case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
          case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
          default -> Connection.TRANSACTION_SERIALIZABLE;
        });
    connection.setAutoCommit(false);
    return connection;
  }
}
