package io.txwatch.corpus;

import java.util.List;

/**
 * The statements that one session executes, in order. It begins with the tables as {@code fill.sql}
 * fills them.
 *
 * @param name its source in reports: a file or a seed
 * @param transactional true if autocommit is off; an open transaction is rolled back at the end
 * @param steps the statements
 */
public record Script(String name, boolean transactional, List<Step> steps) {

  /**
   * A statement and how it is executed.
   *
   * @param sql the text
   * @param bindings the values of its parameters, a list for each execution; empty if it has none
   * @param method the JDBC calls that execute it
   */
  public record Step(String sql, List<List<Object>> bindings, ExecutionMethod method) {}
}
