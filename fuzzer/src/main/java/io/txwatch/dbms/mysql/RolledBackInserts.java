package io.txwatch.dbms.mysql;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * INSERTs that were rolled back, by an error or by ROLLBACK TO SAVEPOINT, while their transaction
 * continued. InnoDB locks an inserted row only implicitly, by the row itself, so after the rollback
 * nothing is locked (MySQL manual, SAVEPOINT: "the row lock is released in the undo").
 */
final class RolledBackInserts {

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
          written(step, "INSERT", "REPLACE", "UPDATE")
              .ifPresent(table -> find(step.session(), table));
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
    Optional<String> inserted = written(step, "INSERT", "REPLACE");
    SqlText text = SqlText.of(step.sql());
    if (inserted.isPresent()) {
      Entry entry = new Entry(inserted.get(), Optional.of(step));
      if (outcome.succeeded()) {
        stack.push(entry);
      } else {
        undone.add(entry);
      }
    } else if (text.rollsBackToSavepoint()) {
      Entry savepoint = new Entry(text.savepoint(), Optional.empty());
      while (stack.contains(savepoint) && !savepoint.equals(stack.peek())) {
        undone.add(stack.pop());
      }
    } else if (text.startsWith("SAVEPOINT")) {
      stack.push(new Entry(text.savepoint(), Optional.empty()));
    }
  }

  private static Optional<String> written(Step step, String... verbs) {
    return SqlText.of(step.sql())
        .write()
        .filter(write -> write.is(verbs))
        .map(SqlText.Write::table);
  }
}
