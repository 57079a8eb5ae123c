package io.txwatch.oracle;

import io.txwatch.schedule.Execution;
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
 * INSERTs that were taken back while their transaction went on, by an error or by ROLLBACK TO
 * SAVEPOINT. InnoDB keeps no lock on a row that has been inserted but the row itself: taken back,
 * it keeps nobody out (MySQL manual, SAVEPOINT: "the row lock is released in the undo").
 */
final class UndoneInserts {

  private static final Pattern INSERT =
      Pattern.compile("(?is)^\\s*(?:INSERT|REPLACE)\\b.*?\\bINTO\\s+([\\w`]+).*");
  private static final Pattern WRITE =
      Pattern.compile("(?is)^\\s*(?:(?:INSERT|REPLACE)\\b.*?\\bINTO|UPDATE)\\s+([\\w`]+).*");
  private static final Pattern SAVEPOINT = Pattern.compile("(?i)^\\s*SAVEPOINT\\s+(\\w+).*");
  private static final Pattern BACK =
      Pattern.compile("(?i)^\\s*ROLLBACK\\s+TO\\s+(?:SAVEPOINT\\s+)?(\\w+).*");

  /** Begins what a savepoint's name is put as; a table's is put as it is. */
  private static final String MARK = "savepoint ";

  /** By session, what its open transaction has inserted into, and its savepoints: newest first. */
  private final Map<String, Deque<String>> open = new HashMap<>();

  /** By session, into what its open transaction has inserted in vain. */
  private final Map<String, Set<String>> undone = new HashMap<>();

  private UndoneInserts() {}

  /**
   * True if another transaction wrote the table of one before the transaction ended that had taken
   * it back.
   */
  static boolean areMetIn(Execution execution) {
    UndoneInserts inserts = new UndoneInserts();
    return execution.order().stream().anyMatch(id -> inserts.isMetBy(execution.outcome(id)));
  }

  private boolean isMetBy(StepOutcome outcome) {
    Step step = outcome.step();
    switch (step.role()) {
      case BEGIN -> open.put(step.session(), new ArrayDeque<>());
      case COMMIT, ROLLBACK -> {
        open.remove(step.session());
        undone.remove(step.session());
      }
      case WORK -> {
        note(outcome);
        return outcome.succeeded() && isMetBy(step);
      }
    }
    return false;
  }

  private boolean isMetBy(Step write) {
    Optional<String> table = name(WRITE, write.sql());
    return table.isPresent()
        && undone.entrySet().stream()
            .anyMatch(
                entry ->
                    !entry.getKey().equals(write.session())
                        && entry.getValue().contains(table.get()));
  }

  private void note(StepOutcome outcome) {
    Step step = outcome.step();
    Deque<String> sofar = open.get(step.session());
    if (sofar == null) {
      return;
    }
    Set<String> inVain = undone.computeIfAbsent(step.session(), none -> new HashSet<>());
    Optional<String> inserted = name(INSERT, step.sql());
    Optional<String> back = name(BACK, step.sql());
    if (inserted.isPresent()) {
      if (outcome.succeeded()) {
        sofar.push(inserted.get());
      } else {
        inVain.add(inserted.get());
      }
    } else if (back.isPresent() && sofar.contains(MARK + back.get())) {
      while (!(MARK + back.get()).equals(sofar.peek())) {
        inVain.add(sofar.pop());
      }
    } else {
      name(SAVEPOINT, step.sql()).ifPresent(savepoint -> sofar.push(MARK + savepoint));
    }
  }

  private static Optional<String> name(Pattern pattern, String sql) {
    Matcher found = pattern.matcher(sql);
    return found.matches()
        ? Optional.of(found.group(1).replace("`", "").toLowerCase(Locale.ROOT))
        : Optional.empty();
  }
}
