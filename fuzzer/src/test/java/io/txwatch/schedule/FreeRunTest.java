package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Executions with freely threaded sessions. */
class FreeRunTest {

  private static final int MAX_ATTEMPTS = 100;

  private static final TestCase TWO_UPDATES =
      testCase(
          """
          I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
          I: INSERT INTO t VALUES (1, 0), (2, 0)
          T1: BEGIN
          T1: SELECT v FROM t WHERE id = 1
          T1: UPDATE t SET v = v + 1 WHERE id = 1
          T1: COMMIT
          T2: BEGIN
          T2: SELECT v FROM t WHERE id = 1
          T2: UPDATE t SET v = v + 1 WHERE id = 1
          T2: COMMIT
          T2: UPDATE t SET v = v + 1 WHERE id = 2
          """);

  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB", "POSTGRESQL"})
  void eachSessionExecutesItsStepsInTheirOrder(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (int i = 0; i < 10; i++) {
        FreeExecution free =
            fixture.executor().executeFreely(TWO_UPDATES, IsolationLevel.READ_COMMITTED);
        CaseExecution execution = free.execution();

        assertThat(execution.undecided()).isEmpty();
        assertThat(execution.outcomes()).allMatch(StepOutcome::succeeded);
        assertThat(execution.finalState().toString()).contains("1,2").contains("2,1");
        assertThat(execution.events()).isNotEmpty();
        assertThat(free.schedules()).isNotEmpty();
        for (TestCase schedule : free.schedules()) {
          assertThat(schedule.header("order")).contains("observed");
          assertThat(schedule.steps().stream().map(Step::id)).isSorted().hasSize(9);
          for (String session : execution.testCase().sessions()) {
            assertThat(texts(schedule, session)).isEqualTo(texts(execution.testCase(), session));
          }
        }
      }
    }
  }

  private static List<String> texts(TestCase testCase, String session) {
    return testCase.steps().stream()
        .filter(step -> step.session().equals(session))
        .map(Step::sql)
        .toList();
  }

  /** InnoDB loses an update at REPEATABLE READ if both transactions read before one writes. */
  @Test
  void aViolationIsShownAgainByAnObservedOrder() throws Exception {
    IsoRel oracle = new IsoRel(Judge.ADYA);
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (int i = 0; i < MAX_ATTEMPTS; i++) {
        FreeExecution free =
            fixture.executor().executeFreely(TWO_UPDATES, IsolationLevel.REPEATABLE_READ);
        OracleVerdict verdict = oracle.judge(free.execution(), fixture.executor());
        if (verdict.result() == OracleVerdict.Result.VIOLATION) {
          boolean isShownAgain = false;
          for (TestCase schedule : free.schedules()) {
            CaseExecution again =
                fixture.executor().executeWatched(schedule, IsolationLevel.REPEATABLE_READ);
            isShownAgain |= oracle.judge(again, fixture.executor()).reproduces(verdict);
          }
          assertThat(isShownAgain).as("%s", free).isTrue();
          return;
        }
      }
      throw new AssertionError("no violation in " + MAX_ATTEMPTS + " executions");
    }
  }

  /** T1 fails and skips the rest of its transaction, as with a schedule. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "POSTGRESQL"})
  void stepsAfterAnErrorThatEndsTheTransactionAreSkipped(ServerKind kind) throws Exception {
    TestCase crossing =
        testCase(
            """
            I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
            I: INSERT INTO t VALUES (1, 0), (2, 0)
            T1: BEGIN
            T1: UPDATE t SET v = 1 WHERE id = 1
            T1: UPDATE t SET v = 1 WHERE id = 2
            T1: COMMIT
            T2: BEGIN
            T2: UPDATE t SET v = 2 WHERE id = 2
            T2: UPDATE t SET v = 2 WHERE id = 1
            T2: COMMIT
            """);
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (int i = 0; i < MAX_ATTEMPTS; i++) {
        FreeExecution free =
            fixture.executor().executeFreely(crossing, IsolationLevel.READ_COMMITTED);
        long skipped =
            free.execution().outcomes().stream()
                .filter(outcome -> outcome.status() == StepOutcome.Status.SKIPPED)
                .count();
        if (skipped > 0) { // a deadlock
          assertThat(free.schedules()).allMatch(schedule -> schedule.steps().size() == 8);
          return;
        }
      }
      throw new AssertionError("no deadlock in " + MAX_ATTEMPTS + " executions");
    }
  }

  private static TestCase testCase(String text) {
    try {
      return CaseReader.parse("free", text);
    } catch (CaseFormatException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
