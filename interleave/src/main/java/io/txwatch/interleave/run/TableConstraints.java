package io.txwatch.interleave.run;

import java.util.Set;

/**
 * The constraints of a table by which statements on different rows, or on different tables, affect
 * each other.
 *
 * @param columns the columns of unique keys and of foreign keys, in lower case
 * @param checked the tables that a change of this one's rows reads: those that its foreign keys
 *     refer to, and those whose foreign keys refer to it
 * @param changed the tables that a change of this one's rows changes, by an action of a foreign key
 */
public record TableConstraints(Set<String> columns, Set<String> checked, Set<String> changed) {

  /** For a table without constraints. */
  public static final TableConstraints NONE = new TableConstraints(Set.of(), Set.of(), Set.of());

  public TableConstraints {
    columns = Set.copyOf(columns);
    checked = Set.copyOf(checked);
    changed = Set.copyOf(changed);
  }
}
