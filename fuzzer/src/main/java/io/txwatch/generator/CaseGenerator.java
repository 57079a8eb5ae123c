package io.txwatch.generator;

import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the cases of a campaign: the {@code n}-th case of a seed is the same on every machine,
 * whatever ran before it.
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

  private static final int MOST_TRANSACTIONS = 4;
  private static final int CASES_OF_A_SCHEMA = 32;
  private static final int MOST_CHANGES = 4;

  private final long seed;
  private final Grammar grammar;
  private final int mostStatements;

  /** The cases of a seed in a dialect. */
  public CaseGenerator(long seed, Grammar grammar) {
    this(seed, grammar, MOST_STATEMENTS);
  }

  /**
   * The same of another size.
   *
   * @param mostStatements how many statements a transaction has at most
   */
  public CaseGenerator(long seed, Grammar grammar, int mostStatements) {
    this.seed = seed;
    this.grammar = grammar;
    this.mostStatements = mostStatements;
  }

  /**
   * A case, and what it is made of.
   *
   * @param testCase the case
   * @param kinds how many statements of each kind its transactions have
   */
  public record Generated(TestCase testCase, Map<String, Integer> kinds) {}

  /** The {@code number}-th case. */
  public Generated generate(long number) {
    Chance chance = new Chance(seed, number);
    Chance ofSchema = new Chance(seed, -1 - number / CASES_OF_A_SCHEMA);
    Schemas.Schema schema = new Schemas(ofSchema).next();
    Literals literals = new Literals(chance);
    List<String> setup = new ArrayList<>(schema.definitions());
    setup.addAll(Schemas.rows(chance, literals, schema.tables()));
    Statements statements = new Statements(chance, grammar, literals, schema.tables());
    List<Deque<String>> sessions = new ArrayList<>();
    int count = chance.in100(88) ? 2 : chance.between(3, MOST_TRANSACTIONS);
    for (int i = 0; i < count; i++) {
      sessions.add(transaction(chance, statements));
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("seed", Long.toString(seed));
    headers.put("number", Long.toString(number));
    TestCase testCase =
        new TestCase("case-" + number, headers, setup, merge(chance, sessions), List.of());
    return new Generated(testCase, statements.kinds());
  }

  private Deque<String> transaction(Chance chance, Statements statements) {
    Deque<String> steps = new ArrayDeque<>();
    if (chance.in100(12)) {
      steps.add(statements.next()); // one that is a transaction by itself
      return steps;
    }
    steps.add("BEGIN");
    int size = chance.between(1, mostStatements);
    Optional<String> mark = grammar.savepoint("s");
    int savepoint = size > 2 && mark.isPresent() && chance.in100(10) ? chance.below(size - 1) : -1;
    for (int i = 0; i < size; i++) {
      steps.add(statements.next());
      if (i == savepoint) {
        mark.ifPresent(steps::add);
      } else if (savepoint >= 0 && i == savepoint + 1) {
        steps.add("ROLLBACK TO SAVEPOINT s");
      }
    }
    steps.add(chance.in100(80) ? "COMMIT" : "ROLLBACK");
    return steps;
  }

  /** A submitted order: each session in its own, the sessions mixed. */
  private static List<Step> merge(Chance chance, List<Deque<String>> sessions) {
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
      steps.add(
          new Step(
              steps.size() + 1,
              "T" + (session + 1),
              Optional.empty(),
              sessions.get(session).remove()));
      left--;
    }
    return steps;
  }

  /** A session that has something left; each statement that is left has the same chance. */
  private static int draw(Chance chance, List<Deque<String>> sessions, int left) {
    int draw = chance.below(left);
    int session = 0;
    while (draw >= sessions.get(session).size()) {
      draw -= sessions.get(session).size();
      session++;
    }
    return session;
  }
}
