package io.txwatch.oracle.troc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrocTest {

  /** What T2 reads of an open transaction depends on its own level, not on that of the others. */
  @ParameterizedTest
  @CsvSource({"SER, RU, 1:99", "RU, RC, 1:10", "SER, RR, 1:10"})
  void eachSessionReadsByItsOwnLevel(String common, String ofT2, String read) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      String mixed =
          """
          # isolation-T2: %s
          I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
          I: INSERT INTO t VALUES (1, 10)
          T1: BEGIN
          T1: UPDATE t SET v = 99
          T2: BEGIN
          T2: SELECT CONCAT(id, ':', v) FROM t
          T2: COMMIT
          T1: ROLLBACK
          """
              .formatted(ofT2);
      var execution = fixture.execute(mixed, common);

      assertThat(execution.outcome(4).rows()).isEqualTo(List.of(List.of(read)));
      OracleVerdict verdict = new Troc().judge(execution, fixture.executor());
      assertThat(verdict.result()).as(verdict.toString()).isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /**
   * H2 identifies a row by its primary key: a row that was deleted and inserted again with equal
   * values has not changed.
   */
  @Test
  void aRestoredRowIsNoChange() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      String back =
          """
          I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT UNIQUE)
          I: INSERT INTO t VALUES (0, 0), (1, 1)
          T1: BEGIN
          T1: DELETE FROM t WHERE k = 1
          T1: INSERT INTO t VALUES (1, 1)
          T2: DELETE FROM t WHERE k = 1
          T1: COMMIT
          """;
      var execution = fixture.execute(back, "SER");

      assertThat(execution.outcome(4).updateCount()).isEqualTo(1);
      assertThat(new Troc().judge(execution, fixture.executor()).result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** The row whose key T1 changes is another row for H2, and the inserted one is the old row. */
  @Test
  void aRowInPlaceOfOneWithAChangedKeyIsUndecided() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      var execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT PRIMARY KEY)
              I: INSERT INTO t VALUES (0)
              T2: BEGIN
              T1: UPDATE t SET id = 1
              T1: INSERT INTO t VALUES (0)
              T2: SELECT * FROM t FOR UPDATE
              """,
              "SI");

      assertThat(execution.outcome(4).rows()).hasSize(1);
      assertThat(new Troc().judge(execution, fixture.executor()).result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.UNDECIDED);
    }
  }

  /**
   * H2 identifies a row by its primary key, if that is one integer: T2 finds the row that T1
   * deleted and inserted again. Any other row gets a new identity, and T2 does not find it.
   */
  @ParameterizedTest
  @CsvSource({"'id INT PRIMARY KEY', 1", "'id VARCHAR(9) PRIMARY KEY', 0", "id INT, 0"})
  void aRowInsertedAgainIsTheSameIfItsKeyIsAnInteger(String key, long count) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      var execution =
          fixture.execute(
              """
              I: CREATE TABLE t (%s, k INT)
              I: INSERT INTO t VALUES (0, 0), (1, 1)
              T1: BEGIN
              T1: DELETE FROM t WHERE id = 1
              T1: INSERT INTO t VALUES (1, 7)
              T2: UPDATE t SET k = k + 1 WHERE id = 1
              T1: COMMIT
              """
                  .formatted(key),
              "RC");

      assertThat(execution.outcome(4).updateCount()).as(execution.toString()).isEqualTo(count);
      assertThat(new Troc().judge(execution, fixture.executor()).result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** T3's row has the key that T2's had before T1: T2's is restored beside it. */
  @ParameterizedTest
  @ValueSource(strings = {"MARIADB", "H2"})
  void aRowWithAFormerKeyIsAnotherOneWhileADeletionIsOpen(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      var execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT PRIMARY KEY, k INT) {ENGINE}
              I: INSERT INTO t VALUES (0, 7)
              T1: UPDATE t SET id = 5
              T2: BEGIN
              T2: DELETE FROM t
              T3: INSERT INTO t VALUES (0, 8)
              T2: ROLLBACK
              """,
              "RC");

      assertThat(execution.finalState()).isEqualTo(List.of(List.of("0,8", "5,7")));
      assertThat(new Troc().judge(execution, fixture.executor()).result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** Drivers return binary data as objects that are equal to themselves alone. */
  @ParameterizedTest
  @CsvSource({"MARIADB, BLOB", "MARIADB, VARBINARY(9)", "H2, VARBINARY(9)", "POSTGRESQL, BYTEA"})
  void aRowWithBinaryDataThatNobodyWroteHasNotChanged(ServerKind kind, String type)
      throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (IsolationLevel level : fixture.dbms().levels()) {
        var execution =
            fixture.execute(
                CaseReader.parse(
                    "binary",
                    """
                    I: CREATE TABLE t (id INT PRIMARY KEY, k INT, b %s)
                    I: INSERT INTO t VALUES (3, 7, X'63'), (4, 7, NULL)
                    T1: BEGIN
                    T1: INSERT INTO t VALUES (7, 7, X'0061')
                    T2: UPDATE t SET k = 8 WHERE id = 3
                    T1: SELECT * FROM t
                    T1: COMMIT
                    T1: SELECT * FROM t
                    """
                        .formatted(type)
                        .replaceAll(
                            "X'(\\w+)'", type.equals("BYTEA") ? "decode('$1', 'hex')" : "$0")),
                level);

        assertThat(new Troc().judge(execution, fixture.executor()).result())
            .as(execution.toString())
            .isIn(OracleVerdict.Result.CLEAN, OracleVerdict.Result.UNSUPPORTED);
      }
    }
  }

  /** InnoDB shows T1 the row that was deleted since, and its own row with the same key. */
  @Test
  void aViewThatNoTableCanStoreIsUndecided() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      var execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT UNIQUE) {ENGINE}
              I: INSERT INTO t VALUES (1, 0)
              T1: BEGIN
              T1: SELECT * FROM t
              T2: DELETE FROM t
              T1: INSERT INTO t VALUES (2, 0)
              T1: SELECT * FROM t
              T1: COMMIT
              """,
              "RR");

      OracleVerdict verdict = new Troc().judge(execution, fixture.executor());

      assertThat(verdict.result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.UNDECIDED);
      assertThat(verdict.reason()).contains("violates a key");
    }
  }

  /**
   * T1 is rolled back when the case is over, not when its INSERT fails: T2 is blocked until then.
   */
  @Test
  void aSessionBlockedByAnOpenTransactionResumesAtTheEnd() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      var execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 0), (2, 0)
              T1: BEGIN
              T1: UPDATE t SET k = 1
              T2: UPDATE t SET k = 2
              T1: INSERT INTO t VALUES (2, 3)
              T2: COMMIT
              """,
              "RR");

      assertThat(execution.order()).containsExactly(1, 2, 4, 3, 5);
      assertThat(execution.completedBeforeEnd()).isEqualTo(3);
      assertThat(new Troc().judge(execution, fixture.executor()).result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** An INSERT of 0 generates a value; an UPDATE to 0 stores 0. */
  @Test
  void anAutoIncrementColumnMayContainZero() throws Exception {
    for (ServerKind kind : List.of(ServerKind.MARIADB, ServerKind.MYSQL)) {
      try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
        var execution =
            fixture.execute(
                """
                I: CREATE TABLE t (id {AUTOINC}, k INT) {ENGINE}
                I: INSERT INTO t VALUES (1, 2), (3, 4)
                T1: UPDATE t SET id = 0 WHERE k = 2
                T2: UPDATE t SET k = 5 WHERE id = 0
                """,
                "RC");

        assertThat(execution.outcome(2).updateCount()).isEqualTo(1);
        assertThat(new Troc().judge(execution, fixture.executor()).result())
            .as(execution.toString())
            .isEqualTo(OracleVerdict.Result.CLEAN);
      }
    }
  }

  /** T1 locks the entries of k's index, which T2 left unchanged. */
  @Test
  void aSharedIndexLockDoesNotConflictWithARowLock() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      String kept =
          """
          I: CREATE TABLE t (id BIGINT NOT NULL, k VARCHAR(40) UNIQUE, PRIMARY KEY (id)) {ENGINE}
          I: INSERT INTO t VALUES (0, 'a'), (1, 'b')
          T2: BEGIN
          T2: UPDATE t SET id = 1 WHERE id >= 1
          T1: SELECT * FROM t LOCK IN SHARE MODE
          T2: COMMIT
          """;
      var execution = fixture.execute(kept, "RC");
      var changed = fixture.execute(kept.replace("SET id = 1", "SET k = 'c'"), "RC");

      assertThat(execution.outcome(3).blocked()).isFalse();
      assertThat(changed.outcome(3).blocked()).isTrue();
      assertThat(new Troc().judge(execution, fixture.executor()).result())
          .as(execution.toString())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /**
   * T1 is the victim of a deadlock, which ends T2's wait; T2 is the victim of the next one, and its
   * DELETE is undone before T4's UPDATE.
   */
  @Test
  void aTransactionThatADeadlockFreesAndAnotherAborts() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t0 (a INT) {ENGINE} PARTITION BY HASH (a) PARTITIONS 3
              I: CREATE TABLE t1 (a INT, b INT) {ENGINE}
              I: INSERT INTO t1 (b) VALUES (0)
              T1: BEGIN
              T1: INSERT INTO t1 (a) VALUES (9)
              T2: BEGIN
              T2: DELETE FROM t1
              T2: INSERT INTO t0 (a) VALUES (4)
              T4: BEGIN
              T4: SELECT * FROM t0
              T1: UPDATE t1 SET a = 2
              T4: UPDATE t1 SET a = 4
              """,
              "SER");

      assertThat(execution.outcome(9).updateCount()).as(execution.toString()).isEqualTo(1);
      TrocVerdicts.assertResult(fixture, execution, OracleVerdict.Result.CLEAN);
    }
  }

  /** T2 has inserted 7 and waits for T1 with 1, and T1 copies both. */
  @Test
  void whatABlockedStatementHasDoneIsCopiedAtReadUncommitted() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t0 (a INT, b INT, PRIMARY KEY (a)) {ENGINE}
              I: CREATE TABLE t1 (a INT) {ENGINE}
              I: INSERT INTO t0 (a) VALUES (1)
              T1: BEGIN
              T1: UPDATE t0 SET b = 2
              T2: INSERT INTO t0 (a) VALUES (7), (1)
              T1: INSERT INTO t1 (a) SELECT a FROM t0
              T1: COMMIT
              """,
              "RU");

      assertThat(execution.finalState().toString()).contains("7");
      assertThat(List.of(new Troc(), new WriteCheck()))
          .allSatisfy(
              oracle ->
                  assertThat(oracle.judge(execution, fixture.executor()).result())
                      .isEqualTo(OracleVerdict.Result.UNDECIDED));
    }
  }

  /** InnoDB changes the record that REPLACE has marked as deleted: T1 deletes what it has read. */
  @ParameterizedTest
  @CsvSource({"INT, 1, 1", "VARCHAR(9), \"a\", \"A\""})
  void aRowThatIsReplacedIsTheSameRowOnInnodb(String type, String key, String again)
      throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (a %s PRIMARY KEY, b INT) {ENGINE}
              I: INSERT INTO t VALUES (%s, 1)
              T2: BEGIN
              T2: REPLACE INTO t VALUES (%s, 2)
              T1: BEGIN
              T1: SELECT a FROM t
              T1: DELETE FROM t
              T1: SELECT a FROM t
              T2: COMMIT
              T1: COMMIT
              """
                  .formatted(type, key, again),
              "RR");
      OracleVerdict verdict = new Troc().judge(execution, fixture.executor());
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** SQLite rejects T2's INSERT when it prepares it: the snapshot is that of T2's UPDATE. */
  @ParameterizedTest
  @CsvSource({
    "INSERT INTO t VALUES (3) ON CONFLICT (id) DO NOTHING, UNDECIDED",
    "SELECT v FROM t, UNDECIDED",
    "INSERT INTO t VALUES (2), CLEAN"
  })
  void aStatementThatIsRejectedTakesNoSnapshot(String first, OracleVerdict.Result expected)
      throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.SQLITE)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT)
              I: INSERT INTO t VALUES (1)
              T2: BEGIN
              T2: %s
              T1: UPDATE t SET id = 0
              T2: UPDATE t SET id = 4 WHERE id = 1
              T2: COMMIT
              """
                  .formatted(first),
              "SER");
      OracleVerdict verdict = new Troc().judge(execution, fixture.executor());
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(expected);
    }
  }
}
