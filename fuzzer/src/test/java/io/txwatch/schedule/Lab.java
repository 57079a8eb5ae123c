package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Laboratory;
import io.txwatch.oracle.ServerLaboratory;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A workspace on a real server, for tests. */
public final class Lab implements AutoCloseable {

  private final ServerLaboratory laboratory;

  public Lab(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    if (kind == ServerKind.SQLITE) {
      url += "?journal_mode=WAL";
    }
    laboratory =
        new ServerLaboratory(Dbms.of(url, DriverManager::getConnection), Duration.ofSeconds(60));
  }

  public Dbms dbms() {
    return laboratory.dbms();
  }

  /** For oracles. */
  public Laboratory laboratory() {
    return laboratory;
  }

  public Execution execute(TestCase testCase, IsolationLevel level) throws Exception {
    return laboratory.execute(testCase, level);
  }

  public Execution execute(String testCase, String level) throws Exception {
    return execute(CaseReader.parse("test", testCase), IsolationLevel.parse(level).orElseThrow());
  }

  @Override
  public void close() throws SQLException {
    laboratory.close();
  }
}
