package io.txwatch.corpus;

import java.util.List;

/**
 * Statements that one session sends, in order, beginning with the tables as the schema's file fills
 * them.
 *
 * @param name where it comes from, for people: a file, or a seed
 * @param transactional true if the session is not in autocommit mode; what is open at the end is
 *     rolled back
 * @param statements the statements
 */
public record Script(String name, boolean transactional, List<Step> statements) {

  /**
   * One SQL text, and what to do with it.
   *
   * @param sql the text
   * @param bindings the values of its parameters, a list for each execution; empty if it has none
   * @param way how it is executed
   */
  public record Step(String sql, List<List<Object>> bindings, Way way) {}
}
