package io.txwatch.sql.semantics;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.MergeBranch.Action;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement.RowsFrom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a statement is made of, as far as splicing needs it. Numbers are significant tokens; -1
 * stands for what is not there.
 */
public final class StatementShape {

  public final int from;
  public final int to;
  public StatementKind kind = StatementKind.OTHER;

  /** The assignments of an UPDATE, and those of an INSERT to rows that exist already. */
  public List<Assignment> assignments = List.of();

  /** What an INSERT does with rows that exist already. */
  public List<OnConflict> conflicts = List.of();

  /** True if it contains an expression that the grammar does not know. */
  public boolean hasOpaque;

  /** True if it is a write inside the WITH of another statement. */
  public boolean inner;

  /** The main verb, after WITH. */
  public int verb;

  /** Every SELECT block, at any depth, in the order of the text. */
  public final List<SelectBlock> blocks = new ArrayList<>();

  /** Every table name, at any depth, in the order of the text. */
  public final List<Source.Table> tables = new ArrayList<>();

  /** Names of CTEs. */
  public final List<String> ctes = new ArrayList<>();

  /**
   * The first block of each CTE's query; empty if its columns are renamed or the name is not
   * unique.
   */
  public final Map<String, Optional<SelectBlock>> cteBlocks = new HashMap<>();

  /**
   * A CTE.
   *
   * @param name folded
   * @param from the first token of its query
   * @param to the token after it
   */
  public record Cte(String name, int from, int to) {}

  /** Every CTE, at any depth. */
  public final List<Cte> cteBodies = new ArrayList<>();

  /** PostgreSQL: the INSERT, UPDATE, DELETE and MERGE that stand inside WITH, in order. */
  public final List<StatementShape> innerWrites = new ArrayList<>();

  /** Those of them whose CTEs have names that are unique and columns that are not renamed. */
  public final Map<String, StatementShape> cteWrites = new HashMap<>();

  /** Where each WITH begins, and the token after its last CTE. */
  public final Map<Integer, Integer> withs = new HashMap<>();

  /** {@code TABLE t} in the place of a query: the tokens TABLE. */
  public final List<Integer> tableQueries = new ArrayList<>();

  /** True if a query joins blocks by UNION, INTERSECT or EXCEPT at its top. */
  public boolean setOperation;

  /** True if that is more than UNION ALL. */
  public boolean deduplicates;

  /** True if an INSERT's query has branches that are no SELECT: VALUES, TABLE. */
  public boolean otherSource;

  /** True if a top-level query is, or has branches that are no SELECT: VALUES, TABLE. */
  public boolean otherBranch;

  /** INSERT, UPDATE, DELETE: the table written. */
  public Source.@Nullable Table target;

  /** UPDATE and DELETE: all that the statement names before SET, or in FROM or USING. */
  public final List<Source> sources = new ArrayList<>();

  /** The token before the first of them. */
  public int sourcesAt = -1;

  /** The token after those that stand before SET, or behind DELETE FROM. */
  public int sourcesEnd = -1;

  /** The token FROM of an UPDATE, or USING of a DELETE. */
  public int moreAt = -1;

  /** The token after that list. */
  public int moreEnd = -1;

  /** The statement writes, or may write, more than one table. */
  public boolean multiTable;

  /** The names, as they stand, by which a DELETE from several tables says which it deletes from. */
  public final List<String> deletesFrom = new ArrayList<>();

  /** The opening parenthesis of INSERT's column list. */
  public int columns = -1;

  /** Where INSERT's source begins. */
  public int source = -1;

  /** The token after INSERT's source. */
  public int sourceEnd = -1;

  public @Nullable RowsFrom sourceKind;

  /** The opening parentheses of the rows of VALUES. */
  public final List<Integer> rows = new ArrayList<>();

  /** The token ON of ON CONFLICT or ON DUPLICATE KEY. */
  public int onConflict = -1;

  /**
   * A branch of MERGE.
   *
   * @param from the first token behind THEN
   * @param to the token after the branch
   */
  public record When(Action action, int from, int to) {}

  /** The branches of MERGE. */
  public final List<When> whens = new ArrayList<>();

  /** The token SET. */
  public int set = -1;

  /** The token after the SET list. */
  public int setEnd = -1;

  /** The token WHERE of an UPDATE or DELETE. */
  public int where = -1;

  /** The token after its condition. */
  public int whereEnd = -1;

  /** ORDER BY, LIMIT or FETCH of an UPDATE or DELETE. */
  public int limit = -1;

  /** The token RETURNING. */
  public int returning = -1;

  /** The columns that are assigned, folded, without qualifiers; empty if they are not known. */
  public Optional<Set<String>> assignedColumns() {
    Set<String> columns = new HashSet<>();
    for (Assignment assignment : assignments) {
      if (assignment.targets().isEmpty()) {
        return Optional.empty();
      }
      assignment.targets().forEach(target -> columns.add(Identifiers.fold(target.last())));
    }
    return Optional.of(columns);
  }

  public StatementShape(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /**
   * An UPDATE or DELETE as a block: its subqueries see its sources, as they see an outer query's.
   */
  public Optional<SelectBlock> written() {
    if (sources.isEmpty()) {
      return Optional.empty();
    }
    SelectBlock block = new SelectBlock(SelectBlock.Role.NESTED, verb);
    block.from.addAll(sources);
    block.fromAt = sourcesAt;
    block.fromEnd = sourcesEnd;
    block.moreAt = moreAt;
    block.moreEnd = moreEnd;
    block.where = where;
    block.whereEnd = whereEnd;
    block.limited = limit >= 0;
    block.end = to;
    return Optional.of(block);
  }

  /** The block that a query begins with; empty if it begins with something else. */
  public Optional<SelectBlock> firstBlock(Query query) {
    return query.first().flatMap(this::block);
  }

  /** The rows of a source, if they are those of a block under the names that it gives them. */
  public Optional<SelectBlock> blockOf(Source source) {
    return source instanceof Source.Derived derived && !derived.renamed()
        ? firstBlock(derived.query())
        : Optional.empty();
  }

  private Optional<SelectBlock> block(QueryBody.Select select) {
    for (SelectBlock block : blocks) {
      if (block.select == select.span().from()) {
        return Optional.of(block);
      }
    }
    return Optional.empty();
  }

  /** The block whose columns the application sees, if it is alone. */
  public @Nullable SelectBlock top() {
    for (SelectBlock block : blocks) {
      if (block.role == SelectBlock.Role.TOP) {
        return block;
      }
    }
    return null;
  }
}
