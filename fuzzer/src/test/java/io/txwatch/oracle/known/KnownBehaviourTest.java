package io.txwatch.oracle.known;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.h2.H2Behaviour;
import io.txwatch.dbms.mariadb.MariaDbBehaviour;
import io.txwatch.dbms.mysql.InnodbBehaviour;
import io.txwatch.dbms.mysql.MySqlBehaviour;
import io.txwatch.dbms.postgresql.PostgresBehaviour;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.Step;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An entry matches what its mechanism gives, and nothing else: no similar case, and not the same
 * case with another row, count or final state.
 */
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
          .contains(CommonBehaviour.READ_COMMITTED_WRITE_SKEW);
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
      assertKnown(fixture, dirty, verdict, InnodbBehaviour.DIRTY_SOURCE);
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
      assertKnown(fixture, moved, verdict, InnodbBehaviour.SNAPSHOT_BESIDE_CURRENT_READ);
    }
  }

  /** T1 sees the row twice, with the same value of its unique column. */
  @Test
  void aRowWithAChangedKeyIsSeenTwiceAlsoIfAnotherColumnIsUnique() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution moved =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9) UNIQUE, c INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 'b', 0)
              T2: BEGIN
              T2: UPDATE t SET a = 5
              T1: BEGIN
              T1: SELECT * FROM t
              T1: UPDATE t SET c = 9
              T1: SELECT * FROM t
              T2: COMMIT
              """,
              "RR");

      assertThat(moved.outcome(6).rows()).hasSize(2);
      assertKnownByTroc(fixture, moved, InnodbBehaviour.SNAPSHOT_BESIDE_CURRENT_READ);
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
        assertKnown(fixture, execution, verdict, MariaDbBehaviour.INDEX_WITHOUT_CHILD);
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
          assertKnown(fixture, twice, verdict, MariaDbBehaviour.ROW_TAKEN_TWICE);
        }
      }
      String reading =
          schedule.replace(
              "UPDATE t SET v = v + 1 WHERE a = 3", "SELECT * FROM t WHERE a = 3 FOR UPDATE");
      assertThat(known(fixture, fixture.execute(reading, "RR"), "troc"))
          .contains(MariaDbBehaviour.ROW_TAKEN_TWICE);
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
          .contains(MariaDbBehaviour.ROW_TAKEN_TWICE);
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
      assertKnown(fixture, execution, verdict, CommonBehaviour.READ_COMMITTED_WRITE_SKEW);
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
      assertKnown(fixture, refused, verdict, CommonBehaviour.READ_COMMITTED_WRITE_SKEW);
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
      assertKnown(fixture, refused, verdict, CommonBehaviour.READ_COMMITTED_WRITE_SKEW);
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
          assertThat(known(fixture, refused, oracle)).contains(H2Behaviour.INSERT_TRIED_AGAIN);
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

  /** Other rows have 6 in another column, which is no duplicate of the key 6. */
  @Test
  void aValueInAnotherColumnIsNotTheKeyOfAnInsertThatIsTriedAgain() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t0 (c0 INT UNIQUE, c1 DECIMAL(12,2))
        I: INSERT INTO t0 (c1) VALUES (6.0), (7.5)
        T2: BEGIN
        T2: UPDATE t0 SET c0 = 9 WHERE c1 = 7.5
        T1: INSERT INTO t0 (c0) VALUES (6), (9)
        T2: ROLLBACK
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution refused = fixture.execute(schedule, "RC");
      assertThat(refused.outcome(3).vendorCode()).as(refused.toString()).isEqualTo(23505);
      assertThat(known(fixture, refused, "txcheck")).contains(H2Behaviour.INSERT_TRIED_AGAIN);

      String taken = schedule.replace("(c1) VALUES (6.0)", "(c0, c1) VALUES (6, 6.0)");
      CaseExecution duplicate = fixture.execute(taken.replace("(7.5)", "(5, 7.5)"), "RC");
      assertThat(duplicate.outcome(3).vendorCode()).as(duplicate.toString()).isEqualTo(23505);
      assertThat(known(fixture, duplicate, "txcheck")).isEmpty();
    }
  }

  /** T1 locks a child whose parent T2 has deleted. */
  @Test
  void aQueryLocksAChildWithoutParent() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution orphan =
          fixture.execute(
              """
              I: CREATE TABLE p (id INT PRIMARY KEY)
              I: CREATE TABLE c (pid INT, FOREIGN KEY (pid) REFERENCES p)
              I: INSERT INTO p VALUES (0)
              T1: BEGIN
              T1: INSERT INTO c VALUES (0)
              T2: DELETE FROM p
              T1: SELECT * FROM c FOR UPDATE
              T1: COMMIT
              """,
              "RC");

      assertThat(known(fixture, orphan, "writecheck")).contains(H2Behaviour.FOREIGN_KEY_UNLOCKED);
      assertThat(known(fixture, orphan, "oracle of no behaviour")).isEmpty();
    }
  }

  /** T2's uncommitted row has one value of its own and one of the set-up. */
  @Test
  void anInsertIsTriedAgainBecauseOfAnUpdate() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a BIGINT, b VARCHAR, PRIMARY KEY (a, b))
        I: INSERT INTO t (a, b) VALUES (0, 'x')
        T2: BEGIN
        T2: UPDATE t SET a = %s
        T1: INSERT INTO t (a, b) VALUES (5, 'y'), (5, 'x')
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution refused = fixture.execute(schedule.formatted("5"), "RC");
      assertThat(refused.outcome(3).vendorCode()).as(refused.toString()).isEqualTo(23505);
      assertThat(known(fixture, refused, "txcheck")).contains(H2Behaviour.INSERT_TRIED_AGAIN);
      CaseExecution accepted = fixture.execute(schedule.formatted("6"), "RC");
      assertThat(accepted.outcome(3).updateCount()).isEqualTo(2);
      assertThat(known(fixture, accepted, "txcheck")).isEmpty();
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
      assertThat(verdict.statement()).as("the final state shows it").isEmpty();
      assertKnown(fixture, wrong, verdict, H2Behaviour.EXTREMES_BY_INDEX);
      CaseExecution locked =
          fixture.execute(
              schedule.replace(
                  "UPDATE t SET b = b WHERE a = 2", "SELECT * FROM t WHERE a = 2 FOR UPDATE"),
              "SI");
      assertKnownByTroc(fixture, locked, H2Behaviour.EXTREMES_BY_INDEX);
      CaseExecution merged =
          fixture.execute(
              schedule.replace(
                  "UPDATE t SET b = b WHERE a = 2",
                  "MERGE INTO t USING (VALUES (2, 2)) AS s (a, b) ON t.a = s.a"
                      + " WHEN MATCHED THEN UPDATE SET b = 2"),
              "RR");
      assertKnownByTroc(fixture, merged, H2Behaviour.EXTREMES_BY_INDEX);
      CaseExecution replaced =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))
              I: INSERT INTO t VALUES (1, 7)
              T1: BEGIN
              T1: UPDATE t SET a = -1
              T1: INSERT INTO t VALUES (4, 7)
              T1: SELECT MAX(a) FROM t
              """,
              "SI");
      assertThat(replaced.outcome(4).rows().toString()).contains("-1");
      assertKnownByTroc(fixture, replaced, H2Behaviour.EXTREMES_BY_INDEX);
      CaseExecution beside =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))
              I: INSERT INTO t VALUES (0, 3)
              T1: BEGIN
              T1: INSERT INTO t VALUES (-1, 3)
              T1: SELECT * FROM t FOR UPDATE
              T1: SELECT MAX(a) FROM t
              """,
              "RR");
      assertThat(beside.outcome(4).rows().toString()).contains("-1");
      assertKnownByTroc(fixture, beside, H2Behaviour.EXTREMES_BY_INDEX);
      CaseExecution deleted =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT PRIMARY KEY)
              I: INSERT INTO t VALUES (1)
              T1: BEGIN
              T1: INSERT INTO t VALUES (4)
              T1: DELETE FROM t
              T1: SELECT MAX(a) FROM t
              """,
              "SI");
      assertThat(deleted.outcome(4).rows().toString()).contains("1");
      assertKnownByTroc(fixture, deleted, H2Behaviour.EXTREMES_BY_INDEX);
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
      assertKnown(fixture, execution, verdict, InnodbBehaviour.UNDONE_INSERT);
      CaseExecution elsewhere =
          fixture.execute(
              schedule
                  .replace("T2: INSERT INTO t VALUES (5)\n", "")
                  .replace("T1: INSERT INTO t VALUES (5, 1, 1)", "T1: INSERT INTO u VALUES (5)"),
              "RR");
      assertThat(known(fixture, elsewhere, "writecheck")).isEmpty();
    }
  }

  /** T2's UPDATE sees the first row as before T1, and the others as after it. */
  private static final String HALF_AN_UPDATE =
      """
      I: CREATE TABLE t (a INT, b INT) {ENGINE}
      I: INSERT INTO t VALUES (NULL, 1), (2, 2), (NULL, 3)
      T1: BEGIN
      T1: UPDATE t SET a = 10
      T2: UPDATE t SET b = 20 WHERE a IS NOT NULL
      T1: COMMIT
      """;

  @ParameterizedTest
  @ValueSource(strings = {"RU", "RC"})
  void anUpdateThatSeesHalfOfAnotherIsSemiConsistent(String level) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution half = fixture.execute(HALF_AN_UPDATE, level);
      for (Oracle oracle : List.of(new Troc(), new WriteCheck())) {
        OracleVerdict verdict = oracle.judge(half, fixture.executor());
        assertKnown(fixture, half, verdict, InnodbBehaviour.SEMI_CONSISTENT_READ);
      }
      assertThat(known(fixture, fixture.execute(HALF_AN_UPDATE, "RR"), "troc")).isEmpty();
    }
  }

  /** As MariaDB 10.2.11 does, imitated: the parent is gone when T1 goes on, and T1 succeeds. */
  @Test
  void aReferenceToADeletedParentIsNotSemiConsistent() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution refused =
          fixture.execute(
              """
              I: CREATE TABLE p (a INT PRIMARY KEY) {ENGINE}
              I: CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES p (a) ON DELETE SET NULL) {ENGINE}
              I: INSERT INTO p VALUES (0)
              I: INSERT INTO t VALUES (0)
              T2: BEGIN
              T2: DELETE FROM p
              T1: REPLACE INTO t VALUES (0)
              T2: COMMIT
              """,
              "RC");
      List<List<@Nullable Object>> orphan =
          List.of(Collections.singletonList(null), Collections.singletonList(BigDecimal.ZERO));
      CaseExecution accepted = accepted(refused, orphan);

      assertThat(known(fixture, accepted, "writecheck")).isEmpty();
    }
  }

  /** The same, by an UPDATE, whose scan may see a child that is gone, too. */
  @Test
  void anUpdateToADeletedParentIsNotSemiConsistent() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution refused =
          fixture.execute(
              """
              I: CREATE TABLE p (a INT PRIMARY KEY) {ENGINE}
              I: CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (a)) {ENGINE}
              I: INSERT INTO p VALUES (0)
              I: INSERT INTO t VALUES (1, 0), (2, NULL)
              T2: BEGIN
              T2: DELETE FROM t WHERE id = 1
              T2: DELETE FROM p
              T1: UPDATE t SET a = 0 WHERE id = 2
              T2: COMMIT
              """,
              "RC");
      CaseExecution accepted =
          accepted(refused, List.of(List.of(BigDecimal.valueOf(2), BigDecimal.ZERO)));

      assertThat(known(fixture, accepted, "writecheck")).isEmpty();
    }
  }

  /**
   * As MariaDB 11.8.9 does, imitated: T1 updates one row only, because T2 had deleted the other
   * one, and T2 is rolled back while T1 waits for the first.
   */
  @Test
  void anUpdateThatWaitedSkipsARowWhoseDeletionIsRolledBack() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution both =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT, b INT) {ENGINE}
              I: INSERT INTO t VALUES (NULL, 0), (1, NULL)
              T2: BEGIN
              T2: DELETE FROM t WHERE b = 0
              T1: UPDATE t SET a = 7
              T2: ROLLBACK
              """,
              "RU");
      assertThat(both.outcome(3).updateCount()).isEqualTo(2);
      StepOutcome read = both.finalReads().get(0);
      List<List<@Nullable Object>> one =
          List.of(Arrays.asList(null, BigDecimal.ZERO), Arrays.asList(BigDecimal.valueOf(7), null));
      CaseExecution skipped = withCount(both, 3, 1);
      skipped = with(skipped, skipped.outcomes(), List.of(withRows(read, one)));

      assertKnown(
          fixture,
          skipped,
          new WriteCheck().judge(skipped, fixture.executor()),
          MariaDbBehaviour.DIRTY_TARGET);
      assertThat(known(fixture, with(skipped, both.outcomes(), skipped.finalReads()), "troc"))
          .as("a count of two")
          .isEmpty();
    }
  }

  /** As MariaDB 11.8.9 does, imitated: T1 skips what T2 has deleted before it had to wait. */
  @Test
  void anUpdateSkipsARowThatABlockedStatementHasDeleted() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution selected =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT PRIMARY KEY, b INT) {ENGINE}
              I: INSERT INTO t VALUES (5, 0), (6, 0)
              T1: BEGIN
              T1: SELECT * FROM t WHERE a = 6 FOR UPDATE
              T2: BEGIN
              T2: DELETE FROM t
              T1: UPDATE t SET b = 1 WHERE a = 6
              T1: COMMIT
              T2: ROLLBACK
              """,
              "RU");
      assertThat(selected.outcome(4).blocked()).isTrue();
      CaseExecution skipped = withSql(selected, 5, "UPDATE t SET b = 1");

      assertKnown(
          fixture,
          skipped,
          new WriteCheck().judge(skipped, fixture.executor()),
          MariaDbBehaviour.DIRTY_TARGET);
    }
  }

  /** The same execution with another text of a step. */
  private static CaseExecution withSql(CaseExecution execution, int id, String sql) {
    StepOutcome of = execution.outcome(id);
    Step step = new Step(id, of.step().session(), of.step().label(), sql);
    StepOutcome changed =
        new StepOutcome(
            step,
            of.status(),
            of.blocked(),
            of.failure(),
            of.sqlState(),
            of.vendorCode(),
            of.message(),
            of.updateCount(),
            of.columns(),
            of.rows());
    return new CaseExecution(
        execution
            .testCase()
            .withSteps(
                execution.testCase().steps().stream()
                    .map(before -> before.id() == id ? step : before)
                    .toList()),
        execution.level(),
        execution.outcomes().stream()
            .map(outcome -> outcome.step().id() == id ? changed : outcome)
            .toList(),
        execution.order(),
        execution.completedBeforeEnd(),
        execution.finalReads(),
        execution.undecided(),
        execution.race(),
        execution.events());
  }

  /** The same execution with success of the statement that failed after it was blocked. */
  @SuppressWarnings("ReferenceEquality") // another execution may be equal
  private static CaseExecution accepted(CaseExecution refused, List<List<@Nullable Object>> rows) {
    StepOutcome failed =
        refused.outcomes().stream()
            .filter(outcome -> outcome.failure() != null)
            .findFirst()
            .orElseThrow();
    assertThat(failed.blocked()).isTrue();
    StepOutcome succeeded =
        new StepOutcome(
            failed.step(), StepOutcome.Status.OK, true, null, "", 0, "", 1, List.of(), List.of());
    return with(
        refused,
        refused.outcomes().stream()
            .map(outcome -> outcome == failed ? succeeded : outcome)
            .toList(),
        refused.finalReads().stream()
            .map(read -> read.rows().isEmpty() ? read : withRows(read, rows))
            .toList());
  }

  /** T2 waits for one row and then misses another one, which T1 inserts behind its scan. */
  @Test
  void aLockingQueryThatMissesARowIsSemiConsistent() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution missing =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY) {ENGINE}
              T1: BEGIN
              T1: INSERT INTO t VALUES (2)
              T2: SELECT a FROM t FOR UPDATE
              T1: INSERT INTO t VALUES (1)
              T1: COMMIT
              """,
              "RC");
      assertKnownByTroc(fixture, missing, InnodbBehaviour.SEMI_CONSISTENT_READ);
    }
  }

  /** T1's INSERT has a result and no count, and T2 reads the row. */
  @Test
  void aDirtySourceThatAWriteHasReturned() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution dirty =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT) {ENGINE}
              I: CREATE TABLE u (a INT) {ENGINE}
              I: INSERT INTO u VALUES (0)
              T1: BEGIN
              T1: INSERT INTO t VALUES (1) RETURNING a
              T2: UPDATE u SET a = (SELECT MAX(a) FROM t)
              T1: ROLLBACK
              """,
              "RU");
      OracleVerdict verdict = new WriteCheck().judge(dirty, fixture.executor());
      assertKnown(fixture, dirty, verdict, InnodbBehaviour.DIRTY_SOURCE);
    }
  }

  /** What T2's UPDATE of two tables does is known, because it finds no row. */
  @Test
  void aDirtySourceBeforeAnUpdateOfNoRow() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution dirty =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT, b INT) {ENGINE}
              I: CREATE TABLE u (a INT, b INT) {ENGINE}
              T1: BEGIN
              T1: INSERT INTO t VALUES (1, 0)
              T2: INSERT INTO u SELECT a, b FROM t
              T2: UPDATE u JOIN t ON u.b SET u.a = 2
              T1: ROLLBACK
              """,
              "RU");
      OracleVerdict verdict = new WriteCheck().judge(dirty, fixture.executor());
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertKnown(fixture, dirty, verdict, InnodbBehaviour.DIRTY_SOURCE);
    }
  }

  /**
   * T2 copies T1's uncommitted rows. T1's UPDATE waits, and each of nine rows may be seen or not:
   * too many for every combination.
   */
  @Test
  void aDirtySourceBesideAnUpdateOfManyRows() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution dirty =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT, b INT) {ENGINE}
              I: CREATE TABLE u (a INT) {ENGINE}
              I: INSERT INTO t VALUES (3, 0), (3, 0), (3, 0)
              I: INSERT INTO u VALUES (0), (1), (2), (3)
              T1: BEGIN
              T1: INSERT INTO u VALUES (8), (9)
              T2: BEGIN
              T2: UPDATE t SET b = 1
              T2: INSERT INTO t SELECT 8, 9 FROM u
              T1: UPDATE t SET a = 6 WHERE EXISTS (SELECT 1)
              T2: COMMIT
              T1: ROLLBACK
              """,
              "RU");
      OracleVerdict verdict = new WriteCheck().judge(dirty, fixture.executor());
      assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), dirty, verdict))
          .contains(InnodbBehaviour.DIRTY_SOURCE);
    }
  }

  /** T1 moves the row of t to another partition. T2 names only t; p, which T1 empties, is large. */
  @Test
  void rowsOfATableThatTheStatementDoesNotNameDoNotMatter() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution moved =
          fixture.execute(
              """
              I: CREATE TABLE p (a INT) {ENGINE}
              I: CREATE TABLE t (a INT) {ENGINE} PARTITION BY HASH (a) PARTITIONS 4
              I: INSERT INTO p VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)
              I: INSERT INTO t VALUES (2)
              T1: BEGIN
              T1: UPDATE t SET a = 4
              T1: DELETE FROM p
              T2: UPDATE t SET a = 4
              T1: COMMIT
              """,
              "RC");
      assertKnownByTroc(fixture, moved, InnodbBehaviour.MOVED_ROW);
    }
  }

  /** T2's DELETE waits for a row whose key changes, and then finds it nowhere. */
  @Test
  void aRowThatMovedBehindTheScanIsMissed() throws Exception {
    String moved =
        """
        I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT) {ENGINE}
        I: INSERT INTO t VALUES (8, 1)
        T1: BEGIN
        T1: UPDATE t SET a = 5
        T2: DELETE FROM t
        T1: UPDATE t SET a = 3
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution missed = fixture.execute(moved, "RC");
      for (Oracle oracle : List.of(new Troc(), new WriteCheck())) {
        OracleVerdict verdict = oracle.judge(missed, fixture.executor());
        assertKnown(fixture, missed, verdict, InnodbBehaviour.MOVED_ROW);
      }
      CaseExecution sameKey =
          fixture.execute(moved.replace("SET a = 5", "SET b = 5").replace("a = 3", "b = 3"), "RC");
      assertThat(known(fixture, sameKey, "troc")).isEmpty();
      assertThat(known(fixture, withCount(sameKey, 5, 0), "troc"))
          .as("a DELETE that misses a row that did not move")
          .isEmpty();
    }
  }

  /** T2's DELETE waits for a row whose key T1 changes, which is then another row. */
  @Test
  void aRowWithAChangedKeyIsNotFoundAgain() throws Exception {
    String changed =
        """
        I: CREATE TABLE t (id INT PRIMARY KEY, k INT)
        I: INSERT INTO t VALUES (8, 1)
        T1: BEGIN
        T1: UPDATE t SET id = 5
        T2: DELETE FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution missed = fixture.execute(changed, "RC");
      for (Oracle oracle : List.of(new Troc(), new WriteCheck())) {
        OracleVerdict verdict = oracle.judge(missed, fixture.executor());
        assertKnown(fixture, missed, verdict, H2Behaviour.CHANGED_KEY);
      }
      CaseExecution unique =
          fixture.execute(
              changed
                  .replace("(8, 1)", "(8, 1), (9, 2)")
                  .replace("SET id = 5", "SET id = 7 WHERE k = 1")
                  .replace("DELETE FROM t", "UPDATE t SET id = 4"),
              "RC");
      assertKnown(
          fixture,
          unique,
          new WriteCheck().judge(unique, fixture.executor()),
          H2Behaviour.CHANGED_KEY);
      CaseExecution generated =
          fixture.execute(changed.replace("INT PRIMARY KEY", "{AUTOINC}"), "RC");
      assertKnownByTroc(fixture, generated, H2Behaviour.CHANGED_KEY);
      CaseExecution sameKey = fixture.execute(changed.replace("SET id", "SET k"), "RC");
      assertThat(known(fixture, withCount(sameKey, 3, 0), "troc")).isEmpty();
    }
  }

  /** T2's MERGE finds no row, waits for the one that T1 inserts, and fails. */
  @Test
  void aMergeConflictsWithTheRowThatItWaitedFor() throws Exception {
    String merge =
        """
        I: CREATE TABLE t (a INT PRIMARY KEY, b INT)
        T1: BEGIN
        T1: INSERT INTO t VALUES (6, 1)
        T2: BEGIN
        T2: MERGE INTO t USING (VALUES (6, 2)) AS s (a, b) ON (t.a = s.a) \
        WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b)
        T1: %s
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution conflict = fixture.execute(merge.formatted("COMMIT"), "RC");
      OracleVerdict verdict = new WriteCheck().judge(conflict, fixture.executor());
      assertKnown(fixture, conflict, verdict, H2Behaviour.MERGE_CONFLICT);
      CaseExecution noConflict = fixture.execute(merge.formatted("ROLLBACK"), "RC");
      assertThat(known(fixture, noConflict, "writecheck"))
          .isNotEqualTo(Optional.of(H2Behaviour.MERGE_CONFLICT));
    }
  }

  /** T1's row moves to another partition, behind T2's scan. */
  @Test
  void aRowThatMovedToAnotherPartitionIsMissed() throws Exception {
    String moved =
        """
        I: CREATE TABLE t (a INT, b INT) {ENGINE} PARTITION BY LIST (a) \
        (PARTITION p0 VALUES IN (1, 2), PARTITION p1 VALUES IN (3, 4))
        I: INSERT INTO t VALUES (4, 7), (3, 7)
        T1: BEGIN
        T1: UPDATE t SET a = %s WHERE a = 4
        T2: UPDATE t SET b = 8 WHERE b = 7
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution missed = fixture.execute(moved.formatted("1"), "RC");
      assertKnownByTroc(fixture, missed, InnodbBehaviour.MOVED_ROW);
    }
  }

  @Test
  void waitingForARowIsNotASemiConsistentRead() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      String keys =
          """
          I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT) {ENGINE}
          I: INSERT INTO t VALUES (1, 0)
          T1: BEGIN
          T1: DELETE FROM t WHERE a = 1
          T2: %s
          T1: COMMIT
          """;
      for (String sql : List.of("INSERT INTO t VALUES (1, 2)", "DELETE FROM t")) {
        CaseExecution waiting = fixture.execute(keys.formatted(sql), "RC");
        assertThat(waiting.hadBlocking()).isTrue();
        assertThat(known(fixture, waiting, "writecheck")).isEmpty();
      }
    }
  }

  @Test
  void aDirtyReadAtTheLevelOfAPreviousBeginIsABugWithANumber() throws Exception {
    Optional<KnownBehaviour> known = knownOfDirtyReadAfterTwoBegins(ServerKind.MARIADB);
    assertThat(known).contains(MariaDbBehaviour.LEVEL_OF_PREVIOUS_BEGIN);
    assertThat(KnownBehaviour.classOf(known)).isEqualTo(FindingClass.KNOWN_BUG);
  }

  @Test
  void onMySqlADirtyReadAtTheLevelOfAPreviousBeginIsNewWithALabel() throws Exception {
    Optional<KnownBehaviour> known = knownOfDirtyReadAfterTwoBegins(ServerKind.MYSQL);
    assertThat(known).contains(MySqlBehaviour.LEVEL_OF_PREVIOUS_BEGIN);
    assertThat(KnownBehaviour.classOf(known)).isEqualTo(FindingClass.NEW);
  }

  /** T1's second transaction is at READ COMMITTED and reads T2's uncommitted row. */
  private static Optional<KnownBehaviour> knownOfDirtyReadAfterTwoBegins(ServerKind kind)
      throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution dirty =
          fixture
              .executor()
              .executeWatched(
                  CaseReader.parse(
                      "masked",
                      """
                      I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
                      I: INSERT INTO t VALUES (1,10),(2,20)
                      T1: SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
                      T1: START TRANSACTION
                      T1: START TRANSACTION
                      T2: BEGIN
                      T2: UPDATE t SET v=99 WHERE id=1
                      T3: UPDATE t SET v=v+0 WHERE id=1
                      T1@a: SELECT * FROM t
                      T2: ROLLBACK
                      T1: COMMIT
                      """),
                  IsolationLevel.READ_COMMITTED);
      OracleVerdict verdict = new IsoRel().judge(dirty, fixture.executor());
      assertThat(verdict.phenomenon()).contains(Phenomenon.ABORTED_READ);
      return DbmsRegistry.knownBehaviour(fixture.executor(), dirty, verdict);
    }
  }

  /** T1 updates two rows, one to what it is; its snapshot still shows that one as before T2. */
  @Test
  void aRowThatAnUpdateLeftUnchangedIsSeenAsOfTheSnapshot() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT, b INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        T1: BEGIN
        T1: SELECT * FROM t
        T2: UPDATE t SET a = 10 WHERE b = 1
        T1: UPDATE t SET a = 10
        T1: SELECT * FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution old = fixture.execute(schedule, "RR");
      assertKnownByTroc(fixture, old, InnodbBehaviour.SNAPSHOT_BESIDE_CURRENT_READ);
      CaseExecution changed =
          fixture.execute(
              schedule.replace("T1: UPDATE t SET a = 10", "T1: UPDATE t SET a = 11"), "RR");
      assertThat(known(fixture, changed, "troc")).isEmpty();
    }
  }

  /** T1 replaces T2's row by an equal one, which leaves it as it is. */
  @Test
  void aRowThatReplaceLeftUnchangedIsSeenAsOfTheSnapshot() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT PRIMARY KEY, b INT) {ENGINE}
        T1: BEGIN
        T1: SELECT * FROM t
        T2: INSERT INTO t VALUES (1, 1)
        T1: REPLACE INTO t VALUES (1, 1)
        T1: SELECT * FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution old = fixture.execute(schedule, "RR");
      assertKnownByTroc(fixture, old, InnodbBehaviour.SNAPSHOT_BESIDE_CURRENT_READ);
      CaseExecution changed =
          fixture.execute(
              schedule.replace(
                  "T1: REPLACE INTO t VALUES (1, 1)", "T1: REPLACE INTO t VALUES (1, 2)"),
              "RR");
      assertThat(known(fixture, changed, "troc")).isEmpty();
    }
  }

  /**
   * T2 moves a row to another partition, where T1 deletes it; T1's snapshot has it in the first.
   */
  @Test
  void aRowThatMovedToAnotherPartitionAndWasDeletedThereIsSeenAsOfTheSnapshot() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT) {ENGINE} PARTITION BY HASH (a) PARTITIONS 7
        I: INSERT INTO t VALUES (5)
        T1: START TRANSACTION WITH CONSISTENT SNAPSHOT
        T2: UPDATE t SET a = 1
        T1: DELETE FROM t
        T1: SELECT * FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution moved = fixture.execute(schedule, "RR");
      assertKnownByTroc(fixture, moved, InnodbBehaviour.SNAPSHOT_BESIDE_CURRENT_READ);
    }
  }

  /** T1's UPDATE leaves the row as it is, so that the recursive query still sees the snapshot. */
  @Test
  void aRecursiveQuerySeesTheSnapshotOfARowThatAnUpdateLeftUnchanged() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution old =
          fixture.execute(
              """
              I: CREATE TABLE t (a INT, b INT, c INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 1, 0)
              T1: BEGIN
              T1: SELECT a FROM t WHERE a IN (8)
              T2: UPDATE t SET c = 1
              T1: UPDATE t SET b = 1
              T1: WITH RECURSIVE w(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM w WHERE n < 2) \
              SELECT n FROM w CROSS JOIN t WHERE c
              T1: COMMIT
              """,
              "RR");
      assertKnownByTroc(fixture, old, InnodbBehaviour.SNAPSHOT_BESIDE_CURRENT_READ);
    }
  }

  /** T2's command reads one row again after it waited, and the other as of its start. */
  @Test
  void aCommandThatReadsOnlyTheRowItWaitedForAgain() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT PRIMARY KEY, b INT)
        I: INSERT INTO t VALUES (1, 10), (2, 20)
        T1: BEGIN
        T1: UPDATE t SET b = b + 10
        T2: DELETE FROM t WHERE b = 20
        T1: COMMIT
        """;
    for (ServerKind kind : List.of(ServerKind.POSTGRESQL, ServerKind.H2)) {
      try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
        CaseExecution execution = fixture.execute(schedule, "RC");
        OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());
        assertKnown(
            fixture,
            execution,
            verdict,
            kind == ServerKind.H2
                ? H2Behaviour.READ_COMMITTED_RECHECK
                : PostgresBehaviour.READ_COMMITTED_RECHECK);
      }
    }
  }

  /** T2 skips a row that T1 deletes: each precedes the other. */
  @Test
  void aConflictThatDoesNotCountAsRead() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT PRIMARY KEY, b INT)
        I: INSERT INTO t VALUES (2, 0)
        T1: BEGIN
        T2: BEGIN
        T2: INSERT INTO t VALUES (9, 0), (2, 1) ON CONFLICT DO NOTHING
        T1: DELETE FROM t WHERE b = 0
        T1: COMMIT
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution = fixture.execute(schedule, "SER");
      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());
      assertKnown(fixture, execution, verdict, PostgresBehaviour.UNREAD_CONFLICT);
      CaseExecution withoutConflict =
          fixture.execute(schedule.replace("(9, 0), (2, 1)", "(9, 0)"), "SER");
      assertThat(new WriteCheck().judge(withoutConflict, fixture.executor()).result())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** T2 inserts a child of the parent that T1 deletes. */
  @Test
  void aChildLosesItsParent() throws Exception {
    String schedule =
        """
        I: CREATE TABLE p (id INT PRIMARY KEY)
        I: CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id))
        I: INSERT INTO p VALUES (1)
        T1: BEGIN
        T2: BEGIN
        T2: INSERT INTO c VALUES (1, 1)
        T1: DELETE FROM p
        T1: COMMIT
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution = fixture.execute(schedule, "RC");
      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());
      assertKnown(fixture, execution, verdict, H2Behaviour.FOREIGN_KEY_UNLOCKED);
      CaseExecution skewBesideIt =
          fixture.execute(
              """
              I: CREATE TABLE p (id INT PRIMARY KEY)
              I: CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id))
              I: CREATE TABLE t (a INT)
              I: INSERT INTO p VALUES (1)
              I: INSERT INTO t VALUES (1), (5)
              T1: BEGIN
              T2: BEGIN
              T2: INSERT INTO c VALUES (1, NULL)
              T1: DELETE FROM p
              T1: UPDATE t SET a = 5 WHERE a = 1
              T2: UPDATE t SET a = 1 WHERE a = 5
              T1: COMMIT
              T2: COMMIT
              """,
              "RC");
      OracleVerdict skew = new WriteCheck().judge(skewBesideIt, fixture.executor());
      assertKnown(fixture, skewBesideIt, skew, CommonBehaviour.READ_COMMITTED_WRITE_SKEW);
    }
  }

  private static Optional<KnownBehaviour> known(
      ExecutorFixture fixture, CaseExecution execution, String oracle) throws Exception {
    return DbmsRegistry.knownBehaviour(
        fixture.executor(),
        execution,
        new OracleVerdict(oracle, OracleVerdict.Result.VIOLATION, ""));
  }

  private static void assertKnownByTroc(
      ExecutorFixture fixture, CaseExecution execution, KnownBehaviour expected) throws Exception {
    OracleVerdict verdict = new Troc().judge(execution, fixture.executor());
    assertKnown(fixture, execution, verdict, expected);
  }

  /** T1's second query, after a rollback to a savepoint before the first one, sees T2's change. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void aSnapshotEndsWithARollbackToAnEarlySavepoint(ServerKind kind) throws Exception {
    String early =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 10), (2, 20)
        T1: BEGIN
        T1: SAVEPOINT s
        T1: SELECT * FROM t
        T2: UPDATE t SET v = 11 WHERE id = 1
        T1: ROLLBACK TO SAVEPOINT s
        T1: SELECT * FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution = fixture.execute(early, "RR");
      for (Oracle oracle : List.of(new Troc(), new IsoRel())) {
        OracleVerdict verdict = oracle.judge(execution, fixture.executor());
        assertKnown(fixture, execution, verdict, InnodbBehaviour.EARLY_SAVEPOINT);
      }
      CaseExecution late =
          fixture.execute(
              early.replace(
                  "T1: SAVEPOINT s\nT1: SELECT",
                  "T1: SELECT 1 FROM t\nT1: SAVEPOINT s\nT1: SELECT"),
              "RR");
      assertThat(new Troc().judge(late, fixture.executor()).result())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** Asserts the label of a violation, and that other rows, counts and final states have none. */
  private static void assertKnown(
      ExecutorFixture fixture,
      CaseExecution execution,
      OracleVerdict verdict,
      KnownBehaviour expected)
      throws Exception {
    assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
    assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict))
        .as(execution.toString())
        .contains(expected);
    List<CaseExecution> others = others(execution);
    assertThat(others).isNotEmpty();
    for (CaseExecution other : others) {
      assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), other, verdict))
          .as(other.toString())
          .isEmpty();
    }
  }

  /** The same execution with one value, one row or one count changed. */
  private static List<CaseExecution> others(CaseExecution execution) {
    List<CaseExecution> others = new ArrayList<>();
    for (StepOutcome outcome : execution.outcomes()) {
      if (outcome.isQuery()) {
        otherRows(outcome).forEach(rows -> others.add(with(execution, withRows(outcome, rows))));
      } else if (outcome.updateCount() >= 0 && isSearchedWrite(outcome)) {
        others.add(withCount(execution, outcome.step().id(), outcome.updateCount() + 1));
      }
    }
    for (int i = 0; i < execution.finalReads().size(); i++) {
      StepOutcome read = execution.finalReads().get(i);
      for (List<List<@Nullable Object>> rows : otherRows(read)) {
        List<StepOutcome> finalReads = new ArrayList<>(execution.finalReads());
        finalReads.set(i, withRows(read, rows));
        others.add(with(execution, execution.outcomes(), finalReads));
      }
    }
    return others;
  }

  private static boolean isSearchedWrite(StepOutcome outcome) {
    return outcome.step().sql().startsWith("UPDATE") || outcome.step().sql().startsWith("DELETE");
  }

  private static List<List<List<@Nullable Object>>> otherRows(StepOutcome read) {
    List<List<List<@Nullable Object>>> others = new ArrayList<>();
    for (int i = 0; i < read.rows().size(); i++) {
      List<List<@Nullable Object>> changed = new ArrayList<>(read.rows());
      List<@Nullable Object> row = new ArrayList<>(read.rows().get(i));
      row.set(0, BigDecimal.valueOf(4711));
      changed.set(i, row);
      others.add(changed);
    }
    List<List<@Nullable Object>> more = new ArrayList<>(read.rows());
    more.add(new ArrayList<>(Collections.nCopies(read.columns().size(), BigDecimal.valueOf(4711))));
    others.add(more);
    return others;
  }

  private static CaseExecution withCount(CaseExecution execution, int id, long count) {
    StepOutcome of = execution.outcome(id);
    return with(
        execution,
        new StepOutcome(
            of.step(),
            of.status(),
            of.blocked(),
            of.failure(),
            of.sqlState(),
            of.vendorCode(),
            of.message(),
            count,
            of.columns(),
            of.rows()));
  }

  private static StepOutcome withRows(StepOutcome of, List<List<@Nullable Object>> rows) {
    return new StepOutcome(
        of.step(),
        of.status(),
        of.blocked(),
        of.failure(),
        of.sqlState(),
        of.vendorCode(),
        of.message(),
        of.updateCount(),
        of.columns(),
        rows);
  }

  private static CaseExecution with(CaseExecution execution, StepOutcome changed) {
    return with(
        execution,
        execution.outcomes().stream()
            .map(outcome -> outcome.step().equals(changed.step()) ? changed : outcome)
            .toList(),
        execution.finalReads());
  }

  private static CaseExecution with(
      CaseExecution execution, List<StepOutcome> outcomes, List<StepOutcome> finalReads) {
    return new CaseExecution(
        execution.testCase(),
        execution.level(),
        outcomes,
        execution.order(),
        execution.completedBeforeEnd(),
        finalReads,
        execution.undecided(),
        execution.race(),
        execution.events());
  }
}
