package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Source;
import java.util.ArrayList;
import java.util.List;

/**
 * One SELECT with its own FROM. Numbers are significant tokens; -1 stands for what is not there.
 */
public final class SelectBlock {

  /** Where a block stands, which decides what may be done to its select list. */
  public enum Role {
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
  public record Star(int from, int to, List<String> qualifier) {}

  public final Role role;
  public final int select;
  public boolean distinct;
  public int listFrom;
  public int listTo;
  public int items;
  public final List<Integer> itemStarts = new ArrayList<>();
  public final List<Star> stars = new ArrayList<>();
  public final List<Source> from = new ArrayList<>();
  public int into = -1;

  /** The token FROM. */
  public int fromAt = -1;

  /** The token after the FROM list. */
  public int fromEnd = -1;

  /** The token before a second list of sources: FROM of an UPDATE, USING of a DELETE. */
  public int moreAt = -1;

  /** The token after that list. */
  public int moreEnd = -1;

  /** The token WHERE. */
  public int where = -1;

  /** The token after the condition of WHERE. */
  public int whereEnd = -1;

  public int groupBy = -1;
  public int having = -1;
  public int window = -1;
  public int qualify = -1;
  public int orderBy = -1;
  public int orderByEnd = -1;

  /** True if it is no branch of a set operation: what follows it is its own. */
  public boolean alone;

  public boolean locking;

  /** FOR UPDATE and the like, or LOCK IN SHARE MODE. */
  public int lockFrom = -1;

  /** The token after it. */
  public int lockEnd = -1;

  /** The token LIMIT, OFFSET or FETCH, the first of them. */
  public int limit = -1;

  /** The token after LIMIT, OFFSET and FETCH. */
  public int limitEnd = -1;

  /** True if it returns only some of the rows that it finds: LIMIT, OFFSET, FETCH, TOP. */
  public boolean limited;

  public int end;

  public SelectBlock(Role role, int select) {
    this.role = role;
    this.select = select;
  }

  /** The tables in FROM, left to right. */
  public List<Source.Table> tables() {
    return Source.tables(from);
  }

  /** What else stands in FROM: queries and functions. */
  public List<Source> others() {
    return Source.leaves(from, Source.class).stream()
        .filter(source -> !(source instanceof Source.Table))
        .toList();
  }
}
