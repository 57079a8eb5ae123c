package io.txwatch.dbms.mysql;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.oracle.registry.OracleRegistry;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Savepoints that a transaction sets before it uses a table. ROLLBACK TO such a savepoint rolls
 * back the whole transaction of the storage engine, which had not begun when the savepoint was set:
 * its snapshot and its locks are gone, as if the transaction had ended and begun again.
 */
final class EarlySavepoints {

  /** By session, the early savepoints of its open transaction. */
  private final Map<String, Set<String>> early = new HashMap<>();

  /** The sessions whose open transactions may have used a table. */
  private final Set<String> used = new HashSet<>();

  private final List<Step> steps = new ArrayList<>();
  private int nextId;

  private EarlySavepoints(TestCase testCase) {
    nextId = 1 + testCase.steps().stream().mapToInt(Step::id).max().orElse(0);
    testCase.steps().forEach(this::add);
  }

  /**
   * True if a case is a violation again, and is none, with the same results, where each ROLLBACK TO
   * an early savepoint ends the transaction and another one begins.
   */
  static boolean explain(Evidence evidence)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    TestCase testCase = evidence.execution().testCase();
    List<Step> steps = new EarlySavepoints(testCase).steps;
    if (steps.size() == testCase.steps().size()) {
      return false;
    }
    TestCase ended = testCase.withSteps(steps);
    OracleKind kind = OracleKind.named(evidence.verdict().oracle()).orElseThrow();
    Oracle oracle = OracleRegistry.create(kind, Judge.DBMS);
    return evidence.hasSameResultsIn(ended)
        && evidence.disappearsIn(ended, oracle)
        && !evidence.disappearsIn(testCase, oracle);
  }

  private void add(Step step) {
    String session = step.session();
    SqlText text = SqlText.of(step.sql());
    switch (step.role()) {
      case BEGIN -> {
        early.put(session, new HashSet<>());
        used.remove(session);
        if (text.has("SNAPSHOT")) {
          used.add(session);
        }
      }
      case COMMIT, ROLLBACK -> early.remove(session);
      case WORK -> {
        Set<String> savepoints = early.getOrDefault(session, Set.of());
        if (text.rollsBackToSavepoint() && savepoints.contains(text.savepoint())) {
          steps.add(new Step(step.id(), session, Optional.empty(), "ROLLBACK"));
          steps.add(new Step(nextId++, session, Optional.empty(), "BEGIN"));
          for (String savepoint : savepoints) {
            steps.add(new Step(nextId++, session, Optional.empty(), "SAVEPOINT " + savepoint));
          }
          used.remove(session);
          return;
        }
        if (early.containsKey(session)) {
          addWork(session, text, savepoints);
        }
      }
    }
    steps.add(step);
  }

  private void addWork(String session, SqlText text, Set<String> savepoints) {
    if (!text.isSavepoint()) {
      used.add(session);
    } else if (text.startsWith("SAVEPOINT")) {
      if (used.contains(session)) {
        savepoints.remove(text.savepoint());
      } else {
        savepoints.add(text.savepoint());
      }
    }
  }
}
