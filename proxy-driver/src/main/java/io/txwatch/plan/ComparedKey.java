package io.txwatch.plan;

import java.util.List;

/**
 * Where the values are that the columns of a key have in the rows that a statement chooses, or
 * inserts: {@link io.txwatch.history.KeyValues}.
 *
 * @param table the table's name as histories show it
 * @param columns the columns of which all values are in the text or the parameters; empty if there
 *     are none
 */
public record ComparedKey(String table, List<Column> columns) {

  /** A statement that compares no key. */
  public static final ComparedKey NONE = new ComparedKey("", List.of());

  /**
   * A column, which has no other value in these rows.
   *
   * @param places parameters and literals: of rows that are inserted one each
   * @param generatesForZero true if the DBMS may store another integer where 0 is given
   */
  public record Column(KeyColumn column, List<ValuePlan.Place> places, boolean generatesForZero) {}
}
