package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A workspace on a real server. */
public final class ExecutorFixture implements AutoCloseable {

  private final ServerCaseExecutor executor;

  public ExecutorFixture(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    if (kind == ServerKind.SQLITE) {
      url += "?journal_mode=WAL";
    }
    executor =
        new ServerCaseExecutor(
            DbmsRegistry.connect(url, DriverManager::getConnection), Duration.ofSeconds(60));
  }

  public Dbms dbms() {
    return executor.dbms();
  }

  /** The executor for oracles. */
  public CaseExecutor executor() {
    return executor;
  }

  public CaseExecution execute(TestCase testCase, IsolationLevel level) throws Exception {
    return executor.execute(testCase, level);
  }

  public CaseExecution execute(String testCase, String level) throws Exception {
    return execute(CaseReader.parse("test", testCase), IsolationLevel.parse(level).orElseThrow());
  }

  @Override
  public void close() throws SQLException {
    executor.close();
  }
}
