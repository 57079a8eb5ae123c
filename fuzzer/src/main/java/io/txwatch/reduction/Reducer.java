package io.txwatch.reduction;

import io.txwatch.dbms.Failure;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Reduces a violating case: drops sessions, tables with all statements that name them, groups of
 * statements and set-up statements, then partitions, joins, columns and parts of each statement,
 * then pairs of statements, reduces switches between sessions, and finds the weakest isolation
 * level. A change is kept if the same oracle reports the same violation, with the same known
 * behaviour, in {@value #RUNS_PER_CHANGE} fresh executions. If the limit of executions is not
 * reached, no remaining part can be dropped. The limit is no duration, so that a case is reduced to
 * the same one on a slow machine, unless the caller has to end the reduction.
 */
public final class Reducer {

  private static final int RUNS_PER_CHANGE = 2;
  private static final int MAX_RUNS = 1500;

  /** Pairs of as many statements at most are tried: the number of pairs grows with its square. */
  private static final int MAX_PAIRED_STEPS = 12;

  private final Oracle oracle;
  private final CaseExecutor executor;
  private final Dialect dialect;
  private final IsolationLevel level;
  private final OracleVerdict first;
  private final Set<Integer> failed;
  private final Optional<KnownBehaviour> known;
  private final BooleanSupplier isStopped;
  private final Set<TestCase> tried = new HashSet<>();
  private int runs;

  /**
   * Creates a reducer.
   *
   * @param dialect how the statements of the case are read
   * @param execution the execution of the original case. A statement that does not fail in it does
   *     not fail in the reduced case
   * @param first the oracle's verdict on it
   * @param known the known behaviour that explains it; a reduced case has the same, so that a new
   *     fault is not reduced to a known one
   * @param isStopped true as soon as the smallest case found so far has to do
   */
  public Reducer(
      Oracle oracle,
      CaseExecutor executor,
      Dialect dialect,
      CaseExecution execution,
      OracleVerdict first,
      Optional<KnownBehaviour> known,
      BooleanSupplier isStopped) {
    this.oracle = oracle;
    this.executor = executor;
    this.dialect = dialect;
    this.level = execution.level();
    this.failed = failed(execution);
    this.first = first;
    this.known = known;
    this.isStopped = isStopped;
  }

  /** Returns the smallest case found; the case itself if nothing can be dropped. */
  public TestCase reduce(TestCase violating) throws SQLException, InterruptedException {
    TestCase smallest = withPlainSessions(violating);
    TestCase before;
    do {
      before = smallest;
      smallest = withoutSessions(smallest);
      smallest = repeated(smallest, it -> ShorterCases.withoutOneTable(it, dialect));
      smallest = withoutSteps(smallest);
      smallest = withoutSetup(smallest);
      // Parts of statements only when no whole statement can be dropped: there are many more.
      if (smallest.equals(before)) {
        smallest = repeated(smallest, it -> ShorterCases.withoutPartitions(it, dialect));
        smallest = repeated(smallest, it -> ShorterCases.withSimpleQueries(it, dialect));
        smallest = repeated(smallest, ShorterCases::withPlainBegin);
        smallest =
            repeated(
                smallest, it -> ShorterCases.withFirstInsertInSetup(it, dialect).stream().toList());
        smallest = repeated(smallest, it -> ShorterCases.withoutOneColumn(it, dialect));
        smallest = withShorterStatements(smallest);
      }
      if (smallest.equals(before)) {
        smallest = repeated(smallest, Reducer::withoutPairsOfSteps);
      }
    } while (!smallest.equals(before) && !isExhausted());
    return withFewerSwitches(smallest);
  }

  /**
   * Returns the weakest of some levels at which the oracle reports the violation of a case; the
   * level of this reducer if it is none of these.
   *
   * @param levels the weakest first
   */
  public IsolationLevel weakestLevel(TestCase violating, List<IsolationLevel> levels)
      throws SQLException, InterruptedException {
    if (violating.mixesLevels(level)) {
      return level; // a weaker level of some sessions would not make the case weaker
    }
    for (IsolationLevel weaker : levels) {
      if (weaker == level) {
        break;
      }
      if (isStillViolating(violating, weaker)) {
        return weaker;
      }
    }
    return level;
  }

  /** The case with statements that are not prepared, and the server's settings, if it can be. */
  private TestCase withPlainSessions(TestCase original) throws SQLException, InterruptedException {
    TestCase smallest = original;
    for (String header : List.of(StatementText.JDBC_HEADER, StatementText.SETTINGS_HEADER)) {
      if (original.header(header).isPresent()) {
        smallest = smallerOf(smallest.withoutHeader(header), smallest);
      }
    }
    for (String session : original.sessions()) {
      String header = TestCase.LEVEL_HEADER + session;
      if (smallest.header(header).isPresent()) {
        smallest = smallerOf(smallest.withoutHeader(header), smallest);
      }
    }
    return smallest;
  }

  private TestCase withoutSessions(TestCase original) throws SQLException, InterruptedException {
    TestCase smallest = original;
    for (String session : original.sessions()) {
      List<Step> rest =
          smallest.steps().stream().filter(step -> !step.session().equals(session)).toList();
      smallest = rest.isEmpty() ? smallest : smallerOf(smallest.withSteps(rest), smallest);
    }
    return smallest;
  }

  private TestCase withoutSteps(TestCase original) throws SQLException, InterruptedException {
    return withoutGroups(original, TestCase::steps, TestCase::withSteps);
  }

  private TestCase withoutSetup(TestCase original) throws SQLException, InterruptedException {
    return withoutGroups(original, TestCase::setup, TestCase::withSetup);
  }

  /** Drops groups of consecutive elements from the last to the first: halves, then smaller ones. */
  private <T> TestCase withoutGroups(
      TestCase original,
      Function<TestCase, List<T>> elements,
      BiFunction<TestCase, List<T>, TestCase> with)
      throws SQLException, InterruptedException {
    TestCase smallest = original;
    for (int size = Math.max(1, elements.apply(original).size() / 2); size > 0; size /= 2) {
      for (int end = elements.apply(smallest).size(); end > 0; end -= size) {
        List<T> rest = new ArrayList<>(elements.apply(smallest));
        rest.subList(Math.max(0, end - size), end).clear();
        TestCase candidate = with.apply(smallest, rest);
        smallest = candidate.steps().isEmpty() ? smallest : smallerOf(candidate, smallest);
      }
    }
    return smallest;
  }

  /** BEGIN without its COMMIT is another case, so both can only be dropped together. */
  private static List<TestCase> withoutPairsOfSteps(TestCase testCase) {
    List<Step> steps = testCase.steps();
    List<TestCase> cases = new ArrayList<>();
    if (steps.size() > MAX_PAIRED_STEPS) {
      return cases;
    }
    for (int i = 0; i < steps.size(); i++) {
      for (int j = i + 1; j < steps.size() && steps.size() > 2; j++) {
        List<Step> rest = new ArrayList<>(steps);
        rest.remove(j);
        rest.remove(i);
        cases.add(testCase.withSteps(rest));
      }
    }
    return cases;
  }

  /** Keeps the first violating one of some candidates, as long as there is one. */
  private TestCase repeated(TestCase original, Function<TestCase, List<TestCase>> candidates)
      throws SQLException, InterruptedException {
    TestCase smallest = original;
    TestCase before;
    do {
      before = smallest;
      smallest = firstViolating(candidates.apply(before), before);
    } while (!smallest.equals(before));
    return smallest;
  }

  private TestCase withShorterStatements(TestCase original)
      throws SQLException, InterruptedException {
    TestCase smallest = original;
    for (int i = 0; i < ShorterCases.statements(original).size(); i++) {
      TestCase before;
      do {
        before = smallest;
        smallest = firstViolating(ShorterCases.withShorterStatement(before, i, dialect), before);
      } while (!smallest.equals(before));
    }
    return smallest;
  }

  private TestCase firstViolating(List<TestCase> candidates, TestCase otherwise)
      throws SQLException, InterruptedException {
    for (TestCase candidate : candidates) {
      TestCase smaller = smallerOf(candidate, otherwise);
      if (!smaller.equals(otherwise)) {
        return smaller;
      }
    }
    return otherwise;
  }

  /** Reduces switches between sessions: moves a step behind its session's previous one. */
  private TestCase withFewerSwitches(TestCase original) throws SQLException, InterruptedException {
    TestCase smoothest = original;
    for (int i = 2; i < original.steps().size(); i++) {
      List<Step> steps = new ArrayList<>(smoothest.steps());
      Step step = steps.get(i);
      int last = i - 1;
      while (last >= 0 && !steps.get(last).session().equals(step.session())) {
        last--;
      }
      if (last >= 0 && last < i - 1) {
        steps.remove(i);
        steps.add(last + 1, step);
        smoothest = smallerOf(smoothest.withSteps(steps), smoothest);
      }
    }
    return smoothest;
  }

  /** Returns the candidate if it shows the violation, else the other case. */
  private TestCase smallerOf(TestCase candidate, TestCase otherwise)
      throws SQLException, InterruptedException {
    boolean isSmaller =
        !isExhausted() && tried.add(candidate) && isStillViolating(candidate, level);
    return isSmaller ? candidate : otherwise;
  }

  private boolean isStillViolating(TestCase candidate, IsolationLevel at)
      throws SQLException, InterruptedException {
    for (int i = 0; i < RUNS_PER_CHANGE; i++) {
      if (!isViolating(candidate, at)) {
        return false;
      }
    }
    return true;
  }

  /** True if a fresh execution has the same violation. */
  public boolean isViolating(TestCase candidate) throws SQLException, InterruptedException {
    return isViolating(candidate, level);
  }

  private boolean isViolating(TestCase candidate, IsolationLevel at)
      throws SQLException, InterruptedException {
    runs++;
    try {
      CaseExecution execution = executor.execute(candidate, at, oracle);
      if (!failed.containsAll(failed(execution))) {
        return false;
      }
      OracleVerdict verdict = oracle.judge(execution, executor);
      return verdict.reproduces(first)
          && DbmsRegistry.knownBehaviour(executor, execution, verdict).equals(known);
    } catch (ScheduleExecutor.SetupException e) {
      return false;
    }
  }

  /** The steps that failed for another reason than a conflict. */
  private static Set<Integer> failed(CaseExecution execution) {
    Set<Integer> failed = new HashSet<>();
    for (StepOutcome outcome : execution.outcomes()) {
      Failure failure = outcome.failure();
      if (failure != null && failure.kind() == Failure.Kind.STATEMENT) {
        failed.add(outcome.step().id());
      }
    }
    return failed;
  }

  private boolean isExhausted() {
    return runs >= MAX_RUNS || isStopped.getAsBoolean();
  }
}
