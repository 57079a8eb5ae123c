package io.txwatch.corpus.suite;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.ExecutionMethod;
import io.txwatch.corpus.Outcome;
import io.txwatch.corpus.Script.Step;
import io.txwatch.corpus.StatementTraits;
import io.txwatch.corpus.Watching;
import io.txwatch.corpus.sent.GeneralLog;
import io.txwatch.corpus.sent.RecordedConnection;
import io.txwatch.corpus.sent.SentDifferences;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Sends scripts to one DBMS, each twice raw and once for each way of watching by value, each time
 * to an empty database, on one connection. Compares what reached the driver, on MySQL and MariaDB
 * also what reached the server, and what the application sees; of the latter only what is the same
 * in both raw runs.
 */
final class SentScriptsRunner implements AutoCloseable {

  /** Counts of one way of watching. */
  static final class Tally {
    SentDifferences calls = new SentDifferences(0, 0, List.of(), List.of());
    SentDifferences received = new SentDifferences(0, 0, List.of(), List.of());
    long outcomes;
    final List<Anomaly> anomalies = new ArrayList<>();
  }

  /** What became of a script: what it saw step by step, and what was sent. */
  private record Run(
      List<List<String>> outcomes, long failed, List<String> calls, List<String> received) {}

  private static final int TRANSACTION_LENGTH = 10;
  private static final Set<String> SYSTEM =
      Set.of("information_schema", "mysql", "performance_schema", "sys");

  private final ServerKind kind;
  private final boolean transactions;
  private final Map<String, Tally> tallies = new LinkedHashMap<>();
  private final Map<String, Analyzer> analyzers = new LinkedHashMap<>();

  /** One for all scripts: a reader of changes outlives a script, and goes on sending to its own. */
  private final Map<String, Pipeline> pipelines = new LinkedHashMap<>();

  private DatabaseServer server;
  private int databases;
  private int scripts;
  private long statements;
  private long failed;
  private long unstable;
  private long ended;

  /**
   * Starts a server, if the DBMS is one.
   *
   * @param transactions true if ten statements are one transaction
   * @param versions values of {@code txwatch.versions}
   */
  SentScriptsRunner(ServerKind kind, boolean transactions, List<String> versions) {
    this.kind = kind;
    this.transactions = transactions;
    for (String value : versions) {
      Tally tally = new Tally();
      tallies.put(value, tally);
      Analyzer analyzer = new Analyzer(Judge.named("dbms"), tally.anomalies::add);
      analyzers.put(value, analyzer);
      pipelines.put(value, new Pipeline(Ids.ofNode(1), new OneAtATime(analyzer)));
    }
    this.server = start(kind);
  }

  Map<String, Tally> tallies() {
    return tallies;
  }

  int scripts() {
    return scripts;
  }

  /** The number of statements that were sent in each run. */
  long statements() {
    return statements;
  }

  long failed() {
    return failed;
  }

  /** The number of statements whose outcome differs between two raw runs. */
  long unstable() {
    return unstable;
  }

  /** The number of scripts that ended the connection or the server raw; they are not compared. */
  long ended() {
    return ended;
  }

  private static DatabaseServer start(ServerKind kind) {
    return switch (kind) {
      case MYSQL -> MySqlServer.start();
      case MARIADB -> MariaDbServer.start("--log-bin", "--binlog-format=ROW");
      case POSTGRESQL -> PostgresServer.start();
      case H2, SQLITE -> TestServers.of(kind);
    };
  }

  /** Runs a script in all ways; each difference is described, with its place. */
  void run(ScriptFile script, String name, Consumer<String> differences) throws SQLException {
    Optional<Run> one = run(script, "");
    Optional<Run> other = one.isEmpty() ? one : run(script, "");
    if (one.isEmpty() || other.isEmpty()) {
      ended++;
      return;
    }
    scripts++;
    Run raw = one.get();
    statements += raw.outcomes().size();
    failed += raw.failed();
    for (int i = 0; i < raw.outcomes().size(); i++) {
      unstable += raw.outcomes().get(i).equals(other.get().outcomes().get(i)) ? 0 : 1;
    }
    for (Map.Entry<String, Tally> entry : tallies.entrySet()) {
      Tally tally = entry.getValue();
      String at = kind + " " + entry.getKey() + " " + name;
      Optional<Run> watched = run(script, entry.getKey());
      if (watched.isEmpty()) {
        tally.outcomes++;
        differences.accept(at + ": only watched, the connection ended");
        continue;
      }
      SentDifferences calls = SentDifferences.ofConnection(raw.calls(), watched.get().calls());
      SentDifferences received =
          SentDifferences.ofConnection(raw.received(), watched.get().received());
      calls.differences().forEach(d -> differences.accept(at + ": call " + d));
      received.differences().forEach(d -> differences.accept(at + ": received " + d));
      tally.calls = tally.calls.plus(calls);
      tally.received = tally.received.plus(received);
      for (int i = 0; i < raw.outcomes().size(); i++) {
        List<String> expected = raw.outcomes().get(i);
        List<String> seen = watched.get().outcomes().get(i);
        if (expected.equals(other.get().outcomes().get(i)) && !expected.equals(seen)) {
          tally.outcomes++;
          SqlLogicTestFile.Entry statement = script.statements().get(i);
          SentDifferences lines = SentDifferences.ofConnection(expected, seen);
          differences.accept(
              at
                  + ":"
                  + statement.line()
                  + ": seen of "
                  + statement.sql()
                  + "\n  "
                  + lines.differences().get(0));
        }
      }
    }
  }

  /**
   * Sends a script.
   *
   * @param versions the value of {@code txwatch.versions}; empty: not watched
   * @return empty if it ended the connection
   */
  private Optional<Run> run(ScriptFile script, String versions) throws SQLException {
    String url = database(script);
    Connection real = DriverManager.getConnection(url);
    try (real;
        GeneralLog log = isLogged() ? GeneralLog.begin(server.connect()) : null) {
      long number = log == null ? 0 : GeneralLog.numberOf(real);
      RecordedConnection recorded = RecordedConnection.of(real);
      List<List<String>> outcomes = new ArrayList<>();
      long failures;
      try (Connection connection =
          versions.isEmpty()
              ? recorded.connection()
              : Watching.byValue(
                  recorded.connection(),
                  url,
                  versions,
                  server.user(),
                  Objects.requireNonNull(pipelines.get(versions)))) {
        if (log != null) {
          log.clear();
        }
        recorded.clear();
        failures = send(connection, script, outcomes);
        if (kind.isServer() && !real.isValid(2)) {
          return Optional.empty();
        }
      }
      List<String> received =
          log == null ? List.of() : log.commands().getOrDefault(number, List.of());
      return Optional.of(new Run(outcomes, failures, recorded.sent(), received));
    } catch (SQLException e) {
      System.err.println(script.path() + ": " + e);
      restartIfDead();
      return Optional.empty();
    }
  }

  private boolean isLogged() {
    return kind == ServerKind.MYSQL || kind == ServerKind.MARIADB;
  }

  private long send(Connection connection, ScriptFile script, List<List<String>> outcomes)
      throws SQLException {
    long failures = 0;
    connection.setAutoCommit(!transactions);
    int sent = 0;
    for (SqlLogicTestFile.Entry entry : script.statements()) {
      Step step = new Step(entry.sql(), List.of(), method(entry.sql(), sent++));
      Outcome outcome =
          Outcome.of(
              StatementTraits.isOrdered(step.sql()),
              kind == ServerKind.SQLITE,
              seen -> step.method().execute(connection, step, seen));
      failures += outcome.failed() ? 1 : 0;
      if (transactions) {
        end(connection, outcome, sent % TRANSACTION_LENGTH == 0);
      }
      outcomes.add(outcome.lines());
    }
    return failures;
  }

  /** An error ends the transaction, as PostgreSQL requires. */
  private static void end(Connection connection, Outcome outcome, boolean commits) {
    try {
      if (outcome.failed()) {
        connection.rollback();
      } else if (commits) {
        connection.commit();
      }
    } catch (SQLException e) {
      outcome.line("end: SQLState " + e.getSQLState() + " " + e.getErrorCode());
    }
  }

  /** Chooses an execution method in turn. */
  private ExecutionMethod method(String sql, int turn) {
    if (!StatementTraits.isQueryOrWrite(sql)) {
      return turn % 5 == 4 ? ExecutionMethod.PREPARED : ExecutionMethod.PLAIN;
    }
    boolean writes = StatementTraits.mayWrite(sql);
    return switch (turn % 4) {
      case 0 -> ExecutionMethod.PLAIN;
      case 1 -> ExecutionMethod.PREPARED;
      case 2 -> writes ? ExecutionMethod.BATCH : ExecutionMethod.PREPARED;
      default ->
          writes
              ? ExecutionMethod.GENERATED_KEYS
              : kind == ServerKind.SQLITE ? ExecutionMethod.PLAIN : ExecutionMethod.SCROLLED;
    };
  }

  /**
   * The URL of an empty database. On MySQL and MariaDB it has the name that mysqltest's scripts
   * expect, and what other scripts left is removed; by turn statements are prepared at the server.
   */
  private String database(ScriptFile script) throws SQLException {
    if (!isLogged()) {
      String url = server.newDatabase("txw_1_" + ++databases);
      return kind == ServerKind.SQLITE ? url + "?synchronous=OFF" : url;
    }
    restartIfDead();
    try (Connection own = server.connect();
        Statement statement = own.createStatement()) {
      List<String> names = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery("SHOW DATABASES")) {
        while (rows.next()) {
          names.add(rows.getString(1));
        }
      }
      statement.execute("SET foreign_key_checks = 0, lock_wait_timeout = 10");
      for (String name : names) {
        if (!SYSTEM.contains(name) && !name.equals("test")) {
          statement.execute("DROP DATABASE `" + name.replace("`", "``") + "`");
        }
      }
    }
    String limits =
        kind == ServerKind.MARIADB
            ? "max_statement_time=10,lock_wait_timeout=3,innodb_lock_wait_timeout=3"
            : "max_execution_time=10000,lock_wait_timeout=3,innodb_lock_wait_timeout=3";
    return server.newDatabase("test")
        + "&sessionVariables="
        + limits
        + "&socketTimeout=60000"
        + (Math.floorMod(script.path().getFileName().toString().hashCode(), 2) == 0
            ? "&useServerPrepStmts=true"
            : "");
  }

  private void restartIfDead() {
    if (kind.isServer()) {
      try {
        server.connect().close();
      } catch (SQLException e) {
        System.err.println("the server ended, it is started again: " + e.getMessage());
        server.close();
        server = start(kind);
      }
    }
  }

  @Override
  public void close() {
    analyzers.values().forEach(Analyzer::close);
    if (kind.isServer()) {
      server.close();
    }
  }

  /**
   * The reader of changes and the application send events, and the analyzer takes one at a time.
   */
  private record OneAtATime(Analyzer analyzer) implements EventSink {

    @Override
    public void accept(Event event) {
      synchronized (analyzer) {
        analyzer.accept(event);
      }
    }

    @Override
    public void close() {}
  }
}
