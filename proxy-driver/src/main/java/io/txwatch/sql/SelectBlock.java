package io.txwatch.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * One SELECT with its own FROM. Numbers are significant tokens; -1 stands for what is not there.
 */
final class SelectBlock {

  /** Where a block stands, which decides what may be done to its select list. */
  enum Role {
    /** The only block of a top-level query: its columns are what the application sees. */
    TOP,
    /** A top-level query's block of which the columns are seen, but which is not alone. */
    BRANCH,
    /** The source of an INSERT, or a branch of it. */
    SOURCE,
    /** In EXISTS: its columns do not matter. */
    EXISTS,
    /** Anywhere else: its columns are somebody's operand. */
    NESTED
  }

  /**
   * {@code *} or {@code t.*} as an item of the select list.
   *
   * @param from the item's first token
   * @param to the token after it
   * @param qualifier the parts before the star, as they stand
   */
  record Star(int from, int to, List<String> qualifier) {}

  final Role role;
  final int select;
  boolean distinct;
  int listFrom;
  int listTo;
  int items;
  final List<Integer> itemStarts = new ArrayList<>();
  final List<Star> stars = new ArrayList<>();
  final List<FromNode> from = new ArrayList<>();
  int into = -1;

  /** The token FROM. */
  int fromAt = -1;

  /** The token after the FROM list. */
  int fromEnd = -1;

  /** The token before a second list of sources: FROM of an UPDATE, USING of a DELETE. */
  int moreAt = -1;

  /** The token after that list. */
  int moreEnd = -1;

  /** The token WHERE. */
  int where = -1;

  /** The token after the condition of WHERE. */
  int whereEnd = -1;

  int groupBy = -1;
  int having = -1;
  int window = -1;
  int qualify = -1;
  int orderBy = -1;
  int orderByEnd = -1;

  /** True if it is no branch of a set operation: what follows it is its own. */
  boolean alone;

  boolean locking;

  /** FOR UPDATE and the like, or LOCK IN SHARE MODE. */
  int lockFrom = -1;

  /** The token after it. */
  int lockEnd = -1;

  /** The token LIMIT, OFFSET or FETCH, the first of them. */
  int limit = -1;

  /** The token after LIMIT, OFFSET and FETCH. */
  int limitEnd = -1;

  /** True if it returns only some of the rows that it finds: LIMIT, OFFSET, FETCH, TOP. */
  boolean limited;

  int end;

  SelectBlock(Role role, int select) {
    this.role = role;
    this.select = select;
  }

  /** The tables in FROM, left to right. */
  List<FromNode.TableRef> tables() {
    List<FromNode.TableRef> tables = new ArrayList<>();
    from.forEach(node -> node.collectTables(tables));
    return tables;
  }

  /** What else stands in FROM. */
  List<FromNode.Derived> derived() {
    List<FromNode.Derived> derived = new ArrayList<>();
    from.forEach(node -> node.collectDerived(derived));
    return derived;
  }

  /** True if some join in FROM merges columns: NATURAL or USING. */
  boolean mergesColumns() {
    return from.stream().anyMatch(SelectBlock::mergesColumns);
  }

  private static boolean mergesColumns(FromNode node) {
    return node instanceof FromNode.Join join
        && (join.natural() >= 0
            || !join.using().isEmpty()
            || mergesColumns(join.left())
            || mergesColumns(join.right()));
  }
}
