package io.txwatch.predict;

import io.txwatch.history.IsolationLevel;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An operation of an application, as far as one of its branches was observed: the statements that
 * its transactions execute, with variables for keys.
 *
 * @param name what the application calls it, else the method that executed its first statement
 * @param variant the number of the branch, from 1
 * @param callSite where its first statement is executed; empty if unknown
 * @param seen the number of transactions
 * @param levels the levels that they ran at
 * @param statements what they executed, each statement of a loop once
 * @param varying the variables that differ between the iterations of a loop
 */
public record OperationTemplate(
    String name,
    int variant,
    String callSite,
    long seen,
    SortedSet<IsolationLevel> levels,
    List<TemplateStatement> statements,
    Set<String> varying) {

  public OperationTemplate {
    levels = Collections.unmodifiableSortedSet(new TreeSet<>(levels));
    statements = List.copyOf(statements);
    varying = Set.copyOf(varying);
  }

  @Override
  public String toString() {
    return variant == 1 ? name : name + " #" + variant;
  }
}
