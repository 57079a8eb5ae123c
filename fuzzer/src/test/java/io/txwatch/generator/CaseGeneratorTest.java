package io.txwatch.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.h2.H2GeneratedDialect;
import io.txwatch.dbms.mariadb.MariaDbGeneratedDialect;
import io.txwatch.dbms.mysql.MySqlGeneratedDialect;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CaseGeneratorTest {

  /** The generated texts, by the name of the dialect. */
  private static final Map<String, List<String>> TEXTS = new HashMap<>();

  @ParameterizedTest
  @MethodSource("io.txwatch.dbms.registry.DbmsRegistry#dialects")
  void aCaseDependsOnItsSeedAndNumberOnly(GeneratedDialect grammar) throws Exception {
    CaseGenerator one = new CaseGenerator(7, grammar);
    CaseGenerator other = new CaseGenerator(7, grammar);
    for (int i = 0; i < 20; i++) {
      other.generate(100 + i);
    }
    for (int i = 0; i < 200; i++) {
      TestCase testCase = one.generate(i).testCase();
      assertThat(testCase).isEqualTo(other.generate(i).testCase());
      assertThat(CaseReader.parse(testCase.name(), CaseWriter.write(testCase))).isEqualTo(testCase);
    }
  }

  @Test
  void anotherSeedGivesOtherCases() {
    assertThat(new CaseGenerator(1, new H2GeneratedDialect()).generate(0).testCase().steps())
        .isNotEqualTo(
            new CaseGenerator(2, new H2GeneratedDialect()).generate(0).testCase().steps());
  }

  @ParameterizedTest
  @EnumSource
  void everyTransactionBeginsAndEnds(CaseKind caseKind) {
    for (int i = 0; i < 200; i++) {
      TestCase testCase =
          new CaseGenerator(3, new MariaDbGeneratedDialect(), 4, caseKind).generate(i).testCase();
      for (String session : testCase.sessions()) {
        boolean open = false;
        for (Step step : testCase.steps()) {
          if (step.session().equals(session) && step.role() != Step.Role.WORK) {
            boolean begins = step.role() == Step.Role.BEGIN;
            assertThat(open).isIn(!begins, begins && caseKind == CaseKind.STATEMENTS);
            open = begins;
          }
        }
        assertThat(open).isFalse();
      }
    }
  }

  /** IsoRel, 3.1.1: at most three tables, which are reused, with at least two rows. */
  @Test
  void historiesReuseTablesWithSeveralRows() {
    CaseGenerator generator =
        new CaseGenerator(5, new MySqlGeneratedDialect(), 10, CaseKind.HISTORIES);
    int most = CaseKind.HISTORIES.casesPerSchema();
    for (int i = 0; i < 2 * most; i++) {
      List<String> setup = generator.generate(i).testCase().setup();
      assertThat(definitions(setup))
          .isEqualTo(definitions(generator.generate(i - i % most).testCase().setup()));
      assertThat(setup.stream().filter(sql -> sql.startsWith("CREATE TABLE")).count())
          .isBetween(1L, 3L);
      assertThat(setup)
          .filteredOn(sql -> sql.startsWith("INSERT"))
          .allMatch(sql -> sql.contains("), ("));
    }
  }

  /** IsoRel, 5.3: write skew requires two transactions that write different rows. */
  @Test
  void writesOfHistoriesOftenSelectOneKey() {
    CaseGenerator generator =
        new CaseGenerator(5, new MySqlGeneratedDialect(), 10, CaseKind.HISTORIES);
    List<String> updates =
        IntStream.range(0, 200)
            .mapToObj(i -> generator.generate(i).testCase())
            .flatMap(one -> one.steps().stream())
            .map(Step::sql)
            .filter(sql -> sql.startsWith("UPDATE"))
            .toList();
    assertThat(updates.stream().filter(sql -> sql.matches(".* WHERE \\(c0 = -?\\d+\\)( .*)?")))
        .hasSizeGreaterThan(updates.size() * 2 / 5);
  }

  /** For servers that may hang then: other cases keep their definitions. */
  @Test
  void casesWithForeignKeysCanBeWithoutDefinitions() {
    CaseGenerator generator =
        new CaseGenerator(5, new MariaDbGeneratedDialect(), 10, CaseKind.STATEMENTS);
    Set<Boolean> omitted = new HashSet<>();
    for (int i = 0; i < 500; i++) {
      CaseGenerator.GeneratedCase generated = generator.generate(i);
      TestCase without = generated.withoutDefinitionsBesideForeignKeys().testCase();
      boolean refers = without.setup().toString().contains("REFERENCES");
      if (generated.testCase().steps().stream()
          .anyMatch(step -> StatementText.changesDefinitions(step.sql()))) {
        omitted.add(refers);
        assertThat(without.equals(generated.testCase())).isEqualTo(!refers);
      }
      assertThat(without.steps())
          .filteredOn(step -> refers && StatementText.changesDefinitions(step.sql()))
          .isEmpty();
    }
    assertThat(omitted).containsExactlyInAnyOrder(true, false);
  }

  private static List<String> definitions(List<String> setup) {
    return setup.stream().filter(sql -> sql.startsWith("CREATE")).toList();
  }

  /** Each grammar uses what its dialect supports, and nothing else. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "PRIMARY KEY \\(c0, c1\\) ;",
        "UNIQUE \\(c\\d, c\\d\\) ;",
        "FOREIGN KEY ;",
        "ON DELETE CASCADE ; DUCKDB",
        "ON UPDATE SET NULL ; DUCKDB DERBY",
        "\\{AUTOINC\\} ;",
        "CHECK ;",
        "DEFAULT ;",
        "CREATE INDEX \\S+ .*, c ;",
        "PARTITION BY RANGE ; H2 SQLITE HSQLDB DERBY DUCKDB",
        "PARTITION BY HASH ; H2 SQLITE HSQLDB DERBY DUCKDB",
        "UPDATE .* LIMIT \\d$ ; POSTGRESQL H2 SQLITE HSQLDB DERBY DUCKDB",
        "DELETE .* LIMIT \\d$ ; POSTGRESQL H2 SQLITE HSQLDB DERBY DUCKDB",
        "DELETE .* RETURNING ; MYSQL H2 HSQLDB DERBY",
        "INSERT INTO .* SELECT ;",
        "ON CONFLICT .* DO UPDATE ; MYSQL MARIADB H2 HSQLDB DERBY",
        "ON DUPLICATE KEY ; POSTGRESQL H2 SQLITE HSQLDB DERBY DUCKDB",
        "FOR UPDATE ; SQLITE HSQLDB DERBY DUCKDB",
        "EXISTS \\(SELECT ;",
        "= (ANY|ALL) \\(SELECT ; SQLITE",
        "CASE WHEN ;",
        "HAVING ;",
        "INTERSECT ;",
        "OVER \\(PARTITION ; HSQLDB DERBY",
        "WITH w AS ; DERBY",
        "LEFT JOIN .* JOIN ;",
        "WITH RECURSIVE ; HSQLDB DERBY",
        "UPDATE \\S+ SET c\\d = \\S+ FROM ; MYSQL MARIADB H2 HSQLDB DERBY",
        "UPDATE \\S+ JOIN ; POSTGRESQL H2 SQLITE HSQLDB DERBY DUCKDB",
        "DELETE FROM \\S+ USING ; H2 SQLITE HSQLDB DERBY",
        "^WITH .* DELETE FROM ; MARIADB H2 HSQLDB DERBY",
        "^WITH w AS \\(UPDATE ; MYSQL MARIADB H2 SQLITE HSQLDB DERBY DUCKDB",
        "ROLLBACK TO SAVEPOINT ; DUCKDB",
        "RELEASE SAVEPOINT ; DUCKDB H2"
      })
  void eachGrammarUsesItsDialect(String what, @Nullable String notIn) {
    for (GeneratedDialect grammar : DbmsRegistry.dialects()) {
      boolean offered = notIn == null || !List.of(notIn.split(" ")).contains(grammar.name());
      assertThat(texts(grammar).stream().anyMatch(Pattern.compile(what).asPredicate()))
          .as("%s in %s", what, grammar.name())
          .isEqualTo(offered);
    }
  }

  /** The statements of cases with many schemas. */
  private static List<String> texts(GeneratedDialect grammar) {
    return TEXTS.computeIfAbsent(
        grammar.name(),
        name -> {
          CaseGenerator generator = new CaseGenerator(2, grammar);
          return IntStream.range(0, 600)
              .mapToObj(i -> generator.generate(i * 16L).testCase())
              .flatMap(
                  one -> Stream.concat(one.setup().stream(), one.steps().stream().map(Step::sql)))
              .toList();
        });
  }
}
