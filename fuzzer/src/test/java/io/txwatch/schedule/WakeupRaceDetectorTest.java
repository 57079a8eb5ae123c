package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Failure;
import io.txwatch.servers.ServerKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WakeupRaceDetectorTest {

  private static final String SET_UP =
      """
      I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)
      T1: BEGIN
      T1: UPDATE t SET v = 11 WHERE id IN (1, 2)
      """;

  /** T2 and T3 wait for T1 at different rows, and both want the third row. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void sessionsReleasedByOneCommitRace(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              SET_UP
                  + """
                  T2: UPDATE t SET v = 2 WHERE id IN (1, 3)
                  T3: UPDATE t SET v = 3 WHERE id IN (2, 3)
                  T1: COMMIT
                  """,
              "RC");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.race()).as(execution.toString()).isPresent();
      assertThat(execution.inconclusiveReason()).isEqualTo(execution.race());
    }
  }

  /**
   * T2 and T3 are released together, and each then wants what the other one has locked: one is
   * aborted.
   */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void sessionsReleasedByOneCommitRaceEvenIfOneIsAVictim(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)
              T1: BEGIN
              T1: UPDATE t SET v = 11 WHERE id IN (1, 2)
              T2: BEGIN
              T2: UPDATE t SET v = 2 WHERE id = 4
              T3: BEGIN
              T3: UPDATE t SET v = 3 WHERE id = 3
              T2: UPDATE t SET v = 2 WHERE id IN (1, 3)
              T3: UPDATE t SET v = 3 WHERE id IN (2, 4)
              T1: COMMIT
              """,
              "RC");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcomes())
          .as(execution.toString())
          .anyMatch(WakeupRaceDetectorTest::isVictim);
      assertThat(execution.race()).as(execution.toString()).isPresent();
    }
  }

  /**
   * T3 closes a cycle, and the abort of T2 releases T3 and T1. If T1 is faster, T3 fails as well,
   * because it reads a row changed since its snapshot.
   */
  @Test
  void theSessionThatClosesACycleRacesWithTheVictimsWaiter() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      for (int i = 0; i < 20; i++) {
        CaseExecution execution =
            fixture.execute(
                """
                I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
                I: INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)
                T3: BEGIN
                T3: UPDATE t SET v = 33 WHERE id = 3
                T2: BEGIN
                T2: UPDATE t SET v = 11 WHERE id = 1
                T2: UPDATE t SET v = 23 WHERE id = 3
                T1: DELETE FROM t WHERE id <= 2
                T3: SELECT * FROM t FOR UPDATE
                T3: COMMIT
                """,
                "SER");

        assertThat(execution.undecided()).isEmpty();
        assertThat(execution.outcome(5))
            .as(execution.toString())
            .matches(WakeupRaceDetectorTest::isVictim);
        assertThat(execution.race()).as(execution.toString()).isPresent();
      }
    }
  }

  /**
   * T2 waits for T1, which has rolled back to a savepoint, so T2 searches for cycles all the time.
   * If T2 finds the cycle that T1 closes before T1 does, T1 continues; otherwise H2 may never wake
   * it.
   */
  @Test
  void aBlockedSessionMayFindTheDeadlockFirst() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      for (int i = 0; i < 20; i++) {
        CaseExecution execution =
            fixture.execute(
                """
                I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
                I: INSERT INTO t VALUES (1, 10), (2, 20)
                T1: BEGIN
                T1: UPDATE t SET v = 22 WHERE id = 2
                T1: SAVEPOINT s
                T1: UPDATE t SET v = 23 WHERE id = 2
                T1: ROLLBACK TO SAVEPOINT s
                T2: SELECT * FROM t FOR UPDATE
                T1: DELETE FROM t
                T1: COMMIT
                """,
                "RR");

        assertThat(execution.outcome(6))
            .as(execution.toString())
            .matches(WakeupRaceDetectorTest::isVictim);
        assertThat(execution.race()).as(execution.toString()).isPresent();
      }
    }
  }

  private static boolean isVictim(StepOutcome outcome) {
    return outcome.failure() != null && outcome.failure().kind() == Failure.Kind.DEADLOCK;
  }

  /** T3 is behind T2 in the queue for one row, and T2 keeps its lock to its end. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void queuedSessionsDoNotRace(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              SET_UP
                  + """
                  T2: UPDATE t SET v = v + 2 WHERE id = 1
                  T3: UPDATE t SET v = v + 3 WHERE id = 1
                  T1: ROLLBACK
                  """,
              "RR");

      assertThat(execution.inconclusiveReason()).as(execution.toString()).isEmpty();
      assertThat(execution.order()).containsExactly(1, 2, 5, 3, 4);
    }
  }
}
