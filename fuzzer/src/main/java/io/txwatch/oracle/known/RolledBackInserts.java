package io.txwatch.oracle.known;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
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

  /**
   * An INSERT or a savepoint of an open transaction.
   *
   * @param name the table or the savepoint
   * @param insert the INSERT; empty for a savepoint
   */
  private record Entry(String name, Optional<Step> insert) {}

  /** By session, the INSERTs and savepoints of its open transaction, newest first. */
  private final Map<String, Deque<Entry>> open = new HashMap<>();

  /** By session, the INSERTs that its open transaction has rolled back. */
  private final Map<String, List<Entry>> rolledBack = new HashMap<>();

  /** The rolled-back INSERTs whose tables were then written. */
  private final Set<Step> found = new HashSet<>();

  private RolledBackInserts() {}

  /**
   * The rolled-back INSERTs into tables that another transaction wrote before the transaction of
   * the INSERT ended.
   */
  static Set<Step> of(CaseExecution execution) {
    RolledBackInserts inserts = new RolledBackInserts();
    execution.order().forEach(id -> inserts.add(execution.outcome(id)));
    return inserts.found;
  }

  private void add(StepOutcome outcome) {
    Step step = outcome.step();
    switch (step.role()) {
      case BEGIN -> {
        open.put(step.session(), new ArrayDeque<>());
        rolledBack.remove(step.session());
      }
      case COMMIT, ROLLBACK -> {
        open.remove(step.session());
        rolledBack.remove(step.session());
      }
      case WORK -> {
        record(outcome);
        if (outcome.succeeded()) {
          name(WRITE, step.sql()).ifPresent(table -> find(step.session(), table));
        }
      }
    }
  }

  private void find(String writer, String table) {
    rolledBack.forEach(
        (session, inserts) -> {
          if (!session.equals(writer)) {
            inserts.stream()
                .filter(entry -> entry.name().equals(table))
                .forEach(entry -> entry.insert().ifPresent(found::add));
          }
        });
  }

  private void record(StepOutcome outcome) {
    Step step = outcome.step();
    Deque<Entry> stack = open.get(step.session());
    if (stack == null) {
      return;
    }
    List<Entry> undone = rolledBack.computeIfAbsent(step.session(), none -> new ArrayList<>());
    Optional<String> inserted = name(INSERT, step.sql());
    Optional<String> back = name(BACK, step.sql());
    if (inserted.isPresent()) {
      Entry entry = new Entry(inserted.get(), Optional.of(step));
      if (outcome.succeeded()) {
        stack.push(entry);
      } else {
        undone.add(entry);
      }
    } else if (back.isPresent()) {
      Entry savepoint = new Entry(back.get(), Optional.empty());
      while (stack.contains(savepoint) && !savepoint.equals(stack.peek())) {
        undone.add(stack.pop());
      }
    } else {
      name(SAVEPOINT, step.sql())
          .ifPresent(savepoint -> stack.push(new Entry(savepoint, Optional.empty())));
    }
  }

  private static Optional<String> name(Pattern pattern, String sql) {
    Matcher found = pattern.matcher(sql);
    return found.matches()
        ? Optional.of(found.group(1).replace("`", "").toLowerCase(Locale.ROOT))
        : Optional.empty();
  }
}
