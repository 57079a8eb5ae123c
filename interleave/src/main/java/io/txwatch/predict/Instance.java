package io.txwatch.predict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A template as the search uses it: the statements of each loop twice, in two iterations with
 * variables of their own. Two are enough: a cycle uses two statements of a transaction.
 *
 * @param index the place of its template among those that are searched
 * @param template the template
 * @param steps its accesses in the order of execution
 */
record Instance(int index, OperationTemplate template, List<Step> steps) {

  /**
   * An access.
   *
   * @param position the place of its statement; the accesses of one statement have the same
   */
  record Step(int position, TemplateStatement statement, TemplateAccess access) {}

  static Instance of(int index, OperationTemplate template) {
    List<Step> steps = new ArrayList<>();
    List<TemplateStatement> statements = template.statements();
    int position = 0;
    for (int from = 0; from < statements.size(); ) {
      int loop = statements.get(from).loop();
      int to = from + 1;
      while (loop != 0 && to < statements.size() && statements.get(to).loop() == loop) {
        to++;
      }
      position = add(steps, statements.subList(from, to), position, Set.of());
      if (loop != 0) {
        position = add(steps, statements.subList(from, to), position, template.varying());
      }
      from = to;
    }
    return new Instance(index, template, List.copyOf(steps));
  }

  private static int add(
      List<Step> steps, List<TemplateStatement> statements, int from, Set<String> renewed) {
    int position = from;
    for (TemplateStatement statement : statements) {
      for (TemplateAccess access : statement.accesses()) {
        steps.add(new Step(position, statement, renew(access, renewed)));
      }
      position++;
    }
    return position;
  }

  private static TemplateAccess renew(TemplateAccess access, Set<String> renewed) {
    Map<String, String> variables = new HashMap<>(access.key().variables());
    variables.replaceAll(
        (column, variable) -> renewed.contains(variable) ? variable + "'" : variable);
    return new TemplateAccess(
        access.table(),
        access.read(),
        access.predicate(),
        access.written(),
        access.effect(),
        access.lock(),
        KeyTerms.of(variables, access.key().unique()));
  }

  /** Whether a read returns what the transaction itself has written. */
  boolean hasWrittenBefore(Step read) {
    KeyUnification keys = new KeyUnification();
    return steps.stream()
        .filter(step -> step.position() < read.position() && step.access().writes())
        .anyMatch(step -> keys.isSameRow(0, step.access(), 0, read.access()));
  }

  Set<String> tables() {
    Set<String> tables = new HashSet<>();
    steps.forEach(step -> tables.add(step.access().table()));
    return tables;
  }
}
