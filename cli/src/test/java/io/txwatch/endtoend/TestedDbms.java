package io.txwatch.endtoend;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.Workspace;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.JdbcCallStyle;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.ScheduleExecutor.Application;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A DBMS of the suite, with a place of its own for scenarios to run in, one at a time. */
final class TestedDbms implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Connector CONNECTOR = DriverManager::getConnection;

  /** What the names of HSQLDB's transaction models begin with. */
  private static final String HSQLDB = "hsqldb-";

  private final String name;
  private final Dbms dbms;
  private final Workspace workspace;
  private final SerialOrders serialOrders = new SerialOrders(this);
  private @Nullable ScheduleExecutor serially;

  TestedDbms(ServerKind kind) throws SQLException, UnsupportedDbmsException {
    this(kind, TestServers.freshDatabase(kind));
  }

  /** A DBMS at the URL of an empty database. */
  TestedDbms(ServerKind kind, String url) throws SQLException, UnsupportedDbmsException {
    this(
        nameOf(kind),
        kind == ServerKind.SQLITE ? waitingSqlite(url, "") : DbmsRegistry.connect(url, CONNECTOR));
  }

  private TestedDbms(String name, Dbms dbms) throws SQLException {
    this.name = name;
    this.dbms = dbms;
    this.workspace = dbms.newWorkspace();
  }

  private static String nameOf(ServerKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static Dbms waitingSqlite(String url, String parameters)
      throws SQLException, UnsupportedDbmsException {
    return new WaitingSqlite(
        DbmsRegistry.connect(url + "?journal_mode=WAL&synchronous=OFF" + parameters, CONNECTOR));
  }

  /**
   * HSQLDB in memory, by the name {@code hsqldb-MODEL}.
   *
   * @param model the transaction model: {@code locks}, {@code mvlocks} or {@code mvcc}
   */
  static TestedDbms hsqldb(String model) throws SQLException, UnsupportedDbmsException {
    String url = "jdbc:hsqldb:mem:scenarios-" + model + ";hsqldb.tx=" + model;
    return new TestedDbms(HSQLDB + model, DbmsRegistry.connect(url, CONNECTOR));
  }

  /** SQLite whose sessions share a cache, as they must to read what is not committed. */
  static TestedDbms sqliteWithSharedCache() throws SQLException, UnsupportedDbmsException {
    String url = TestServers.freshDatabase(ServerKind.SQLITE);
    return new TestedDbms(
        nameOf(ServerKind.SQLITE),
        waitingSqlite(url.replace("jdbc:sqlite:", "jdbc:sqlite:file:"), "&cache=shared"));
  }

  /** Its name in the table of expectations. */
  String name() {
    return name;
  }

  /** True if its statements are never rewritten, so rows are known by their values alone. */
  boolean isByStatementOnly() {
    return name.startsWith(HSQLDB);
  }

  /** True for MySQL, which takes tens of milliseconds to create or drop a table. */
  boolean isSlow() {
    return name.equals(nameOf(ServerKind.MYSQL));
  }

  /** True for SQLite, where a transaction can lock at its beginning, and a read cannot. */
  boolean locksAtBegin() {
    return name.equals(nameOf(ServerKind.SQLITE));
  }

  SerialOrders serialOrders() {
    return serialOrders;
  }

  /** Runs a case unwatched. */
  ScenarioRun run(TestCase scenario, IsolationLevel level, JdbcCallStyle style)
      throws SQLException, SetupException, InterruptedException {
    return run(scenario, level, style, Application.PLAIN);
  }

  /**
   * Runs a case whose transactions come one after another, at the strongest level, on connections
   * that did so before: what SQLite's driver counts for a BEGIN is left over from then.
   */
  ScenarioRun runSerially(TestCase serial)
      throws SQLException, SetupException, InterruptedException {
    ScheduleExecutor executor = serially;
    if (executor == null) {
      executor = new ScheduleExecutor(dbms, workspace, PATIENCE);
      serially = executor;
    }
    return run(executor, serial, dbms.levels().get(dbms.levels().size() - 1));
  }

  /** Runs a case watched by that application's settings. */
  ScenarioRun run(
      TestCase scenario, IsolationLevel level, JdbcCallStyle style, Application application)
      throws SQLException, SetupException, InterruptedException {
    try (ScheduleExecutor executor =
        new ScheduleExecutor(dbms, workspace, PATIENCE, application, style)) {
      return run(executor, scenario, level);
    }
  }

  private static ScenarioRun run(ScheduleExecutor executor, TestCase scenario, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    CaseExecution execution = executor.execute(scenario, level);
    if (execution.undecided().isPresent()) {
      throw new IllegalStateException(execution.toString());
    }
    return new ScenarioRun(execution);
  }

  @Override
  public void close() throws SQLException {
    if (serially != null) {
      serially.close();
    }
    workspace.close();
  }
}
