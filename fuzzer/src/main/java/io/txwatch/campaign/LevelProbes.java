package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether a DBMS executes everything at one level as at a weaker one: a level that was mapped to
 * another one by a setting, a proxy or a fault. Each phenomenon that distinguishes levels is tried
 * once. A single anomaly, which the weaker level permits, does not show that. Thread-safe.
 */
final class LevelProbes {

  private static final String SETUP =
      """
      I: CREATE TABLE txw_probe (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO txw_probe VALUES (1, 0), (2, 0)
      T1: BEGIN
      T2: BEGIN
      """;

  /** Dirty read; non-repeatable read and phantom; lost update; write skew. */
  private static final List<TestCase> PROBES =
      List.of(
          probe(
              """
              T2: UPDATE txw_probe SET v = 7 WHERE id = 1
              T1: SELECT v FROM txw_probe WHERE id = 1
              T2: ROLLBACK
              T1: COMMIT
              """),
          probe(
              """
              T1: SELECT id, v FROM txw_probe ORDER BY id
              T2: UPDATE txw_probe SET v = 7 WHERE id = 1
              T2: INSERT INTO txw_probe VALUES (3, 0)
              T2: COMMIT
              T1: SELECT id, v FROM txw_probe ORDER BY id
              T1: COMMIT
              """),
          probe(
              """
              T1: SELECT v FROM txw_probe WHERE id = 1
              T2: SELECT v FROM txw_probe WHERE id = 1
              T1: UPDATE txw_probe SET v = 1 WHERE id = 1
              T1: COMMIT
              T2: UPDATE txw_probe SET v = 2 WHERE id = 1
              T2: COMMIT
              """),
          probe(
              """
              T1: SELECT v FROM txw_probe WHERE id = 1
              T2: SELECT v FROM txw_probe WHERE id = 2
              T1: UPDATE txw_probe SET v = 1 WHERE id = 2
              T2: UPDATE txw_probe SET v = 1 WHERE id = 1
              T1: COMMIT
              T2: COMMIT
              """));

  private final Map<String, Boolean> mapped = new ConcurrentHashMap<>();

  private static TestCase probe(String steps) {
    try {
      return CaseReader.parse(
          "probe", SETUP + steps + "F: SELECT id, v FROM txw_probe ORDER BY id\n");
    } catch (CaseFormatException e) {
      throw new IllegalStateException(e); // the texts above are cases
    }
  }

  /** Whether all phenomena occur at a level as they occur at a weaker one. */
  boolean isMapped(
      CaseExecutor executor, Oracle oracle, IsolationLevel level, IsolationLevel weaker)
      throws SQLException, InterruptedException {
    String pair = level + " " + weaker;
    Boolean known = mapped.get(pair);
    if (known == null) {
      known = areEqual(executor, oracle, level, weaker);
      mapped.put(pair, known);
    }
    return known;
  }

  private static boolean areEqual(
      CaseExecutor executor, Oracle oracle, IsolationLevel level, IsolationLevel weaker)
      throws SQLException, InterruptedException {
    try {
      for (TestCase probe : PROBES) {
        if (!executor
            .execute(probe, level, oracle)
            .toString()
            .equals(executor.execute(probe, weaker, oracle).toString())) {
          return false;
        }
      }
    } catch (ScheduleExecutor.SetupException e) {
      return false; // nothing is known of the levels
    }
    return true;
  }
}
