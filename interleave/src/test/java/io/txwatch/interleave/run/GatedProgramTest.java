package io.txwatch.interleave.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.catalog.Uninterrupted;
import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.interleave.explore.ExecutedSchedule;
import io.txwatch.interleave.state.TestDatabases;
import io.txwatch.interleave.state.UsedDatabases;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedCall.Type;
import io.txwatch.jdbc.gate.GatedConnection;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which operations can go on before a call. */
class GatedProgramTest {

  private static final String READ = "SELECT n FROM stock WHERE id = 1";
  private static final int A = 0;
  private static final int B = 1;
  private static final int C = 2;

  @Test
  void anOperationIsNotBlockedByTheWaitOfAConnectionThatItHasReturned() throws Exception {
    String url = database();
    try (UsedDatabases databases = new UsedDatabases(TestDatabases.all(), 10);
        Connection shared = watched(url);
        Connection other = watched(url);
        Connection locking = watched(url)) {
      locking.setAutoCommit(false);
      List<Operation> operations =
          List.of(
              new Operation(
                  "A",
                  () -> {
                    execute(shared, READ);
                    return execute(other, "CALL PAUSE(200)", READ);
                  }),
              new Operation("B", () -> execute(shared, "UPDATE stock SET n = 6 WHERE id = 1")),
              new Operation(
                  "C",
                  () -> {
                    execute(locking, "UPDATE stock SET n = 7 WHERE id = 1");
                    locking.commit();
                    return "committed";
                  }));
      GatedProgram program =
          new GatedProgram(
              operations, () -> {}, databases::blocked, databases::touch, Duration.ofSeconds(20));
      int[] order = {A, C, B, A};
      List<Long> enabled = new ArrayList<>();
      program.execute(
          (step, now, last) -> {
            enabled.add(now);
            return step < order.length ? order[step] : Long.numberOfTrailingZeros(now);
          });
      assertThat(enabled).element(order.length).isEqualTo(1L << A | 1L << C);
    }
  }

  @Test
  void anOperationThatIsReleasedWhileWaitsAreReadCanGoOn() throws Exception {
    String url = database();
    try (Connection first = watched(url);
        Connection second = watched(url)) {
      List<Operation> operations =
          List.of(
              new Operation("A", () -> execute(first, "CALL PAUSE(500)", READ)),
              new Operation("B", () -> execute(second, "CALL PAUSE(50)", READ)));
      List<Long> connections = new ArrayList<>();
      AtomicBoolean isReleased = new AtomicBoolean();
      Waits waits =
          () -> {
            if (isReleased.get() || connections.isEmpty()) {
              return Set.of();
            }
            if (connections.size() == 2) {
              pause(200); // meanwhile, B's call returns
              isReleased.set(true);
            }
            return Set.of(connections.get(A));
          };
      GatedProgram program =
          new GatedProgram(
              operations,
              () -> {},
              waits,
              call -> connections.add(call.connection().number()),
              Duration.ofSeconds(20));
      List<Long> enabled = new ArrayList<>();
      program.execute(
          (step, now, last) -> {
            enabled.add(now);
            return Long.numberOfTrailingZeros(now);
          });
      assertThat(enabled).startsWith(1L << A | 1L << B, 1L << B, 1L << A | 1L << B);
    }
  }

  /** An operation does not end at once, and whoever executes it does not wait for that. */
  @Test
  void anInterruptedExecutionLetsGoOfTheCallsOfTheProcess() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    Operation one =
        new Operation("A", () -> Uninterrupted.await(ended, Duration.ofSeconds(20)) ? "" : "late");
    GatedProgram program =
        new GatedProgram(List.of(one), () -> {}, Set::of, call -> {}, Duration.ofSeconds(20));
    FutureTask<ExecutedSchedule> execution =
        new FutureTask<>(() -> program.execute((step, now, last) -> A));
    Thread thread = BackgroundThreads.create("execution", execution);
    thread.start();
    while (thread.isAlive()) {
      thread.interrupt(); // while it waits for a call, and while it waits for the operation's end
      thread.join(50);
    }
    assertThat(ended.getCount()).isEqualTo(1);
    assertThat(Gates.installed()).isNull();
    ended.countDown();
  }

  /** Others' calls are made while this thread has the program's lock. */
  @Test
  void callsOfOtherThreadsPassNoLock() throws Exception {
    List<Boolean> passed = new ArrayList<>();
    Runnable others =
        () -> {
          passed.add(passesNoLock(Type.STATEMENT, StatementKind.UPDATE));
          passed.add(passesNoLock(Type.STATEMENT, StatementKind.SELECT));
          passed.add(passesNoLock(Type.COMMIT, StatementKind.OTHER));
        };
    GatedCall step = call(new NumberedConnection(1, others), Type.STATEMENT, StatementKind.UPDATE);
    Operation one =
        new Operation(
            "A",
            () -> {
              requireNonNull(Gates.installed()).before(step);
              return "executed";
            });
    GatedProgram program =
        new GatedProgram(List.of(one), () -> {}, Set::of, call -> {}, Duration.ofSeconds(20));
    program.execute((place, now, last) -> A);
    assertThat(passed).isNotEmpty().doesNotContain(false);
    assertThat(program.lines()).hasSize(1);
    assertThat(program.unownedCalls()).isEqualTo(passed.size());
    assertThat(program.lastUnownedWrites()).isEqualTo(passed.size() * 2 / 3);
  }

  /** Whether a thread that takes no part can make a call although this one has a lock. */
  private static boolean passesNoLock(Type type, StatementKind kind) {
    Gate gate = requireNonNull(Gates.installed());
    GatedCall call = call(new NumberedConnection(2, () -> {}), type, kind);
    Thread other = BackgroundThreads.create("other", () -> gate.before(call));
    other.start();
    while (other.isAlive()) {
      ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(other.getId());
      if (info != null && info.getLockOwnerId() == Thread.currentThread().getId()) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  private static GatedCall call(GatedConnection connection, Type type, StatementKind kind) {
    GatedCall.Statement statement =
        new GatedCall.Statement(kind, kind.name(), "", List.of(), kind.name(), Set.of());
    return new GatedCall(connection, type, true, false, List.of(statement), "");
  }

  /** A connection whose number is read under the program's lock. */
  private record NumberedConnection(long value, Runnable whenRead) implements GatedConnection {
    @Override
    public IsolationLevel level() {
      return IsolationLevel.UNKNOWN;
    }

    @Override
    public long number() {
      whenRead.run();
      return value;
    }

    @Override
    public Database database() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean keepsSnapshot() {
      return false;
    }

    @Override
    public boolean isAutocommit() {
      return true;
    }

    @Override
    public Connection openAnother() {
      throw new UnsupportedOperationException();
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String database() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.H2);
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
          "INSERT INTO stock VALUES (1, 5)",
          "CREATE ALIAS PAUSE FOR 'java.lang.Thread.sleep(long)'");
    }
    return url;
  }

  private static Connection watched(String url) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    return DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings);
  }

  private static Object execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
      return "executed";
    }
  }
}
