package io.txwatch.reduction;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Cases with other statements. */
final class ShorterCases {

  private ShorterCases() {}

  /** The statements that may be shortened: those of the set-up, then those of the sessions. */
  static List<String> statements(TestCase testCase) {
    List<String> all = new ArrayList<>(testCase.setup());
    testCase.steps().forEach(step -> all.add(step.sql()));
    return all;
  }

  /**
   * Returns cases with a shorter text of one statement, the shortest first.
   *
   * @param index its place in {@link #statements}
   */
  static List<TestCase> withShorterStatement(TestCase testCase, int index, Dialect dialect) {
    return ShorterStatements.of(statements(testCase).get(index), dialect).stream()
        .map(shorter -> withStatement(testCase, index, shorter))
        .toList();
  }

  private static TestCase withStatement(TestCase testCase, int index, String sql) {
    int inSteps = index - testCase.setup().size();
    if (inSteps < 0) {
      List<String> setup = new ArrayList<>(testCase.setup());
      setup.set(index, sql);
      return testCase.withSetup(setup);
    }
    List<Step> steps = new ArrayList<>(testCase.steps());
    Step step = steps.get(inSteps);
    steps.set(inSteps, new Step(step.id(), step.session(), step.label(), sql));
    return testCase.withSteps(steps);
  }

  /** Returns cases without a column of a table, in its definition and in each INSERT into it. */
  static List<TestCase> withoutOneColumn(TestCase testCase, Dialect dialect) {
    List<TestCase> cases = new ArrayList<>();
    for (String sql : testCase.setup()) {
      Optional<ShorterStatements.Definition> definition =
          ShorterStatements.definition(sql, dialect);
      for (String column :
          definition.map(ShorterStatements.Definition::columns).orElse(List.of())) {
        String table = definition.orElseThrow().table();
        TestCase without =
            withStatements(
                testCase, text -> ShorterStatements.withoutColumn(text, table, column, dialect));
        if (!without.equals(testCase)) {
          cases.add(without);
        }
      }
    }
    return cases;
  }

  /** Returns cases without a table: without each statement that names it. */
  static List<TestCase> withoutOneTable(TestCase testCase, Dialect dialect) {
    List<TestCase> cases = new ArrayList<>();
    for (String table : tables(testCase, dialect)) {
      List<Step> steps =
          testCase.steps().stream().filter(step -> !names(step.sql(), table, dialect)).toList();
      if (!steps.isEmpty()) {
        cases.add(
            testCase
                .withSteps(steps)
                .withSetup(
                    testCase.setup().stream().filter(sql -> !names(sql, table, dialect)).toList()));
      }
    }
    return cases;
  }

  /** Returns cases in which a table has no partitions, neither in its definition nor beside it. */
  static List<TestCase> withoutPartitions(TestCase testCase, Dialect dialect) {
    List<TestCase> cases = new ArrayList<>();
    for (String table : tables(testCase, dialect)) {
      List<String> setup = new ArrayList<>();
      for (String sql : testCase.setup()) {
        if (!ShorterStatements.isPartitionOf(sql, table, dialect)) {
          setup.add(
              ShorterStatements.definition(sql, dialect)
                      .map(ShorterStatements.Definition::table)
                      .filter(table::equals)
                      .isPresent()
                  ? ShorterStatements.withoutPartitions(sql, dialect)
                  : sql);
        }
      }
      if (!setup.equals(testCase.setup())) {
        cases.add(testCase.withSetup(setup));
      }
    }
    return cases;
  }

  /**
   * Returns cases in which a query is SELECT * of one of its tables: without its join, and without
   * everything that names the other side, which can only be dropped together.
   */
  static List<TestCase> withSimpleQueries(TestCase testCase, Dialect dialect) {
    List<TestCase> cases = new ArrayList<>();
    List<String> tables = tables(testCase, dialect);
    int setup = testCase.setup().size();
    for (int i = 0; i < testCase.steps().size(); i++) {
      String sql = testCase.steps().get(i).sql();
      if (ShorterStatements.isQuery(sql, dialect)) {
        for (String table : tables) {
          String simple = "SELECT * FROM " + table;
          if (names(sql, table, dialect) && !sql.equals(simple)) {
            cases.add(withStatement(testCase, setup + i, simple));
          }
        }
      }
    }
    return cases;
  }

  /** Returns cases in which a transaction begins with BEGIN instead of a longer statement. */
  static List<TestCase> withPlainBegin(TestCase testCase) {
    List<TestCase> cases = new ArrayList<>();
    for (int i = 0; i < testCase.steps().size(); i++) {
      Step step = testCase.steps().get(i);
      if (step.role() == Step.Role.BEGIN && !step.sql().equals("BEGIN")) {
        cases.add(withStatement(testCase, testCase.setup().size() + i, "BEGIN"));
      }
    }
    return cases;
  }

  /** Returns a case whose set-up inserts the rows that its first statement inserted; or none. */
  static Optional<TestCase> withFirstInsertInSetup(TestCase testCase, Dialect dialect) {
    Set<String> open = new HashSet<>();
    for (int i = 0; i < testCase.steps().size(); i++) {
      Step step = testCase.steps().get(i);
      if (step.role() == Step.Role.BEGIN) {
        open.add(step.session());
      } else if (open.contains(step.session())
          || !ShorterStatements.isInsert(step.sql(), dialect)) {
        return Optional.empty();
      } else {
        List<String> setup = new ArrayList<>(testCase.setup());
        setup.add(step.sql());
        List<Step> steps = new ArrayList<>(testCase.steps());
        steps.remove(i);
        return steps.isEmpty()
            ? Optional.empty()
            : Optional.of(testCase.withSetup(setup).withSteps(steps));
      }
    }
    return Optional.empty();
  }

  private static List<String> tables(TestCase testCase, Dialect dialect) {
    return testCase.setup().stream()
        .flatMap(sql -> ShorterStatements.definition(sql, dialect).stream())
        .map(ShorterStatements.Definition::table)
        .distinct()
        .toList();
  }

  private static boolean names(String sql, String table, Dialect dialect) {
    return ShorterStatements.names(sql, table, dialect);
  }

  private static TestCase withStatements(TestCase testCase, UnaryOperator<String> change) {
    List<Step> steps =
        testCase.steps().stream()
            .map(
                step -> new Step(step.id(), step.session(), step.label(), change.apply(step.sql())))
            .toList();
    return testCase.withSetup(testCase.setup().stream().map(change).toList()).withSteps(steps);
  }
}
