package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An entry matches its own behaviour and no similar one. */
class KnownBehaviourTest {

  private static final String TABLES =
      """
      I: CREATE TABLE t (a INT, b INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 0), (5, 0)
      """;

  /** Each transaction selects its rows without the other's uncommitted changes. */
  private static final String SKEW =
      TABLES
          + """
          T1: BEGIN
          T2: BEGIN
          T1: UPDATE t SET b = 1 WHERE a = 1
          T2: UPDATE t SET b = 2 WHERE a = 5
          T1: COMMIT
          T2: COMMIT
          """;

  /** T2 did not see T1's insert, and T1 read nothing of T2's: T2 precedes T1. */
  private static final String NO_SKEW =
      TABLES
          + """
          T1: BEGIN
          T1: INSERT INTO t VALUES (5, 1)
          T2: UPDATE t SET b = 2 WHERE a = 5
          T1: COMMIT
          """;

  @Test
  void skewIsAContradictionOfReads() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution skew = fixture.execute(SKEW, "RC");
      CaseExecution noSkew = fixture.execute(NO_SKEW, "RC");

      assertThat(WriteOrder.isContradictory(skew)).isTrue();
      assertThat(WriteOrder.isContradictory(noSkew)).isFalse();
      assertThat(known(fixture, skew, "writecheck"))
          .contains(KnownBehaviour.READ_COMMITTED_WRITE_SKEW);
      assertThat(known(fixture, skew, "troc")).isEmpty();
      assertThat(known(fixture, noSkew, "writecheck")).isEmpty();
      assertThat(known(fixture, fixture.execute(SKEW, "RR"), "writecheck")).isEmpty();
    }
  }

  /** T1 copies, or fails because of, an uncommitted row; the other copy is of a committed one. */
  @ParameterizedTest
  @ValueSource(strings = {"a INT, b INT", "a INT, b INT, CHECK (b = 0)"})
  void uncommittedRowsAreCopiedAtReadUncommitted(String columns) throws Exception {
    String copied =
        """
        I: CREATE TABLE t (a INT, b INT) {ENGINE}
        I: CREATE TABLE copy (%s) {ENGINE}
        I: INSERT INTO t VALUES (1, 0), (5, 0)
        T2: BEGIN
        T2: UPDATE t SET b = 1
        T1: BEGIN
        T1: INSERT INTO copy SELECT * FROM t WHERE b = 1
        T1: COMMIT
        T2: ROLLBACK
        """
            .formatted(columns);
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution dirty = fixture.execute(copied, "RU");
      OracleVerdict verdict = new WriteCheck().judge(dirty, fixture.executor());
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(KnownBehaviour.of(fixture.dbms().database(), dirty, verdict))
          .contains(KnownBehaviour.INNODB_DIRTY_SOURCE);
      CaseExecution alone =
          fixture.execute(copied.replace("T2: BEGIN\n", "").replace("T2: ROLLBACK\n", ""), "RU");
      assertThat(known(fixture, alone, "writecheck")).isEmpty();
    }
  }

  /** T1 deletes the row at the key to which T2 has moved it, and still sees it at the old key. */
  @Test
  void aRowWithAChangedKeyIsSeenAfterItWasDeleted() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution moved =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT) {ENGINE}
              I: INSERT INTO t (a, b) VALUES (0, 1)
              T2: BEGIN
              T2: UPDATE t SET a = 8
              T1: BEGIN
              T1: SELECT b FROM t
              T1: DELETE FROM t
              T1: SELECT * FROM t
              T1: COMMIT
              T2: COMMIT
              """,
              "RR");
      OracleVerdict verdict = new IsoRel().judge(moved, fixture.executor());

      assertThat(verdict.phenomenon()).contains(Phenomenon.INTERNAL);
      assertThat(KnownBehaviour.of(fixture.dbms().database(), moved, verdict))
          .contains(KnownBehaviour.INNODB_SNAPSHOT_BESIDE_CURRENT_READ);
    }
  }

  /** T2's DELETE waited for the index of the child, and left the entry there. */
  @Test
  void aChildIsReadByItsIndexAfterItsParentWasDeleted() throws Exception {
    String schedule =
        """
        I: CREATE TABLE p (id INT NOT NULL PRIMARY KEY) {ENGINE}
        I: CREATE TABLE c (id INT NOT NULL PRIMARY KEY, pid INT, \
        FOREIGN KEY (pid) REFERENCES p (id) ON DELETE CASCADE) {ENGINE}
        I: INSERT INTO p VALUES (1)
        I: INSERT INTO c VALUES (1, 1)
        T1: BEGIN
        T1: SELECT * FROM c LOCK IN SHARE MODE
        T2: DELETE FROM p WHERE id = 1
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution = fixture.execute(schedule, "SER");
      for (Oracle oracle : List.of(new Troc(), new WriteCheck())) {
        OracleVerdict verdict = oracle.judge(execution, fixture.executor());

        assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
        assertThat(KnownBehaviour.of(fixture.dbms().database(), execution, verdict))
            .contains(KnownBehaviour.MARIADB_INDEX_WITHOUT_CHILD);
      }
      assertThat(
              known(
                  fixture, fixture.execute(schedule.replace("CASCADE", "RESTRICT"), "SER"), "troc"))
          .isEmpty();
      assertThat(
              known(
                  fixture,
                  fixture.execute(schedule.replace("FROM c LOCK", "FROM p LOCK"), "SER"),
                  "troc"))
          .isEmpty();
    }
  }

  /** T1 waits for the row that T2 rolls back, and mistakes the previous row for the next one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO t VALUES (3, NULL, 9)",
        "INSERT INTO t (v, a) VALUES (9, 3)",
        "INSERT INTO t VALUES (1, 7, 9), (3, NULL, 9)"
      })
  void aRowIsUpdatedTwiceIfARowWithANullWasRolledBack(String insert) throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT, b INT, v INT, UNIQUE (a, b)) {ENGINE}
        I: INSERT INTO t VALUES (1, 1, 0), (3, NULL, 0), (4, NULL, 0)
        T2: BEGIN
        T2: %s
        T1: UPDATE t SET v = v + 1 WHERE a = 3
        T2: ROLLBACK
        """
            .formatted(insert);
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (String level : List.of("RC", "RR", "SER")) {
        CaseExecution twice = fixture.execute(schedule, level);
        for (Oracle oracle : List.of(new Troc(), new WriteCheck())) {
          OracleVerdict verdict = oracle.judge(twice, fixture.executor());
          assertThat(verdict.result())
              .as(verdict.reason())
              .isEqualTo(OracleVerdict.Result.VIOLATION);
          assertThat(KnownBehaviour.of(fixture.dbms().database(), twice, verdict))
              .contains(KnownBehaviour.MARIADB_ROW_TAKEN_TWICE);
        }
      }
      String reading =
          schedule.replace(
              "UPDATE t SET v = v + 1 WHERE a = 3", "SELECT * FROM t WHERE a = 3 FOR UPDATE");
      assertThat(known(fixture, fixture.execute(reading, "RR"), "troc"))
          .contains(KnownBehaviour.MARIADB_ROW_TAKEN_TWICE);
    }
  }

  /** No rollback, no NULL, no unique key; or a single row was updated once. */
  @Test
  void aRowIsUpdatedOnceOtherwise() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT, b INT, v INT, UNIQUE (a, b)) {ENGINE}
        I: INSERT INTO t VALUES (1, 1, 0), (3, NULL, 0), (3, 4, 0), (4, NULL, 0)
        T2: BEGIN
        T2: INSERT INTO t VALUES (3, NULL, 9)
        T1: UPDATE t SET v = v + 1 WHERE a = 3
        T2: ROLLBACK
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      assertThat(known(fixture, fixture.execute(schedule, "RR"), "troc"))
          .contains(KnownBehaviour.MARIADB_ROW_TAKEN_TWICE);
      for (String other :
          List.of(
              schedule.replace("ROLLBACK", "COMMIT"),
              schedule.replace("(3, NULL, 9)", "(3, 2, 9)"),
              schedule.replace("UNIQUE", "KEY k"),
              schedule.replace("UPDATE t SET v = v + 1", "DELETE FROM t"),
              schedule.replace("(3, NULL, 0), ", ""))) {
        CaseExecution execution = fixture.execute(other, "RR");
        assertThat(execution.hadBlocking()).as(other).isTrue();
        assertThat(known(fixture, execution, "troc")).as(other).isEmpty();
      }
    }
  }

  /** T2 skipped a row that T1 deletes, and T1 did not see what T2 inserted. */
  @Test
  void anInsertThatSkipsRowsHasReadThem() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT PRIMARY KEY, b INT)
              I: INSERT INTO t VALUES (2, 0)
              T2: BEGIN
              T2: INSERT INTO t VALUES (9, 0), (2, 1) ON CONFLICT DO NOTHING
              T1: DELETE FROM t WHERE b = 0
              T2: COMMIT
              """,
              "RC");
      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(KnownBehaviour.of(fixture.dbms().database(), execution, verdict))
          .contains(KnownBehaviour.READ_COMMITTED_WRITE_SKEW);
    }
  }

  /** T1 deletes the row that rejected T2's UPDATE, and did not see what T2 had inserted. */
  @Test
  void aWriteRejectedByAKeyHasReadTheConflictingRow() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT PRIMARY KEY, b INT)
        I: INSERT INTO t VALUES (1, 0)
        T2: BEGIN
        T2: INSERT INTO t VALUES (5, 5)
        T2: UPDATE t SET a = 1 WHERE a = 5
        T1: DELETE FROM t
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution refused = fixture.execute(schedule, "RC");
      OracleVerdict verdict = new WriteCheck().judge(refused, fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(KnownBehaviour.of(fixture.dbms().database(), refused, verdict))
          .contains(KnownBehaviour.READ_COMMITTED_WRITE_SKEW);
      CaseExecution unopposed =
          fixture.execute(schedule.replace("T2: UPDATE t SET a = 1 WHERE a = 5\n", ""), "RC");
      assertThat(known(fixture, unopposed, "writecheck")).isEmpty();
    }
  }

  /** A child that T2 deletes rejects T1's write, and T2 did not see the child that T1 inserted. */
  @Test
  void aWriteRejectedByAForeignKeyHasReadTheChildren() throws Exception {
    String schedule =
        """
        I: CREATE TABLE p (id INT PRIMARY KEY)
        I: CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id))
        I: INSERT INTO p VALUES (1)
        I: INSERT INTO c VALUES (1, 1)
        T2: BEGIN
        T2: DELETE FROM c
        T1: BEGIN
        T1: INSERT INTO c VALUES (7, NULL)
        T1: UPDATE p SET id = 5
        T1: COMMIT
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution refused = fixture.execute(schedule, "RC");
      OracleVerdict verdict = new WriteCheck().judge(refused, fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(KnownBehaviour.of(fixture.dbms().database(), refused, verdict))
          .contains(KnownBehaviour.READ_COMMITTED_WRITE_SKEW);
      for (String other :
          List.of(
              schedule.replace("T1: UPDATE p SET id = 5\n", ""),
              schedule.replace(", FOREIGN KEY (pid) REFERENCES p (id)", ""))) {
        assertThat(known(fixture, fixture.execute(other, "RC"), "writecheck")).as(other).isEmpty();
      }
    }
  }

  /** T2's second row waits for T1's; T2's first row has been inserted when H2 retries. */
  @Test
  void anInsertIsRejectedByItsOwnFirstRow() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT, b DECIMAL(12,2), c VARCHAR(9), PRIMARY KEY (a, b))
        I: INSERT INTO t VALUES (1, 1, 'a')
        T1: BEGIN
        T1: INSERT INTO t (a, b, c) VALUES (8, 7.25, 'b')
        T2: INSERT INTO t (a, b, c) VALUES (-1, 7.0, ''), (8, 7.25, '')
        T1: ROLLBACK
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      for (String level : List.of("RC", "SI")) {
        CaseExecution refused = fixture.execute(schedule, level);
        assertThat(refused.outcome(3).succeeded()).as(refused.toString()).isFalse();
        for (String oracle : List.of("writecheck", "troc")) {
          assertThat(known(fixture, refused, oracle))
              .contains(KnownBehaviour.H2_INSERT_TRIED_AGAIN);
        }
      }
      for (String other :
          List.of(
              schedule.replace("(-1, 7.0, '')", "(1, 1, '')"),
              schedule
                  .replace("(-1, 7.0, '')", "(5, 5, ''), (5, 5, '')")
                  .replace("8, 7.25, ''", "9, 9, ''"),
              schedule.replace("T1: ROLLBACK\n", "").replace("T1: BEGIN\n", ""))) {
        CaseExecution execution = fixture.execute(other, "RC");
        assertThat(execution.outcome(other.contains("BEGIN") ? 3 : 2).vendorCode())
            .as(execution.toString())
            .isEqualTo(23505);
        assertThat(known(fixture, execution, "writecheck")).as(execution.toString()).isEmpty();
      }
    }
  }

  /** H2 returns 2 as the maximum, which T1 has written, and stores it. */
  @Test
  void aWriteReadsAWrongMaximum() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a BIGINT PRIMARY KEY, b INT)
        I: CREATE TABLE u (a BIGINT)
        I: INSERT INTO t VALUES (1, 1), (2, 2), (4, 4)
        I: INSERT INTO u VALUES (0)
        T1: BEGIN
        T1: UPDATE t SET b = b WHERE a = 2
        T1: UPDATE u SET a = (SELECT MAX(a) FROM t)
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution wrong = fixture.execute(schedule, "SI");
      OracleVerdict verdict = new Troc().judge(wrong, fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(verdict.sql()).as("the final state shows it").doesNotContain("MAX");
      assertThat(KnownBehaviour.of(fixture.dbms().database(), wrong, verdict))
          .contains(KnownBehaviour.H2_EXTREMES_BY_INDEX);
      for (String right :
          List.of(
              schedule.replace("T1: UPDATE t SET b = b WHERE a = 2\n", ""),
              schedule.replace("MAX(a)", "MAX(a + 0)"))) {
        assertThat(known(fixture, fixture.execute(right, "SI"), "troc")).isEmpty();
      }
      assertThat(known(fixture, fixture.execute(schedule, "RC"), "troc")).isEmpty();
    }
  }

  /**
   * T1's rows are rolled back while T1 is open: T2 inserts the rows that T1 has inserted or failed
   * to insert.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY) {ENGINE}
        I: CREATE TABLE u (a INT NOT NULL PRIMARY KEY, b INT) {ENGINE}
        I: INSERT INTO u VALUES (1, 0)
        T2: BEGIN
        T2: UPDATE u SET b = 1
        T1: BEGIN
        T1: SAVEPOINT s
        T1: INSERT INTO t VALUES (5)
        T1: ROLLBACK TO SAVEPOINT s
        T1: DELETE FROM u
        T1: COMMIT
        T2: INSERT INTO t VALUES (5)
        T2: COMMIT
        """,
        """
        I: CREATE TABLE u (a INT NOT NULL PRIMARY KEY) {ENGINE}
        I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT, c INT, FOREIGN KEY (c) REFERENCES u (a)) {ENGINE}
        I: INSERT INTO u VALUES (1)
        T2: BEGIN
        T2: INSERT INTO t VALUES (5, 2, 9) ON DUPLICATE KEY UPDATE b = VALUES(b)
        T1: INSERT INTO t VALUES (5, 1, 1)
        T2: COMMIT
        """
      })
  void anInsertRolledBackByInnodbLocksNothing(String schedule) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution = fixture.execute(schedule, "RR");
      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(KnownBehaviour.of(fixture.dbms().database(), execution, verdict))
          .contains(KnownBehaviour.INNODB_UNDONE_INSERT);
      CaseExecution elsewhere =
          fixture.execute(
              schedule
                  .replace("T2: INSERT INTO t VALUES (5)\n", "")
                  .replace("T1: INSERT INTO t VALUES (5, 1, 1)", "T1: INSERT INTO u VALUES (5)"),
              "RR");
      assertThat(known(fixture, elsewhere, "writecheck")).isEmpty();
    }
  }

  @Test
  void waitingForAKeyIsNotASemiConsistentRead() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      String keys =
          """
          I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT) {ENGINE}
          I: INSERT INTO t VALUES (1, 0)
          T1: BEGIN
          T1: DELETE FROM t WHERE a = 1
          T2: INSERT INTO t VALUES (1, 2)
          T1: COMMIT
          """;
      CaseExecution inserting = fixture.execute(keys, "RC");
      CaseExecution deleting =
          fixture.execute(
              keys.replace("T2: INSERT INTO t VALUES (1, 2)", "T2: DELETE FROM t"), "RC");

      assertThat(inserting.hadBlocking()).isTrue();
      assertThat(known(fixture, inserting, "writecheck")).isEmpty();
      assertThat(deleting.hadBlocking()).isTrue();
      assertThat(known(fixture, deleting, "writecheck"))
          .contains(KnownBehaviour.INNODB_SEMI_CONSISTENT_READ);
    }
  }

  private static Optional<KnownBehaviour> known(
      ExecutorFixture fixture, CaseExecution execution, String oracle) {
    return KnownBehaviour.of(
        fixture.dbms().database(),
        execution,
        new OracleVerdict(oracle, OracleVerdict.Result.VIOLATION, ""));
  }
}
