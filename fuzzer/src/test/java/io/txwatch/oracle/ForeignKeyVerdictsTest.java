package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Foreign key checks lock parents, and their actions write children, based on committed rows
 * instead of the statement's view: neither is reported as a violation. H2's missing lock is.
 */
class ForeignKeyVerdictsTest {

  private static final String TABLES =
      """
      I: CREATE TABLE p (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: CREATE TABLE c (id INT NOT NULL PRIMARY KEY, pid INT, v INT, \
      FOREIGN KEY (pid) REFERENCES p (id)%s) {ENGINE}
      I: INSERT INTO p VALUES (1, 10), (2, 20)
      I: INSERT INTO c VALUES (1, 1, 100)
      """;

  private static final String CASCADE = TABLES.formatted(" ON DELETE CASCADE ON UPDATE CASCADE");

  private static final Map<String, String> SCHEDULES =
      Map.of(
          "a child comes while its parent goes",
          TABLES.formatted("")
              + """
              T1: BEGIN
              T2: BEGIN
              T1: INSERT INTO c VALUES (2, 2, 200)
              T2: DELETE FROM p WHERE id = 2
              T1: COMMIT
              T2: COMMIT
              """,
          "a parent's other columns change beside its child",
          TABLES.formatted("")
              + """
              T1: BEGIN
              T1: INSERT INTO c VALUES (2, 2, 200)
              T2: UPDATE p SET v = 21 WHERE id = 2
              T1: UPDATE c SET pid = NULL WHERE id = 2
              T1: COMMIT
              """,
          "a parent goes whose child has gone since the snapshot",
          CASCADE
              + """
              T1: BEGIN
              T1: SELECT * FROM p
              T2: DELETE FROM c WHERE id = 1
              T1: DELETE FROM p WHERE id = 1
              T1: SELECT * FROM c
              T1: COMMIT
              """,
          "a parent goes beside a change of its child",
          CASCADE
              + """
              T1: BEGIN
              T2: BEGIN
              T1: UPDATE c SET v = 101 WHERE id = 1
              T2: DELETE FROM p WHERE id = 1
              T1: COMMIT
              T2: SELECT * FROM c
              T2: COMMIT
              """,
          "a child follows its parent's key",
          CASCADE
              + """
              T1: BEGIN
              T2: BEGIN
              T2: SELECT * FROM c
              T1: UPDATE p SET id = 9 WHERE id = 1
              T2: UPDATE c SET v = 102 WHERE pid = 1
              T1: COMMIT
              T2: SELECT * FROM c
              T2: COMMIT
              """);

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, a parent goes whose child has gone since the snapshot at SER: writecheck"
        + " postgresql-foreign-key-beside-snapshot",
    "MARIADB, ''",
    "H2, a child comes while its parent goes at RC: writecheck h2-foreign-key-unlocked",
    "SQLITE, ''"
  })
  void foreignKeysCauseNoFalseAlarms(ServerKind kind, String expected) throws Exception {
    List<String> violations = new ArrayList<>();
    List<String> log = new ArrayList<>();
    int decided = 0;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (Map.Entry<String, String> schedule : SCHEDULES.entrySet()) {
        TestCase testCase = CaseReader.parse(schedule.getKey(), schedule.getValue());
        for (IsolationLevel level : fixture.dbms().levels()) {
          CaseExecution execution = fixture.execute(testCase, level);
          for (Oracle oracle : List.of(new WriteCheck(), new Troc())) {
            OracleVerdict verdict = oracle.judge(execution, fixture.executor());
            String where = schedule.getKey() + " at " + level.shortName() + ": " + oracle.name();
            log.add(where + " " + verdict + "\n" + execution);
            decided += verdict.result() == Result.CLEAN ? 1 : 0;
            if (verdict.result() == Result.VIOLATION) {
              violations.add(
                  where
                      + DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict)
                          .map(known -> " " + known.id())
                          .orElse(""));
            }
          }
        }
      }
    }

    assertThat(String.join("\n", violations)).as(String.join("\n", log)).isEqualTo(expected);
    assertThat(decided).as(String.join("\n", log)).isGreaterThanOrEqualTo(2 * SCHEDULES.size() - 1);
  }
}
