package io.txwatch.oracle.known;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.h2.H2Behaviour;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.CaseReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Driver;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** H2 1.4.200, which does not reject writes of rows that are newer than the snapshot. */
class H2Before2Test {

  private static final Path JAR = Path.of("target", "older-drivers", "h2-1.4.200.jar");

  private static URLClassLoader loader;
  private static ServerCaseExecutor executor;

  @BeforeAll
  static void open() throws Exception {
    loader =
        new URLClassLoader(new URL[] {JAR.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    Driver driver =
        (Driver) loader.loadClass("org.h2.Driver").getDeclaredConstructor().newInstance();
    executor =
        new ServerCaseExecutor(
            DbmsRegistry.connect("jdbc:h2:mem:", url -> driver.connect(url, new Properties())),
            Duration.ofSeconds(60));
  }

  @AfterAll
  static void close() throws Exception {
    executor.close();
    loader.close();
  }

  /** Each adds the value of a row that T2 then changes. */
  private static final String NO_ORDER =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT)
      I: INSERT INTO t (id, v) VALUES (1, 10), (2, 20)
      T1: BEGIN
      T1: SELECT * FROM t
      T2: BEGIN
      T2: UPDATE t SET v = v * 2 + (SELECT v FROM t WHERE id = 2) WHERE id = 1
      T2: UPDATE t SET v = 0 WHERE id = 2
      T2: COMMIT
      T1: UPDATE t SET v = v * 3 + (SELECT v FROM t WHERE id = 2) WHERE id = 1
      T1: COMMIT
      """;

  /** 10 becomes 40 and then 140; in either serial order the row becomes 120. */
  @ParameterizedTest
  @CsvSource({"RR", "SI", "SER"})
  void aStateWithoutASerialOrderIsALostUpdate(String level) throws Exception {
    CaseExecution execution = execute(NO_ORDER, level);

    assertThat(execution.finalState().get(0)).containsExactly("1,140", "2,0");
    assertKnown(execution, new WriteCheck(), H2Behaviour.LOST_UPDATE);
    assertKnown(execution, new Troc(), H2Behaviour.LOST_UPDATE);
    assertThat(H2Behaviour.LOST_UPDATE.findingClass()).isEqualTo(FindingClass.BY_DESIGN);
  }

  private static final String ROW =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT)
      I: INSERT INTO t (id, v) VALUES (1, 1)
      T1: BEGIN
      T1: SELECT * FROM t
      T2: UPDATE t SET v = v + 100
      """;

  /** T1's last statement and, after it, what T1 reads. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RR  | UPDATE t SET v = 11         | SELECT 1        | LOST_UPDATE",
        "SER | DELETE FROM t               | SELECT * FROM t | LOST_UPDATE",
        "RR  | DELETE FROM t WHERE v = 1   | SELECT 1        | LOST_UPDATE",
        "RR  | DELETE FROM t WHERE v = 1   | SELECT * FROM t | READ_AFTER_LOCK",
        "SI  | SELECT * FROM t FOR UPDATE  | SELECT * FROM t | READ_AFTER_LOCK",
        "SER | UPDATE t SET v = 2 WHERE v = 1 | SELECT * FROM t | READ_AFTER_LOCK"
      })
  void aReadOfALockedRowIsNotRepeatable(
      String level, String statement, String read, H2Behaviour expected) throws Exception {
    CaseExecution execution =
        execute(ROW + "T1: " + statement + "\nT1: " + read + "\nT1: COMMIT\n", level);

    assertKnown(execution, new Troc(), expected);
  }

  /** What reads snapshots, or rows that nobody changed since, is no violation. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RR  | SELECT * FROM t",
        "SI  | SELECT * FROM t",
        "SER | INSERT INTO t (id, v) VALUES (2, 2)",
        "RC  | UPDATE t SET v = 11"
      })
  void othersAreNoViolation(String level, String statement) throws Exception {
    CaseExecution execution = execute(ROW + "T1: " + statement + "\nT1: COMMIT\n", level);

    for (Oracle oracle : new Oracle[] {new WriteCheck(), new Troc()}) {
      OracleVerdict verdict = oracle.judge(execution, executor);
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  @ParameterizedTest
  @CsvSource({"SELECT * FROM p", "SELECT v FROM p"})
  void theTablesOfAForeignKeyHaveNoSnapshot(String read) throws Exception {
    CaseExecution execution =
        execute(
            """
            I: CREATE TABLE p (id INT PRIMARY KEY, v INT)
            I: CREATE TABLE c (pid INT, FOREIGN KEY (pid) REFERENCES p (id))
            I: INSERT INTO p (id, v) VALUES (1, 1)
            T1: BEGIN
            T1: %1$s
            T2: UPDATE p SET v = 2
            T1: %1$s
            T1: COMMIT
            """
                .formatted(read),
            "RR");

    assertKnown(execution, new Troc(), H2Behaviour.NO_SNAPSHOT_OF_RELATED_TABLES);
  }

  @Test
  void anEmptyTableHasNoSnapshot() throws Exception {
    CaseExecution execution =
        execute(
            """
            I: CREATE TABLE t (id INT, v INT)
            T1: BEGIN
            T1: UPDATE t SET v = id
            T2: INSERT INTO t (id, v) VALUES (1, 1)
            T1: DELETE FROM t
            T1: COMMIT
            """,
            "RR");

    assertKnown(execution, new Troc(), H2Behaviour.PHANTOM_ROWS);
  }

  @ParameterizedTest
  @CsvSource({"DELETE FROM t", "UPDATE t SET v = 5"})
  void rowsThatWereInsertedWhileAStatementWaitedAreFound(String statement) throws Exception {
    CaseExecution execution =
        execute(
            """
            I: CREATE TABLE t (id INT, u INT UNIQUE, v INT)
            I: INSERT INTO t (id) VALUES (1), (3)
            T1: BEGIN
            T1: DELETE FROM t
            T1: INSERT INTO t (id, v) VALUES (2, 2)
            T2: %s
            T1: COMMIT
            """
                .formatted(statement),
            "RC");

    assertKnown(execution, new Troc(), H2Behaviour.INSERTED_WHILE_BLOCKED);
  }

  private static CaseExecution execute(String text, String level) throws Exception {
    return executor.execute(
        CaseReader.parse("test", text), IsolationLevel.parse(level).orElseThrow());
  }

  private static void assertKnown(CaseExecution execution, Oracle oracle, H2Behaviour expected)
      throws Exception {
    OracleVerdict verdict = oracle.judge(execution, executor);
    assertThat(verdict.result())
        .as(verdict.reason() + execution)
        .isEqualTo(OracleVerdict.Result.VIOLATION);
    assertThat(DbmsRegistry.knownBehaviour(executor, execution, verdict))
        .as(execution.toString())
        .isEqualTo(Optional.of(expected));
  }
}
