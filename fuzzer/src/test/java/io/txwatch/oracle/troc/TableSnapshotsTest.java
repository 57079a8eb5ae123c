package io.txwatch.oracle.troc;

import static io.txwatch.oracle.troc.TrocVerdicts.assertResult;
import static io.txwatch.oracle.troc.TrocVerdicts.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 at REPEATABLE READ: each table has a snapshot of its own, from its first reader on. */
class TableSnapshotsTest {

  private static ExecutorFixture fixture;

  @BeforeAll
  static void open() throws Exception {
    fixture = new ExecutorFixture(ServerKind.H2);
  }

  @AfterAll
  static void close() throws Exception {
    fixture.close();
  }

  private static final String TABLES =
      """
      I: CREATE TABLE p (id INT PRIMARY KEY, k INT)
      I: CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id))
      I: CREATE TABLE t (id INT PRIMARY KEY, k INT)
      I: CREATE VIEW v (id, k) AS SELECT id, k FROM t
      I: INSERT INTO p VALUES (1, 0), (2, 0)
      I: INSERT INTO c VALUES (1, 1)
      I: INSERT INTO t VALUES (1, 0), (2, 0)
      T1: BEGIN
      T1: %s
      T2: %s
      T1: %s
      T1: COMMIT
      """;

  /** What T1 reads last is of its snapshot if its first statement has taken one of that table. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT * FROM t                          | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 2",
        "SELECT * FROM p                          | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 3",
        "SELECT * FROM v                          | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 2",
        "SELECT * FROM p WHERE id IN (SELECT k FROM t) | INSERT INTO t VALUES (3, 0) | SELECT * FROM t | 2",
        "SELECT * FROM p                          | INSERT INTO c VALUES (3, 2)  | SELECT * FROM c | 1",
        "SELECT * FROM c                          | INSERT INTO p VALUES (3, 2)  | SELECT * FROM p | 3",
        "INSERT INTO t (id, k) VALUES (4, 0)      | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 4",
        "INSERT INTO t SELECT id + 9, k FROM p    | INSERT INTO p VALUES (3, 0)  | SELECT * FROM p | 2",
        "UPDATE t SET k = 1                       | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 3",
        "UPDATE t SET k = 1 WHERE id = 1          | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 2",
        "UPDATE t SET k = k + 1                   | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 2",
        "UPDATE t SET k = (SELECT MAX(id) FROM p) | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 3",
        "UPDATE t SET k = (SELECT MAX(id) FROM p) | INSERT INTO p VALUES (3, 0)  | SELECT * FROM p | 2",
        "DELETE FROM t                            | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 1",
        "DELETE FROM t WHERE id = 1               | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 1",
        "SELECT * FROM t WHERE id = 1 FOR UPDATE  | INSERT INTO t VALUES (3, 0)  | SELECT * FROM t | 2",
        "MERGE INTO t USING (VALUES (1, 5)) AS s (id, k) ON t.id = s.id WHEN MATCHED THEN UPDATE SET k = s.k "
            + "| INSERT INTO t VALUES (3, 0) | SELECT * FROM t | 2",
      })
  void aTableHasASnapshotFromItsFirstReaderOn(String first, String other, String last, int rows)
      throws Exception {
    CaseExecution execution = fixture.execute(TABLES.formatted(first, other, last), "RR");

    assertThat(execution.outcome(4).rows()).as(execution.toString()).hasSize(rows);
    assertResult(fixture, execution, Result.CLEAN);
  }

  /** The same results would be violations with one snapshot of all tables, and the reverse. */
  @Test
  void otherViewsAreViolations() throws Exception {
    String schedule =
        TABLES.formatted("SELECT * FROM p", "INSERT INTO t VALUES (3, 0)", "SELECT * FROM t");
    CaseExecution newer = fixture.execute(schedule, "RR");
    CaseExecution older = fixture.execute(schedule, "SI");

    assertThat(newer.outcome(4).rows()).hasSize(3);
    assertThat(older.outcome(4).rows()).hasSize(2);
    assertResult(fixture, newer, Result.CLEAN);
    assertResult(fixture, older, Result.CLEAN);
    assertResult(fixture, at(IsolationLevel.SNAPSHOT, newer), Result.VIOLATION);
    assertResult(fixture, at(IsolationLevel.REPEATABLE_READ, older), Result.VIOLATION);
  }

  /** T1 has read the row, so it must not overwrite T2's value; without having read it, it may. */
  @Test
  void aRowThatWasReadMustNotBeOverwritten() throws Exception {
    String schedule =
        TABLES.formatted("SELECT * FROM %s", "UPDATE t SET k = 5", "UPDATE t SET k = k + 1");
    CaseExecution read = fixture.execute(schedule.formatted("t"), "RR");
    CaseExecution unread = fixture.execute(schedule.formatted("p"), "RR");
    CaseExecution lost = fixture.execute(schedule.formatted("t"), "RC");

    assertThat(read.outcome(4).succeeded()).as(read.toString()).isFalse();
    assertThat(unread.outcome(4).updateCount()).as(unread.toString()).isEqualTo(2);
    assertResult(fixture, read, Result.CLEAN);
    assertResult(fixture, unread, Result.CLEAN);
    assertResult(fixture, at(IsolationLevel.REPEATABLE_READ, lost), Result.VIOLATION);
  }

  /** Whether H2 replaces the condition by a constant, and with it the reading of t, is open. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE t SET k = 1 WHERE id = 1 OR TRUE",
        "DELETE FROM t WHERE id > 0 AND 3 < 3",
        "SELECT * FROM p WHERE 'ab' LIKE 'a%' OR EXISTS (SELECT 1 FROM t)"
      })
  void aSnapshotThatDependsOnTheOptimizerIsUndecided(String write) throws Exception {
    CaseExecution execution =
        fixture.execute(
            TABLES.formatted(write, "INSERT INTO t VALUES (3, 0)", "SELECT * FROM t"), "RR");

    assertThat(execution.outcome(4).rows()).as(execution.toString()).hasSize(3);
    assertResult(fixture, execution, Result.UNDECIDED);
  }
}
