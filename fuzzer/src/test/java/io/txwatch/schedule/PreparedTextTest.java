package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PreparedTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "SELECT * FROM t0 WHERE (c0 = -1) ; SELECT * FROM t0 WHERE (c0 = ?) ; -1",
        "UPDATE t0 SET c1 = 5, c2 = 'a' WHERE (c0 >= 3) ; UPDATE t0 SET c1 = ?, c2 = 'a' WHERE (c0 >= ?) ; 5 3",
        "UPDATE t0 SET c1 = (c1 + 5) ; UPDATE t0 SET c1 = (c1 + 5) ; ",
        "DELETE FROM t0 WHERE (q1.c0 <> 7) ; DELETE FROM t0 WHERE (q1.c0 <> ?) ; 7",
        "UPDATE t0 SET c1 = 5.25 ; UPDATE t0 SET c1 = 5.25 ; ",
        "SELECT * FROM t0 WHERE (c1 = 'c0 = 5') ; SELECT * FROM t0 WHERE (c1 = 'c0 = 5') ; ",
        "SELECT * FROM t0 LIMIT 2 ; SELECT * FROM t0 LIMIT 2 ; ",
        "UPDATE t0 SET c1 = 4 ; UPDATE t0 SET c1 = ? ; 4"
      })
  void numbersOfColumnsBecomeParameters(String sql, String text, String values) {
    PreparedText prepared = PreparedText.of(sql);

    assertThat(prepared.sql()).isEqualTo(text);
    assertThat(prepared.values())
        .isEqualTo(
            values == null
                ? List.of()
                : List.of(values.split(" ")).stream().map(Integer::valueOf).toList());
  }

  /** The same results as with plain statements, also those of a blocked statement. */
  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB", "POSTGRESQL", "SQLITE"})
  void aPreparedCaseHasTheSameOutcomes(ServerKind kind) throws Exception {
    String text =
        """
        I: CREATE TABLE t0 (c0 INT NOT NULL PRIMARY KEY, c1 INT) {ENGINE}
        I: INSERT INTO t0 VALUES (1, 1), (2, 2)
        T1: BEGIN
        T1: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
        T1: SELECT * FROM t0 WHERE (c1 = 5)
        T1: COMMIT
        T2: BEGIN
        T2: SELECT c1 FROM t0 WHERE (c0 >= 1)
        T2: UPDATE t0 SET c1 = 7 WHERE (c0 <> 1)
        T2: ROLLBACK
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      String level = kind == ServerKind.SQLITE ? "SER" : "RC";
      CaseExecution plain = fixture.execute(text, level);
      CaseExecution prepared = fixture.execute("# jdbc: prepared\n" + text, level);

      assertThat(plain.outcomes()).allMatch(StepOutcome::succeeded);
      assertThat(prepared).hasToString(plain.toString());
    }
  }

  @Test
  void aStatementWithoutNumbersHasNoParameters() {
    assertThat(PreparedText.of("COMMIT")).isEqualTo(new PreparedText("COMMIT", List.of()));
  }
}
