package io.txwatch.generator;

import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the cases of a campaign: the {@code n}-th case of a seed is the same on every machine,
 * whatever ran before it. For one thread.
 *
 * <p>Cases that follow each other have the same tables, with other rows: to define tables is what a
 * case costs most.
 *
 * <p>Half of the submitted orders are any merge of the sessions; the others have few changes from
 * one session to another, since most errors of concurrency need no more (Musuvathi and Qadeer,
 * Iterative Context Bounding, PLDI 2007).
 */
public final class CaseGenerator {

  /** How many statements a transaction has at most unless somebody asks for others. */
  public static final int MOST_STATEMENTS = 4;

  private static final int MOST_CHANGES = 4;

  private final long seed;
  private final Grammar grammar;
  private final int mostStatements;
  private final Workload workload;

  /** That of the case before; null if there is none. */
  private Schemas.@Nullable Schema schema;

  private long familyOfSchema;

  /** The cases of a seed in a dialect. */
  public CaseGenerator(long seed, Grammar grammar) {
    this(seed, grammar, MOST_STATEMENTS, Workload.STATEMENTS);
  }

  /**
   * The same of another size, and of another kind.
   *
   * @param mostStatements how many statements a transaction has at most
   */
  public CaseGenerator(long seed, Grammar grammar, int mostStatements, Workload workload) {
    this.seed = seed;
    this.grammar = grammar;
    this.mostStatements = mostStatements;
    this.workload = workload;
  }

  /**
   * A case, and what it is made of.
   *
   * @param testCase the case
   * @param kinds how many statements of each kind its transactions have
   * @param expected by the number of a step, the errors that the data may give it
   */
  public record Generated(
      TestCase testCase, Map<String, Integer> kinds, Map<Integer, Set<ExpectedError>> expected) {

    /** True if that is an error which the step's statement may meet. */
    public boolean expects(int step, String sqlState, int vendorCode, String message) {
      return expected.getOrDefault(step, Set.of()).stream()
          .anyMatch(error -> error.is(sqlState, vendorCode, message));
    }
  }

  /** The {@code number}-th case. */
  public Generated generate(long number) {
    Chance chance = new Chance(seed, number);
    Schemas.Schema schema = schema(number / workload.casesOfASchema());
    Literals literals = new Literals(chance, grammar);
    Contents contents = new Contents(chance, grammar, workload, literals, schema.tables());
    List<String> setup = new ArrayList<>(schema.definitions());
    setup.addAll(contents.inserts());
    Statements statements =
        new Statements(
            new Vocabulary(chance, grammar, workload, literals, schema.tables()), contents);
    List<Deque<Statement>> sessions = new ArrayList<>();
    int count = workload.sessions(chance);
    for (int i = 0; i < count; i++) {
      sessions.add(session(chance, statements));
    }
    Map<Integer, Set<ExpectedError>> expected = new HashMap<>();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("seed", Long.toString(seed));
    headers.put("number", Long.toString(number));
    TestCase testCase =
        new TestCase(
            "case-" + number, headers, setup, merge(chance, sessions, expected), List.of());
    return new Generated(testCase, statements.kinds(), expected);
  }

  private Schemas.Schema schema(long family) {
    Schemas.Schema known = schema;
    if (known == null || family != familyOfSchema) {
      known = new Schemas(new Chance(seed, -1 - family), grammar, workload).next();
      schema = known;
      familyOfSchema = family;
    }
    return known;
  }

  /** A transaction, or one statement by itself; some sessions have one before it, or after it. */
  private Deque<Statement> session(Chance chance, Statements statements) {
    Deque<Statement> steps = new ArrayDeque<>();
    if (workload.isOneStatement(chance)) {
      steps.add(statements.next());
      return steps;
    }
    if (chance.in100(8)) {
      steps.add(statements.next());
    }
    addTransaction(chance, statements, steps);
    if (chance.in100(8)) {
      steps.add(statements.next());
    }
    return steps;
  }

  private void addTransaction(Chance chance, Statements statements, Deque<Statement> steps) {
    steps.add(Statement.control("BEGIN"));
    int size = chance.between(1, mostStatements);
    Optional<String> mark = grammar.savepoint("s");
    int savepoint = size > 2 && mark.isPresent() && chance.in100(10) ? chance.below(size - 1) : -1;
    for (int i = 0; i < size; i++) {
      steps.add(
          i == 0 && workload.beginsWithAQuery(chance) ? statements.query() : statements.next());
      if (i == savepoint) {
        steps.add(Statement.control(mark.orElseThrow()));
      } else if (savepoint >= 0 && i == savepoint + 1) {
        Optional<String> release = grammar.release("s").filter(some -> chance.in100(25));
        steps.add(Statement.control(release.orElse("ROLLBACK TO SAVEPOINT s")));
      }
    }
    steps.add(Statement.control(workload.commits(chance) ? "COMMIT" : "ROLLBACK"));
  }

  /** A submitted order: each session in its own, the sessions mixed. */
  private static List<Step> merge(
      Chance chance, List<Deque<Statement>> sessions, Map<Integer, Set<ExpectedError>> expected) {
    int changes = chance.in100(50) ? chance.between(1, MOST_CHANGES) : Integer.MAX_VALUE;
    List<Step> steps = new ArrayList<>();
    int left = sessions.stream().mapToInt(Deque::size).sum();
    int session = -1;
    while (left > 0) {
      boolean ended = session < 0 || sessions.get(session).isEmpty();
      if (ended || changes == Integer.MAX_VALUE) {
        session = draw(chance, sessions, left);
      } else if (changes > 0 && chance.in100(40)) {
        session = draw(chance, sessions, left);
        changes--;
      }
      Statement statement = sessions.get(session).remove();
      int id = steps.size() + 1;
      steps.add(new Step(id, "T" + (session + 1), Optional.empty(), statement.sql()));
      expected.put(id, statement.mayMeet());
      left--;
    }
    return steps;
  }

  /** A session that has something left; each statement that is left has the same chance. */
  private static int draw(Chance chance, List<Deque<Statement>> sessions, int left) {
    int draw = chance.below(left);
    int session = 0;
    while (draw >= sessions.get(session).size()) {
      draw -= sessions.get(session).size();
      session++;
    }
    return session;
  }
}
