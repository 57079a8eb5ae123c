package io.txwatch.oracle;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * INSERTs that were rolled back, by an error or by ROLLBACK TO SAVEPOINT, while their transaction
 * continued. InnoDB locks an inserted row only implicitly, by the row itself, so after the rollback
 * nothing is locked (MySQL manual, SAVEPOINT: "the row lock is released in the undo").
 */
final class RolledBackInserts {

  private static final Pattern INSERT =
      Pattern.compile("(?is)^\\s*(?:INSERT|REPLACE)\\b.*?\\bINTO\\s+([\\w`]+).*");
  private static final Pattern WRITE =
      Pattern.compile("(?is)^\\s*(?:(?:INSERT|REPLACE)\\b.*?\\bINTO|UPDATE)\\s+([\\w`]+).*");
  private static final Pattern SAVEPOINT = Pattern.compile("(?i)^\\s*SAVEPOINT\\s+(\\w+).*");
  private static final Pattern BACK =
      Pattern.compile("(?i)^\\s*ROLLBACK\\s+TO\\s+(?:SAVEPOINT\\s+)?(\\w+).*");

  /** The prefix of a savepoint on the stack; table names have none. */
  private static final String SAVEPOINT_PREFIX = "savepoint ";

  /**
   * By session, the tables into which its open transaction has inserted and its savepoints, newest
   * first.
   */
  private final Map<String, Deque<String>> open = new HashMap<>();

  /** By session, the tables whose inserts its open transaction has rolled back. */
  private final Map<String, Set<String>> rolledBack = new HashMap<>();

  private RolledBackInserts() {}

  /**
   * True if another transaction wrote such a table before the transaction that had rolled back the
   * INSERT ended.
   */
  static boolean matches(CaseExecution execution) {
    RolledBackInserts inserts = new RolledBackInserts();
    return execution.order().stream().anyMatch(id -> inserts.matchesStep(execution.outcome(id)));
  }

  private boolean matchesStep(StepOutcome outcome) {
    Step step = outcome.step();
    switch (step.role()) {
      case BEGIN -> open.put(step.session(), new ArrayDeque<>());
      case COMMIT, ROLLBACK -> {
        open.remove(step.session());
        rolledBack.remove(step.session());
      }
      case WORK -> {
        record(outcome);
        return outcome.succeeded() && matchesStep(step);
      }
    }
    return false;
  }

  private boolean matchesStep(Step write) {
    Optional<String> table = name(WRITE, write.sql());
    return table.isPresent()
        && rolledBack.entrySet().stream()
            .anyMatch(
                entry ->
                    !entry.getKey().equals(write.session())
                        && entry.getValue().contains(table.get()));
  }

  private void record(StepOutcome outcome) {
    Step step = outcome.step();
    Deque<String> stack = open.get(step.session());
    if (stack == null) {
      return;
    }
    Set<String> rolledBackTables =
        rolledBack.computeIfAbsent(step.session(), none -> new HashSet<>());
    Optional<String> inserted = name(INSERT, step.sql());
    Optional<String> back = name(BACK, step.sql());
    if (inserted.isPresent()) {
      if (outcome.succeeded()) {
        stack.push(inserted.get());
      } else {
        rolledBackTables.add(inserted.get());
      }
    } else if (back.isPresent() && stack.contains(SAVEPOINT_PREFIX + back.get())) {
      while (!(SAVEPOINT_PREFIX + back.get()).equals(stack.peek())) {
        rolledBackTables.add(stack.pop());
      }
    } else {
      name(SAVEPOINT, step.sql()).ifPresent(savepoint -> stack.push(SAVEPOINT_PREFIX + savepoint));
    }
  }

  private static Optional<String> name(Pattern pattern, String sql) {
    Matcher found = pattern.matcher(sql);
    return found.matches()
        ? Optional.of(found.group(1).replace("`", "").toLowerCase(Locale.ROOT))
        : Optional.empty();
  }
}
