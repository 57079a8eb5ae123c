package io.txwatch.generator;

import io.txwatch.history.IsolationLevel;
import io.txwatch.pattern.AnomalyPattern;
import io.txwatch.pattern.PatternFile;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Generates the cases of a campaign: with the same weights, the {@code n}-th case of a seed is the
 * same on every machine, whatever was generated before. For one thread.
 *
 * <p>Consecutive cases have the same tables, with other rows, because defining tables is the most
 * expensive part of a case.
 *
 * <p>Half of the orders of submission are arbitrary interleavings of the sessions; the others have
 * few switches between sessions, because most concurrency errors need no more (Musuvathi and
 * Qadeer, Iterative Context Bounding, PLDI 2007).
 */
public final class CaseGenerator {

  /** The default for the most statements of a transaction. */
  public static final int MAX_STATEMENTS = 4;

  private static final int MAX_SWITCHES = 4;

  private final long seed;
  private final GeneratedDialect grammar;
  private final int maxStatements;
  private final CaseKind caseKind;
  private final boolean requiresPrimaryKeys;
  private final Productions productions;

  /** The schema of the previous case; null if there is none. */
  private SchemaGenerator.@Nullable Schema schema;

  private long schemaFamily;
  private Weights schemaWeights = Weights.FIXED;

  /** Creates a generator with the default workload and length of transactions. */
  public CaseGenerator(long seed, GeneratedDialect grammar) {
    this(seed, grammar, MAX_STATEMENTS, CaseKind.STATEMENTS, false);
  }

  /**
   * Creates a generator.
   *
   * @param maxStatements the most statements of a transaction
   */
  public CaseGenerator(long seed, GeneratedDialect grammar, int maxStatements, CaseKind caseKind) {
    this(seed, grammar, maxStatements, caseKind, false);
  }

  /**
   * Creates a generator.
   *
   * @param maxStatements the most statements of a transaction
   * @param requiresPrimaryKeys true if each table has a primary key
   */
  public CaseGenerator(
      long seed,
      GeneratedDialect grammar,
      int maxStatements,
      CaseKind caseKind,
      boolean requiresPrimaryKeys) {
    this.requiresPrimaryKeys = requiresPrimaryKeys;
    this.seed = seed;
    this.grammar = grammar;
    this.maxStatements = maxStatements;
    this.caseKind = caseKind;
    this.productions = Productions.of(grammar);
  }

  /**
   * A generated case.
   *
   * @param testCase the case
   * @param kinds the number of its statements of each kind
   * @param expected by the id of a step, the errors that the data may cause
   * @param productions the named choices made for it and its tables
   */
  public record GeneratedCase(
      TestCase testCase,
      Map<String, Integer> kinds,
      Map<Integer, Set<ExpectedError>> expected,
      Set<String> productions) {

    /** The same without settings that a server does not have. */
    public GeneratedCase forServerWith(Set<String> settings) {
      return settings.containsAll(testCase.settings().keySet())
          ? this
          : new GeneratedCase(
              testCase.withoutHeader(StatementText.SETTINGS_HEADER), kinds, expected, productions);
    }

    /** The same with levels of single sessions. */
    public GeneratedCase withLevels(Map<String, IsolationLevel> levels) {
      TestCase mixed = testCase;
      for (Map.Entry<String, IsolationLevel> each : levels.entrySet()) {
        mixed =
            mixed.withHeader(TestCase.LEVEL_HEADER + each.getKey(), each.getValue().shortName());
      }
      return new GeneratedCase(mixed, kinds, expected, productions);
    }

    /** The same without steps that define something, if its tables have foreign keys. */
    public GeneratedCase withoutDefinitionsBesideForeignKeys() {
      return testCase.setup().stream().noneMatch(sql -> SqlText.of(sql).hasAny("REFERENCES"))
          ? this
          : new GeneratedCase(
              testCase.withSteps(
                  testCase.steps().stream()
                      .filter(step -> !StatementText.changesDefinitions(step.sql()))
                      .toList()),
              kinds,
              expected,
              productions);
    }

    /** True if the data may cause that error in the step. */
    public boolean isExpected(int step, String sqlState, int vendorCode, String message) {
      return expected.getOrDefault(step, Set.of()).stream()
          .anyMatch(error -> error.matches(sqlState, vendorCode, message));
    }
  }

  /** Generates the {@code number}-th case with productions as often as usual. */
  public GeneratedCase generate(long number) {
    return generate(number, Weights.FIXED);
  }

  /**
   * Generates the {@code number}-th case.
   *
   * @param weights how often productions are made; the same for all cases with the same tables
   */
  public GeneratedCase generate(long number, Weights weights) {
    RandomSource random = new RandomSource(seed, number, weights);
    SchemaGenerator.Schema schema = schema(number / caseKind.casesPerSchema(), weights);
    random.made().addAll(schema.productions());
    CaseLiterals literals = new CaseLiterals(random, grammar);
    TableContents contents =
        new TableContents(random, grammar, caseKind, literals, schema.tables());
    List<String> setup = new ArrayList<>(schema.definitions());
    setup.addAll(contents.inserts());
    StatementContext context =
        new StatementContext(random, grammar, caseKind, literals, schema.tables());
    if (caseKind == CaseKind.PATTERNS) {
      return generatePattern(number, context, contents, setup);
    }
    StatementGenerator statements = new StatementGenerator(context, contents);
    List<Deque<GeneratedStatement>> sessions = new ArrayList<>();
    int count = caseKind.sessions(random);
    int most = count == CaseKind.LARGE ? Math.max(maxStatements, CaseKind.LARGE) : maxStatements;
    for (int i = 0; i < count; i++) {
      sessions.add(session(context, statements, most));
    }
    Map<Integer, Set<ExpectedError>> expected = new HashMap<>();
    List<Step> steps = merge(random, sessions, expected);
    if (steps.stream().anyMatch(step -> StatementText.changesMoreThanRows(step.sql()))) {
      expected.replaceAll(
          (step, errors) ->
              with(errors, ExpectedError.DEFINITION, ExpectedError.LOCK_NOT_AVAILABLE));
    }
    if (setup.stream().anyMatch(StatementText::defersConstraints)) {
      // what a statement violates is an error of the statement that ends the transaction
      expected.replaceAll(
          (step, errors) -> with(errors, ExpectedError.FOREIGN_KEY, ExpectedError.EXCLUSION));
    }
    Map<String, String> headers = headers(number);
    productions.draw("jdbc", random).ifPresent(how -> headers.put(StatementText.JDBC_HEADER, how));
    productions
        .draw("settings", random)
        .ifPresent(settings -> headers.put(StatementText.SETTINGS_HEADER, settings));
    TestCase testCase = new TestCase("case-" + number, headers, setup, steps, List.of());
    return new GeneratedCase(testCase, statements.kinds(), expected, random.made());
  }

  private static Set<ExpectedError> with(Set<ExpectedError> errors, ExpectedError... others) {
    Set<ExpectedError> more = EnumSet.noneOf(ExpectedError.class);
    more.addAll(errors);
    more.addAll(List.of(others));
    return more;
  }

  private Map<String, String> headers(long number) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("seed", Long.toString(seed));
    headers.put("number", Long.toString(number));
    return headers;
  }

  /** A case that follows one of the patterns, in the order of the pattern. */
  private GeneratedCase generatePattern(
      long number, StatementContext context, TableContents contents, List<String> setup) {
    AnomalyPattern pattern =
        context.random.oneOf(
            PatternFile.all().stream()
                .filter(one -> PatternCaseGenerator.isPossible(one, context.tables))
                .toList());
    PatternCaseGenerator generator = new PatternCaseGenerator(context, contents, pattern);
    List<Step> steps = new ArrayList<>();
    Map<Integer, Set<ExpectedError>> expected = new HashMap<>();
    for (PatternCaseGenerator.SessionStatement each : generator.statements()) {
      int id = steps.size() + 1;
      steps.add(new Step(id, "T" + each.session(), Optional.empty(), each.statement().sql()));
      expected.put(id, each.statement().expectedErrors());
    }
    Map<String, String> headers = headers(number);
    headers.put("pattern", pattern.id());
    return new GeneratedCase(
        new TestCase("case-" + number, headers, setup, steps, List.of()),
        generator.kinds(),
        expected,
        context.random.made());
  }

  private SchemaGenerator.Schema schema(long family, Weights weights) {
    SchemaGenerator.Schema known = schema;
    if (known == null || family != schemaFamily || !weights.equals(schemaWeights)) {
      RandomSource random = new RandomSource(seed, -1 - family, weights);
      known = new SchemaGenerator(random, grammar, caseKind, requiresPrimaryKeys).next();
      schema = known;
      schemaFamily = family;
      schemaWeights = weights;
    }
    return known;
  }

  /**
   * A transaction or a single statement; some transactions have an autocommitted statement before
   * or after.
   */
  private Deque<GeneratedStatement> session(
      StatementContext context, StatementGenerator statements, int most) {
    RandomSource random = context.random;
    Deque<GeneratedStatement> steps = new ArrayDeque<>();
    addBetween(context, statements, steps);
    if (caseKind.isSingleStatement(random)) {
      steps.add(statements.next());
      return steps;
    }
    if (random.percent("statement before", 8)) {
      steps.add(statements.next());
    }
    addTransaction(context, statements, steps, most);
    if (random.percent("statement after", 8)) {
      steps.add(statements.next());
    }
    if (productions.draw("second transaction", random).isPresent()) {
      addBetween(context, statements, steps);
      addTransaction(context, statements, steps, most);
    }
    return steps;
  }

  /** Sometimes adds a definition, or a statement on locked tables, before a transaction. */
  private void addBetween(
      StatementContext context, StatementGenerator statements, Deque<GeneratedStatement> steps) {
    if (caseKind != CaseKind.STATEMENTS) {
      return;
    }
    productions
        .draw("between", context.random)
        .map(text -> text.replace("{T}", context.randomTable().name()))
        .ifPresent(text -> steps.add(GeneratedStatement.control(text)));
    productions
        .draw("locked tables", context.random)
        .ifPresent(
            text -> {
              String mode = text.replaceFirst(".*\\{ALL (\\w+)}.*", "$1");
              String all =
                  context.tables.stream()
                      .map(table -> table.name() + " " + mode)
                      .collect(Collectors.joining(", "));
              steps.add(GeneratedStatement.control(text.replace("{ALL " + mode + "}", all)));
              steps.add(statements.next());
              steps.add(GeneratedStatement.control("UNLOCK TABLES"));
            });
  }

  private void addTransaction(
      StatementContext context,
      StatementGenerator statements,
      Deque<GeneratedStatement> steps,
      int most) {
    RandomSource random = context.random;
    productions
        .draw("level before begin", random)
        .ifPresent(level -> steps.add(GeneratedStatement.control(level)));
    steps.add(GeneratedStatement.control(productions.draw("begin", random).orElse("BEGIN")));
    productions
        .draw("level after begin", random)
        .ifPresent(level -> steps.add(GeneratedStatement.control(level)));
    if (caseKind == CaseKind.STATEMENTS) {
      productions
          .draw("table lock", random)
          .map(text -> text.replace("{T}", context.randomTable().name()))
          .ifPresent(text -> steps.add(GeneratedStatement.control(text)));
    }
    productions
        .draw("advisory lock", random)
        .ifPresent(text -> steps.add(GeneratedStatement.control(text)));
    int size = random.between(1, most);
    Optional<String> savepoint =
        grammar.savepoint("s").filter(some -> size > 2 && random.percent("savepoint", 10));
    int before = savepoint.isPresent() ? random.below(size) : -1; // this statement
    for (int i = 0; i < size; i++) {
      if (i == before) {
        steps.add(GeneratedStatement.control(savepoint.orElseThrow()));
      }
      steps.add(
          i == 0 && caseKind.startsWithQuery(random) ? statements.query() : statements.next());
      if (i == before) {
        Optional<String> release = grammar.release("s").filter(some -> random.percent(25));
        steps.add(GeneratedStatement.control(release.orElse("ROLLBACK TO SAVEPOINT s")));
      } else if (caseKind == CaseKind.STATEMENTS && before < 0 && i < size - 1) {
        productions
            .draw("begin again", random)
            .ifPresent(begin -> steps.add(GeneratedStatement.control(begin)));
      }
    }
    steps.add(GeneratedStatement.control(caseKind.commits(random) ? "COMMIT" : "ROLLBACK"));
  }

  /** An order of submission: each session's own order, interleaved. */
  private static List<Step> merge(
      RandomSource random,
      List<Deque<GeneratedStatement>> sessions,
      Map<Integer, Set<ExpectedError>> expected) {
    int switches =
        random.alternative("switches", 50, 50) == 0
            ? random.between(1, MAX_SWITCHES)
            : Integer.MAX_VALUE;
    List<Step> steps = new ArrayList<>();
    int remaining = sessions.stream().mapToInt(Deque::size).sum();
    int session = -1;
    while (remaining > 0) {
      boolean ended = session < 0 || sessions.get(session).isEmpty();
      if (ended || switches == Integer.MAX_VALUE) {
        session = randomSession(random, sessions, remaining);
      } else if (switches > 0 && random.percent(40)) {
        session = randomSession(random, sessions, remaining);
        switches--;
      }
      GeneratedStatement statement = sessions.get(session).remove();
      int id = steps.size() + 1;
      steps.add(new Step(id, "T" + (session + 1), Optional.empty(), statement.sql()));
      expected.put(id, statement.expectedErrors());
      remaining--;
    }
    return steps;
  }

  /** A session with remaining statements, weighted by their number. */
  private static int randomSession(
      RandomSource random, List<Deque<GeneratedStatement>> sessions, int remaining) {
    int draw = random.below(remaining);
    int session = 0;
    while (draw >= sessions.get(session).size()) {
      draw -= sessions.get(session).size();
      session++;
    }
    return session;
  }
}
