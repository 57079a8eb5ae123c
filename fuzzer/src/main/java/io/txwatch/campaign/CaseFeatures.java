package io.txwatch.campaign;

import io.txwatch.dbms.Failure;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What an executed case shows, as texts: two cases that show the same have the same text. Names,
 * values and counts do not matter.
 *
 * <p>Of a case that {@linkplain CaseExecution#race races} or is undecided only the statements
 * count, because another execution may show something else.
 */
final class CaseFeatures {

  private final CaseExecution execution;

  private final Map<NoveltyKind, Set<String>> features = new EnumMap<>(NoveltyKind.class);

  private CaseFeatures(CaseExecution execution) {
    this.execution = execution;
    for (NoveltyKind kind : NoveltyKind.values()) {
      features.put(kind, new TreeSet<>());
    }
  }

  /** The features of an execution by kind. */
  static Map<NoveltyKind, Set<String>> of(CaseExecution execution, List<OracleVerdict> verdicts) {
    CaseFeatures features = new CaseFeatures(execution);
    execution
        .testCase()
        .steps()
        .forEach(step -> features.add(NoveltyKind.STATEMENT_KIND, words(step)));
    if (execution.inconclusiveReason().isEmpty()) {
      features.addAccesses();
      verdicts.forEach(features::addVerdict);
    }
    return features.features;
  }

  private void add(NoveltyKind kind, String feature) {
    Objects.requireNonNull(features.get(kind)).add(feature);
  }

  /** The SQL words of a statement, each once, in the order of their first occurrence. */
  private static String words(Step step) {
    Set<String> words = new LinkedHashSet<>();
    Tokens tokens = SqlText.of(step.sql()).tokens();
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.WORD) && tokens.text(i).chars().noneMatch(Character::isDigit)) {
        words.add(tokens.text(i).toUpperCase(Locale.ROOT));
      }
    }
    return String.join(" ", words);
  }

  /** What a statement does to the rows of its tables. */
  private static String access(StepOutcome outcome) {
    String sql = outcome.step().sql();
    if (StatementText.isQuery(sql)) {
      return StatementText.locksRows(sql) ? "lock" : "read";
    }
    return outcome.updateCount() == 0 ? "read" : "write";
  }

  /** An earlier access. */
  private record Access(int transaction, String what, String verb, Set<String> tables) {}

  /** Adds the lock outcomes and the conflicts, in the order in which steps completed. */
  private void addAccesses() {
    Map<String, Integer> open = new HashMap<>();
    int transactions = 0;
    List<Access> earlier = new ArrayList<>();
    Set<String> conflicts = new TreeSet<>();
    for (int id : execution.order()) {
      StepOutcome outcome = execution.outcome(id);
      Step step = outcome.step();
      Integer known = open.get(step.session());
      int transaction = known == null ? transactions++ : known;
      switch (step.role()) {
        case BEGIN -> open.put(step.session(), transaction);
        case COMMIT, ROLLBACK -> {
          open.remove(step.session());
          conflicts.add(transaction + (outcome.succeeded() ? " " + step.role() : " fails"));
        }
        case WORK -> {
          Set<String> tables = tables(step);
          List<Access> others =
              earlier.stream()
                  .filter(other -> other.transaction() != transaction)
                  .filter(other -> other.tables().stream().anyMatch(tables::contains))
                  .toList();
          addLockOutcome(outcome, others);
          if (outcome.succeeded()) {
            String what = access(outcome);
            others.stream()
                .filter(other -> other.what().equals("write") || what.equals("write"))
                .forEach(
                    other ->
                        conflicts.add(
                            other.transaction() + ">" + transaction + " " + other.what() + what));
            earlier.add(new Access(transaction, what, verb(step), tables));
          }
        }
      }
    }
    add(NoveltyKind.DEPENDENCY_SHAPE, execution.level() + " " + conflicts);
  }

  private void addLockOutcome(StepOutcome outcome, List<Access> others) {
    Failure failure = outcome.failure();
    boolean isRefused = failure != null && failure.isConcurrencyRelated();
    if (!outcome.blocked() && !isRefused) {
      return;
    }
    Set<String> verbs = new TreeSet<>();
    others.forEach(other -> verbs.add(other.verb()));
    add(
        NoveltyKind.LOCK_OUTCOME,
        execution.level()
            + " "
            + verb(outcome.step())
            + (outcome.blocked() ? " blocked" : "")
            + " by "
            + verbs
            + (failure == null ? " " + Math.min(outcome.updateCount(), 2) : " " + failure.kind()));
  }

  private void addVerdict(OracleVerdict verdict) {
    Set<String> shown = new TreeSet<>();
    verdict.anomalies().stream()
        .map(GraphAnomaly::kind)
        .forEach(kind -> shown.add(kind.toString()));
    verdict
        .patterns()
        .ifPresent(
            patterns -> {
              shown.addAll(patterns.forbidden());
              shown.addAll(patterns.permitted());
              patterns.outcome().ifPresent(outcome -> shown.add(outcome.name()));
            });
    String statement = verdict.statement().map(CaseFeatures::verb).orElse("");
    add(
        NoveltyKind.VERDICT,
        String.join(
            " ",
            execution.level().name(),
            verdict.oracle(),
            verdict.result().name(),
            statement,
            shown.toString()));
  }

  private static String verb(Step step) {
    String first = SqlText.of(step.sql()).firstWord();
    return StatementText.locksRows(step.sql()) ? first + " locking" : first;
  }

  private static Set<String> tables(Step step) {
    Set<String> tables = new TreeSet<>();
    for (String name : SqlText.of(step.sql()).names()) {
      String table = name.startsWith("v_") ? name.substring(2) : name;
      if (table.length() == 2 && table.charAt(0) == 't' && Character.isDigit(table.charAt(1))) {
        tables.add(table);
      }
    }
    return tables;
  }
}
