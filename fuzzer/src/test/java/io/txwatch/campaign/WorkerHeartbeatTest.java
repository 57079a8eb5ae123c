package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerHeartbeatTest {

  private static final String QUICK =
      """
      I: CREATE TABLE t (v INT)
      T1: INSERT INTO t VALUES (1)
      """;

  /** H2 retries the second INSERT until the transaction ends that holds its key. */
  private static final String ABANDONED =
      """
      I: CREATE TABLE t (a INT PRIMARY KEY, v INT UNIQUE)
      T1: BEGIN
      T1: INSERT INTO t VALUES (1, 1)
      T2: INSERT INTO t VALUES (2, 1)
      T1: COMMIT
      """;

  /**
   * A session that was closed while it executed something may be what the server waits for when it
   * does not respond to the next case.
   */
  @Test
  void anAbandonedCaseIsSuspectedUntilTheNextOneIsOver() throws Exception {
    WorkerHeartbeat heartbeat = new WorkerHeartbeat();
    List<String> suspects = new ArrayList<>();
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecutor observed =
          (CaseExecutor)
              Proxy.newProxyInstance(
                  CaseExecutor.class.getClassLoader(),
                  new Class<?>[] {CaseExecutor.class},
                  (proxy, method, arguments) -> {
                    suspects.add(heartbeat.suspect().orElseThrow().testCase().name());
                    return method.invoke(fixture.executor(), arguments);
                  });
      CaseExecutor executor = heartbeat.monitoring(observed);

      assertThat(execute(executor, "first", QUICK).undecided()).isEmpty();
      assertThat(execute(executor, "abandoned", ABANDONED).undecided()).isPresent();
      assertThat(execute(executor, "third", QUICK).undecided()).isEmpty();
      assertThat(execute(executor, "fourth", QUICK).undecided()).isEmpty();
    }
    assertThat(suspects).containsExactly("first", "abandoned", "abandoned", "fourth");
  }

  private static CaseExecution execute(CaseExecutor executor, String name, String text)
      throws Exception {
    TestCase testCase = CaseReader.parse(name, text);
    return executor.execute(testCase, IsolationLevel.READ_COMMITTED);
  }
}
