package io.txwatch.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.h2.H2GeneratedDialect;
import io.txwatch.dbms.mariadb.MariaDbGeneratedDialect;
import io.txwatch.dbms.mysql.MySqlGeneratedDialect;
import io.txwatch.dbms.postgresql.PostgresGeneratedDialect;
import io.txwatch.pattern.AnomalyPattern;
import io.txwatch.pattern.PatternConstraints;
import io.txwatch.pattern.PatternConstraints.StatementTypes;
import io.txwatch.pattern.PatternFile;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatternCaseGeneratorTest {

  private static final int CASES = 2_000;

  @ParameterizedTest
  @MethodSource("watched")
  void everyPatternIsGenerated(GeneratedDialect grammar) {
    Set<String> generated = new HashSet<>();
    cases(grammar).forEach(one -> generated.add(one.header("pattern").orElseThrow()));

    assertThat(generated)
        .containsExactlyInAnyOrderElementsOf(
            PatternFile.all().stream().map(AnomalyPattern::id).toList());
  }

  private static List<GeneratedDialect> watched() {
    return List.of(
        new H2GeneratedDialect(),
        new PostgresGeneratedDialect(),
        new MariaDbGeneratedDialect(),
        new MySqlGeneratedDialect());
  }

  /** Definitions 3.1 and 3.3: the statements have the types and the order of the pattern. */
  @Test
  void statementsFollowTheConstraintsOfTheirPattern() {
    cases(new PostgresGeneratedDialect())
        .filter(one -> !one.header("pattern").orElseThrow().matches("2|36|36-sequence"))
        .forEach(
            one -> {
              PatternConstraints constraints = constraints(one);
              assertThat(
                      one.steps().stream()
                          .filter(step -> step.role() != Step.Role.BEGIN)
                          .map(step -> Integer.parseInt(step.session().substring(1))))
                  .as(one.toString())
                  .isEqualTo(constraints.schedule());
              for (int transaction = 1; transaction <= 2; transaction++) {
                assertThat(types(one, "T" + transaction))
                    .isEqualTo(constraints.statementTypes().get(transaction));
              }
            });
  }

  /** A snapshot is taken by the statement that begins the transaction, or by a read more. */
  @ParameterizedTest
  @ValueSource(strings = {"2", "36"})
  void aSnapshotIsTakenBeforeTheOtherTransactionCommits(String pattern) {
    String session = pattern.equals("2") ? "T2" : "T1";
    List<TestCase> some =
        cases(new MySqlGeneratedDialect())
            .filter(one -> one.header("pattern").orElseThrow().equals(pattern))
            .toList();

    assertThat(some).isNotEmpty();
    for (TestCase one : some) {
      Step first =
          one.steps().stream()
              .filter(step -> step.session().equals(session))
              .filter(
                  step ->
                      step.sql().contains("CONSISTENT SNAPSHOT") || step.sql().startsWith("SELECT"))
              .findFirst()
              .orElseThrow();
      Step commit =
          one.steps().stream()
              .filter(step -> !step.session().equals(session))
              .filter(step -> step.role() == Step.Role.COMMIT)
              .findFirst()
              .orElseThrow();
      assertThat(first.id()).isLessThan(commit.id());
    }
  }

  /** Section 3.2.2: four kinds of joins, on columns that fit; 3.3.2: empty conditions. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a.c0, b.c0 FROM t\\d a JOIN t\\d b ON \\(a.c\\d = b.c\\d.*",
        "SELECT a.c0, b.c0 FROM t\\d a LEFT JOIN t\\d b ON .*",
        "SELECT a.c0, b.c0 FROM t\\d a RIGHT JOIN t\\d b ON .*",
        "SELECT a.c0, b.c0 FROM t\\d a CROSS JOIN t\\d b WHERE .*",
        "SELECT \\* FROM t\\d",
        "SELECT \\* FROM t\\d WHERE \\(c0 = .*",
        "SELECT .* FOR UPDATE",
        "UPDATE t\\d SET c\\d = [^ ]*",
        "UPDATE t\\d SET (c\\d) = \\(\\1 [+-] \\d\\) WHERE .*",
        "DELETE FROM t\\d WHERE .*",
        "INSERT INTO t\\d .*",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT"
      })
  void everyFormOfStatementIsGenerated(String form) {
    assertThat(
            cases(new MariaDbGeneratedDialect())
                .flatMap(one -> one.steps().stream())
                .map(Step::sql))
        .anyMatch(sql -> sql.matches(form));
  }

  private static Stream<TestCase> cases(GeneratedDialect grammar) {
    CaseGenerator generator = new CaseGenerator(11, grammar, 4, CaseKind.PATTERNS);
    return IntStream.range(0, CASES).mapToObj(i -> generator.generate(i * 16L).testCase());
  }

  private static PatternConstraints constraints(TestCase testCase) {
    String id = testCase.header("pattern").orElseThrow();
    return PatternConstraints.of(
        PatternFile.all().stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow());
  }

  private static StatementTypes types(TestCase testCase, String session) {
    int reads = 0;
    int writes = 0;
    int rollbacks = 0;
    int commits = 0;
    for (Step step : testCase.steps()) {
      if (step.session().equals(session)) {
        switch (step.role()) {
          case BEGIN -> {}
          case COMMIT -> commits++;
          case ROLLBACK -> rollbacks++;
          case WORK -> {
            if (StatementText.isQuery(step.sql())) {
              reads++;
            } else {
              writes++;
            }
          }
        }
      }
    }
    return new StatementTypes(reads, writes, rollbacks, commits);
  }
}
