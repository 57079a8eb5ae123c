package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Laboratory;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A workspace on a real server, for tests. */
public final class Lab implements AutoCloseable {

  private final Dbms dbms;
  private final Workspace workspace;
  private final ScheduleExecutor executor;

  public Lab(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    if (kind == ServerKind.SQLITE) {
      url += "?journal_mode=WAL";
    }
    dbms = Dbms.of(url, DriverManager::getConnection);
    workspace = dbms.newWorkspace();
    executor = new ScheduleExecutor(dbms, workspace, Duration.ofSeconds(60));
  }

  public Dbms dbms() {
    return dbms;
  }

  /** For oracles. */
  public Laboratory laboratory() {
    return Laboratory.of(dbms, executor);
  }

  public Execution execute(TestCase testCase, IsolationLevel level) throws Exception {
    return executor.execute(testCase, level);
  }

  public Execution execute(String testCase, String level) throws Exception {
    return execute(CaseReader.parse("test", testCase), IsolationLevel.parse(level).orElseThrow());
  }

  @Override
  public void close() throws SQLException {
    executor.close();
    workspace.close();
  }
}
