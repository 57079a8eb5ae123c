package io.txwatch.sql.semantics;

import java.util.List;
import java.util.Optional;

/** What stands in a FROM list between two commas: a tree of joins over sources of rows. */
public sealed interface FromNode {

  /**
   * A table, a view, or the name of a CTE.
   *
   * @param name the name's parts as they stand, outermost first
   * @param alias as it stands
   * @param columnAliases how many columns the alias renames
   * @param isCte true if the name is that of a CTE in scope
   * @param from the first token of its name
   * @param to the token after the whole element
   */
  record TableRef(
      List<String> name, Optional<String> alias, int columnAliases, boolean isCte, int from, int to)
      implements FromNode {

    /** The name by which the block's expressions speak of it. */
    public String exposedName() {
      return alias.orElseGet(() -> name.get(name.size() - 1));
    }
  }

  /**
   * A subquery, a function, VALUES: rows that carry nothing of ours.
   *
   * @param alias as it stands
   * @param query the query's first block, if it is a query
   * @param renamed true if the alias renames its columns
   * @param lateral true if it may speak of the sources before it
   * @param from its first token
   * @param to the token after the whole element
   */
  record Derived(
      Optional<String> alias,
      Optional<SelectBlock> query,
      boolean renamed,
      boolean lateral,
      int from,
      int to)
      implements FromNode {

    /** The query's first block, if its columns keep their names. */
    public Optional<SelectBlock> block() {
      return renamed ? Optional.empty() : query;
    }
  }

  /**
   * A join.
   *
   * @param natural the token NATURAL, or -1
   * @param cross true if it takes no condition
   * @param outer true if it is LEFT, RIGHT or FULL
   * @param operatorEnd the token after JOIN
   * @param using the columns of USING as they stand, empty if there is none
   * @param end the token after the whole join
   */
  record Join(
      FromNode left,
      FromNode right,
      int natural,
      boolean cross,
      boolean outer,
      int operatorEnd,
      List<String> using,
      int end)
      implements FromNode {}

  /** The tables at the leaves, left to right. */
  default void collectTables(List<TableRef> into) {
    if (this instanceof TableRef table) {
      into.add(table);
    } else if (this instanceof Join join) {
      join.left().collectTables(into);
      join.right().collectTables(into);
    }
  }

  /** The other sources at the leaves, left to right. */
  default void collectDerived(List<Derived> into) {
    if (this instanceof Derived derived) {
      into.add(derived);
    } else if (this instanceof Join join) {
      join.left().collectDerived(into);
      join.right().collectDerived(into);
    }
  }
}
