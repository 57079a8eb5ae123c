package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.log.LogCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * T2 takes the key of a row away that T1 has read, and T1 writes a row with that key: InnoDB stores
 * both in one place, so T1's snapshot no longer shows the one that it had read. No oracle takes
 * this for a deletion that T1 sees, or for a row that is lost.
 */
class HiddenRowVerdictsTest {

  private static final List<Oracle> ORACLES =
      List.of(
          new WriteCheck(),
          new Troc(),
          new TxCheck(),
          new IsoRel(),
          new ApTrans(Judge.DBMS),
          new LogCheck());

  private static final List<String> TAKEN_AND_WRITTEN =
      List.of(
          """
          T2: DELETE FROM t WHERE id = 0
          T1: INSERT INTO t VALUES (0, 1)
          """,
          """
          T2: DELETE FROM t WHERE id = 0
          T1: UPDATE t SET id = 0 WHERE id = 3
          """,
          """
          T2: DELETE FROM t WHERE id = 0
          T2: INSERT INTO t VALUES (0, 9)
          T1: UPDATE t SET v = 1 WHERE id = 0
          """,
          """
          T2: DELETE FROM t WHERE id = 0
          T2: INSERT INTO t VALUES (0, 9)
          T1: DELETE FROM t WHERE id = 0
          """,
          """
          T2: UPDATE t SET id = 5 WHERE id = 0
          T1: INSERT INTO t VALUES (0, 1)
          """,
          """
          T2: DELETE FROM t WHERE id = 0
          T1: SAVEPOINT s
          T1: INSERT INTO t VALUES (0, 1)
          T1: SELECT * FROM t
          T1: ROLLBACK TO SAVEPOINT s
          """);

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL", "POSTGRESQL", "H2"})
  void noOracleReportsAViolation(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (String steps : TAKEN_AND_WRITTEN) {
        VerdictLetters verdicts =
            VerdictLetters.of(
                fixture,
                CaseReader.parse(
                    "hidden",
                    """
                    I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
                    I: INSERT INTO t VALUES (0, 8), (3, 3)
                    T1: BEGIN
                    T1: SELECT * FROM t
                    %sT1: SELECT * FROM t
                    T1: COMMIT
                    """
                        .formatted(steps)),
                ORACLES);

        assertThat(verdicts.letters().values())
            .as(verdicts.reasons())
            .noneMatch(letters -> letters.contains("V"));
      }
    }
  }
}
