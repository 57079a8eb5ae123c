package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.log.LogCheck;
import io.txwatch.oracle.troc.TableKeys;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two sessions conflict by an exclusion constraint: no oracle reports a violation, and all judge
 * the case as they do with a unique constraint.
 */
class ExclusionVerdictsTest {

  private static final List<String> EXCLUSIONS =
      List.of(
          "EXCLUDE USING btree (v WITH =)",
          "EXCLUDE USING gist (int8range(v, v + 2) WITH &&) WHERE (v IS NOT NULL)");

  private static final String TABLE =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, %s)
      I: INSERT INTO t VALUES (1, 10, 0), (2, 20, 0)
      """;

  private static final List<Oracle> ORACLES =
      List.of(
          new WriteCheck(),
          new Troc(),
          new TxCheck(),
          new IsoRel(),
          new ApTrans(Judge.DBMS),
          new LogCheck());

  @ParameterizedTest
  @ValueSource(
      strings = {
        // It waits for the other transaction, and fails.
        """
        T1: BEGIN
        T2: BEGIN
        T1: INSERT INTO t VALUES (3, 30, 1)
        T2: INSERT INTO t VALUES (4, 30, 2)
        T1: COMMIT
        T2: COMMIT
        """,
        // It waits, and succeeds.
        """
        T1: BEGIN
        T2: BEGIN
        T1: INSERT INTO t VALUES (3, 30, 1)
        T2: UPDATE t SET v = 30 WHERE id = 1
        T1: ROLLBACK
        T2: UPDATE t SET w = 2 WHERE v = 30
        T2: COMMIT
        """,
        // It needs the value that a row had in its snapshot.
        """
        T1: BEGIN
        T1: SELECT * FROM t
        T2: UPDATE t SET v = 40 WHERE id = 2
        T1: UPDATE t SET v = 20 WHERE id = 1
        T1: COMMIT
        """,
        // It conflicts with a row that is not in its snapshot.
        """
        T1: BEGIN
        T1: SELECT * FROM t
        T2: INSERT INTO t VALUES (3, 30, 1)
        T1: INSERT INTO t VALUES (4, 30, 2)
        T1: COMMIT
        """,
        """
        T1: BEGIN
        T1: SELECT * FROM t
        T2: BEGIN
        T2: INSERT INTO t VALUES (3, 30, 1)
        T1: INSERT INTO t VALUES (4, 30, 2) ON CONFLICT DO NOTHING
        T2: COMMIT
        T1: COMMIT
        """
      })
  void theyAreThoseOfAUniqueConstraint(String steps) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      VerdictLetters unique = verdicts(fixture, "UNIQUE (v)", steps);
      for (String exclusion : EXCLUSIONS) {
        VerdictLetters verdicts = verdicts(fixture, exclusion, steps);

        assertThat(verdicts.letters().values())
            .as(verdicts.reasons())
            .noneMatch(letters -> letters.contains("V"));
        assertThat(verdicts.letters()).as(verdicts.reasons()).isEqualTo(unique.letters());
      }
    }
  }

  @ParameterizedTest
  @FieldSource("EXCLUSIONS")
  void theirColumnsAreIndexed(String exclusion) {
    TableKeys keys =
        TableKeys.of(TABLE.formatted(exclusion).lines().map(ExclusionVerdictsTest::sql).toList());

    assertThat(keys.placingColumns("t")).containsExactlyInAnyOrder("id", "v");
  }

  private static String sql(String line) {
    return line.substring("I: ".length());
  }

  /** Both COMMITs check the constraint: the second one fails. */
  @ParameterizedTest
  @ValueSource(strings = {"EXCLUDE USING btree (v WITH =)", "UNIQUE (v)"})
  void ofADeferredOneNothingIsReported(String constraint) throws Exception {
    String steps =
        """
        T1: BEGIN
        T2: BEGIN
        T1: INSERT INTO t VALUES (3, 30, 1)
        T2: INSERT INTO t VALUES (4, 30, 2)
        T2: SELECT * FROM t
        T1: COMMIT
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      VerdictLetters verdicts =
          verdicts(fixture, constraint + " DEFERRABLE INITIALLY DEFERRED", steps);

      assertThat(verdicts.letters().values())
          .as(verdicts.reasons())
          .noneMatch(letters -> letters.contains("V"));
      assertThat(verdicts.letters())
          .containsEntry("writecheck", "...")
          .containsEntry("troc", "...");
    }
  }

  private static VerdictLetters verdicts(ExecutorFixture fixture, String constraint, String steps)
      throws Exception {
    return VerdictLetters.of(
        fixture, CaseReader.parse("exclusion", TABLE.formatted(constraint) + steps), ORACLES);
  }
}
