package io.txwatch.changes.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.h2.api.ErrorCode;
import org.h2.api.Trigger;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.schema.TriggerObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements of the application, while txwatch creates and drops triggers, do what they did. */
@Timeout(60)
class TriggerDdlTest {

  private static final String URL = "jdbc:h2:mem:ddl";

  private Connection connection;
  private Statement statement;
  private TriggerSource source;

  @BeforeEach
  void open() throws SQLException {
    connection = DriverManager.getConnection(URL);
    statement = connection.createStatement();
    statement.execute("CREATE TABLE t(id INT PRIMARY KEY, n INT)");
    statement.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
    source = TriggerSource.of(connection);
    AtFirstRow.reached = new CountDownLatch(1);
    AtFirstRow.goesOn = new CountDownLatch(1);
  }

  @AfterEach
  void closeAll() throws SQLException {
    AtFirstRow.goesOn.countDown();
    source.close();
    connection.close();
  }

  /** A trigger of the application at which a statement stays, at its first row. */
  public static final class AtFirstRow implements Trigger {
    private static volatile CountDownLatch reached = new CountDownLatch(0);
    private static volatile CountDownLatch goesOn = new CountDownLatch(0);

    @Override
    public void fire(
        Connection connection,
        @Nullable Object @Nullable [] before,
        @Nullable Object @Nullable [] after)
        throws SQLException {
      reached.countDown();
      try {
        if (!goesOn.await(30, TimeUnit.SECONDS)) {
          throw new SQLException("nobody lets it go on");
        }
      } catch (InterruptedException e) {
        throw new SQLException(e);
      }
    }
  }

  @Test
  void schemaIsCreatedWhileTriggerIsCreated() throws Exception {
    source.start(new Ignoring());
    statement.execute("SET LOCK_TIMEOUT 300");
    Database database = database();
    synchronized (database) { // as CREATE SCHEMA has it
      statement.execute("CREATE TABLE u(id INT PRIMARY KEY)");
      awaitSourceState(Thread.State.BLOCKED);
      statement.execute("CREATE SCHEMA s");
    }
    awaitTriggers(2);
  }

  @Test
  void tableIsCreatedWhileTriggerIsCreated() throws Exception {
    source.start(new Ignoring());
    statement.execute("CREATE TABLE u(id INT PRIMARY KEY)");
    Database database = database();
    database.lockMeta(session()); // as CREATE TABLE has it
    awaitSourceState(Thread.State.TIMED_WAITING);
    synchronized (database) {
      statement.execute("CREATE TABLE v(id INT PRIMARY KEY)");
    }
    awaitTriggers(3);
  }

  @Test
  void statementGoesOnBesideTriggerThatIsCreated() throws Exception {
    CompletableFuture<Integer> update = updateThatStaysAtItsFirstRow();
    source.start(new Ignoring());
    AtFirstRow.goesOn.countDown();
    assertThat(update.get()).isEqualTo(3);
  }

  @Test
  void statementGoesOnBesideTriggerThatIsDropped() throws Exception {
    source.start(new Ignoring());
    CompletableFuture<Integer> update = updateThatStaysAtItsFirstRow();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(source::close);
    Thread.sleep(200); // it tries
    assertThat(triggers()).isEqualTo(1);
    AtFirstRow.goesOn.countDown();
    assertThat(update.get()).isEqualTo(3);
    closed.get();
    assertThat(triggers()).isZero();
    assertThat(source.problem()).isEqualTo("closed");
  }

  @Test
  void triggerOfTableThatStaysLockedIsNotDropped() throws Exception {
    source.start(new Ignoring());
    connection.setAutoCommit(false);
    statement.execute("UPDATE t SET n = 0");
    Database database = database();
    TriggerObject trigger = H2Tables.triggers(database).get(0);
    TriggerDdl ddl = new TriggerDdl(database);
    assertThatThrownBy(() -> ddl.drop(trigger, TimeUnit.MILLISECONDS.toNanos(50)))
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.LOCK_TIMEOUT_1));
    connection.commit();
    ddl.drop(trigger, 0);
    assertThat(H2Tables.triggers(database)).isEmpty();
  }

  @Test
  void triggersOfOtherTablesAreDropped() throws Exception {
    statement.execute("CREATE TABLE a(id INT PRIMARY KEY)");
    statement.execute("CREATE TABLE z(id INT PRIMARY KEY)");
    source.start(new Ignoring());
    connection.setAutoCommit(false);
    statement.execute("UPDATE t SET n = 0");
    source.close();
    assertThat(triggers()).isEqualTo(1);
    assertThat(source.problem()).startsWith("closed, but triggers remain: Timeout");
    statement.execute("UPDATE t SET n = 1");
    connection.commit();

    source = source.another();
    source.start(new Ignoring());
    source.close();
    assertThat(triggers()).as("those that were left are dropped, too").isZero();
  }

  @Test
  void tableThatWasDroppedGetsNoTrigger() throws Exception {
    Database database = database();
    var table = H2Tables.read(database).engineTables().values().iterator().next();
    statement.execute("DROP TABLE t");
    statement.execute("CREATE TABLE t(id INT PRIMARY KEY)");
    assertThatThrownBy(
            () -> new TriggerDdl(database).create(table, "TXWATCH_1", RowTrigger.class, 0))
        .isInstanceOf(SQLException.class);
    assertThat(H2Tables.triggers(database)).isEmpty();
    statement.execute("INSERT INTO t VALUES (1)");
  }

  private CompletableFuture<Integer> updateThatStaysAtItsFirstRow() throws Exception {
    statement.execute(
        "CREATE TRIGGER own AFTER UPDATE ON t FOR EACH ROW CALL '"
            + AtFirstRow.class.getName()
            + "'");
    CompletableFuture<Integer> update =
        CompletableFuture.supplyAsync(
            () -> {
              try (Connection other = DriverManager.getConnection(URL);
                  Statement updating = other.createStatement()) {
                return updating.executeUpdate("UPDATE t SET n = n + 1");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    AtFirstRow.reached.await();
    return update;
  }

  private SessionLocal session() {
    return (SessionLocal) ((JdbcConnection) connection).getSession();
  }

  private Database database() {
    return session().getDatabase();
  }

  private static void awaitSourceState(Thread.State state) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(1))
        .until(
            () ->
                Thread.getAllStackTraces().entrySet().stream()
                    .filter(entry -> entry.getKey().getName().equals("txwatch-h2-DDL"))
                    .anyMatch(
                        entry ->
                            entry.getKey().getState() == state
                                && java.util.Arrays.stream(entry.getValue())
                                    .anyMatch(
                                        frame ->
                                            frame
                                                    .getClassName()
                                                    .equals(TriggerSource.class.getName())
                                                && frame.getMethodName().equals("create"))));
  }

  private static void awaitTriggers(int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> triggers() == count);
  }

  private static int triggers() throws SQLException {
    try (Connection other = DriverManager.getConnection(URL);
        Statement asking = other.createStatement();
        ResultSet count =
            asking.executeQuery(
                "SELECT COUNT(DISTINCT trigger_name) FROM information_schema.triggers"
                    + " WHERE trigger_name LIKE 'TXWATCH%'")) {
      count.next();
      return count.getInt(1);
    }
  }

  private static final class Ignoring implements ChangeListener {
    @Override
    public void transaction(ChangedTransaction transaction) {}

    @Override
    public void position(LogPosition position, boolean isComplete) {}

    @Override
    public void gap(ChangeGap gap) {}

    @Override
    public void schemaChange(SchemaChange change) {}
  }
}
