package io.txwatch.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Failure;
import io.txwatch.dbms.postgresql.PostgresGeneratedDialect;
import io.txwatch.generator.CaseGenerator.GeneratedCase;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Generated exclusion constraints are defined, and rows conflict by them, on PostgreSQL. */
class GeneratedExclusionTest {

  private static final int SCHEMAS = 500;

  /** The cases of each schema, which have different rows. */
  private static final int CASES = 5;

  private static boolean excludes(String sql) {
    return sql.contains("EXCLUDE USING");
  }

  /** Cases of each schema that has such a constraint. */
  private static List<GeneratedCase> cases() {
    CaseGenerator generator =
        new CaseGenerator(
            1, new PostgresGeneratedDialect(), CaseGenerator.MAX_STATEMENTS, CaseKind.STATEMENTS);
    long casesPerSchema = CaseKind.STATEMENTS.casesPerSchema();
    return LongStream.range(0, SCHEMAS)
        .flatMap(i -> LongStream.range(0, CASES).map(j -> i * casesPerSchema + j))
        .mapToObj(generator::generate)
        .filter(
            generated ->
                generated.testCase().setup().stream().anyMatch(GeneratedExclusionTest::excludes))
        .toList();
  }

  @Test
  void thePostgresqlServerAcceptsThemAndRejectsNoStatementForThem() throws Exception {
    List<GeneratedCase> cases = cases();
    Set<String> failed = new TreeSet<>();
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      for (GeneratedCase generated : cases) {
        CaseExecution execution =
            fixture.execute(generated.testCase(), IsolationLevel.READ_COMMITTED);
        for (int id : execution.order()) {
          StepOutcome outcome = execution.outcome(id);
          Failure failure = outcome.failure();
          if (failure != null && !failure.isConcurrencyRelated()) {
            failed.add(outcome.sqlState());
            assertThat(
                    generated.isExpected(
                        id, outcome.sqlState(), outcome.vendorCode(), outcome.message()))
                .as("%s\n%s", outcome, execution)
                .isTrue();
          }
        }
      }
    }

    assertThat(cases.stream().flatMap(generated -> generated.testCase().setup().stream()))
        .as("each form")
        .anyMatch(sql -> sql.contains("EXCLUDE USING gist"))
        .anyMatch(sql -> excludes(sql) && sql.contains("INITIALLY DEFERRED"))
        .anyMatch(sql -> excludes(sql) && !sql.contains("DEFERRED"));
    assertThat(failed).as("two rows conflict in a case").contains("23P01");
  }

  /** Initial rows have numbers that are two apart, which a CHECK need not accept. */
  @Test
  void theirColumnHasNoCheck() {
    Pattern column = Pattern.compile("EXCLUDE USING \\w+ \\((?:int8range\\()?(c\\d)");
    CaseGenerator generator = new CaseGenerator(1, new PostgresGeneratedDialect());
    List<String> definitions =
        LongStream.range(0, 4000)
            .mapToObj(i -> generator.generate(i * CaseKind.STATEMENTS.casesPerSchema()))
            .flatMap(generated -> generated.testCase().setup().stream())
            .filter(GeneratedExclusionTest::excludes)
            .toList();

    assertThat(definitions).isNotEmpty();
    for (String sql : definitions) {
      Matcher matcher = column.matcher(sql);
      assertThat(matcher.find()).as(sql).isTrue();
      assertThat(sql).doesNotContain("CHECK (" + matcher.group(1) + " ");
    }
  }
}
