package io.txwatch.reduction;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  private static TestCase withStatements(TestCase testCase, UnaryOperator<String> change) {
    List<Step> steps =
        testCase.steps().stream()
            .map(
                step -> new Step(step.id(), step.session(), step.label(), change.apply(step.sql())))
            .toList();
    return testCase.withSetup(testCase.setup().stream().map(change).toList()).withSteps(steps);
  }
}
