package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.MergeBranch.Action;
import io.txwatch.sql.syntax.OnConflict;
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
final class StatementShape {

  final int from;
  final int to;
  StatementKind kind = StatementKind.OTHER;

  /** The assignments of an UPDATE, and those of an INSERT to rows that exist already. */
  List<Assignment> assignments = List.of();

  /** What an INSERT does with rows that exist already. */
  List<OnConflict> conflicts = List.of();

  /** True if it contains an expression that the grammar does not know. */
  boolean hasOpaque;

  /** True if it is a write inside the WITH of another statement. */
  boolean inner;

  /** The main verb, after WITH. */
  int verb;

  /** Every SELECT block, at any depth, in the order of the text. */
  final List<SelectBlock> blocks = new ArrayList<>();

  /** Every table name, at any depth, in the order of the text. */
  final List<FromNode.TableRef> tables = new ArrayList<>();

  /** Names of CTEs. */
  final List<String> ctes = new ArrayList<>();

  /**
   * The first block of each CTE's query; empty if its columns are renamed or the name is not
   * unique.
   */
  final Map<String, Optional<SelectBlock>> cteBlocks = new HashMap<>();

  /**
   * A CTE.
   *
   * @param name folded
   * @param from the first token of its query
   * @param to the token after it
   */
  record Cte(String name, int from, int to) {}

  /** Every CTE, at any depth. */
  final List<Cte> cteBodies = new ArrayList<>();

  /** PostgreSQL: the INSERT, UPDATE, DELETE and MERGE that stand inside WITH, in order. */
  final List<StatementShape> innerWrites = new ArrayList<>();

  /** Those of them whose CTEs have names that are unique and columns that are not renamed. */
  final Map<String, StatementShape> cteWrites = new HashMap<>();

  /** Where each WITH begins, and the token after its last CTE. */
  final Map<Integer, Integer> withs = new HashMap<>();

  /** {@code TABLE t} in the place of a query: the tokens TABLE. */
  final List<Integer> tableQueries = new ArrayList<>();

  /** True if a query joins blocks by UNION, INTERSECT or EXCEPT at its top. */
  boolean setOperation;

  /** True if that is more than UNION ALL. */
  boolean deduplicates;

  /** True if an INSERT's query has branches that are no SELECT: VALUES, TABLE. */
  boolean otherSource;

  /** True if a top-level query is, or has branches that are no SELECT: VALUES, TABLE. */
  boolean otherBranch;

  /** INSERT, UPDATE, DELETE: the table written. */
  FromNode.@Nullable TableRef target;

  /** UPDATE and DELETE: all that the statement names before SET, or in FROM or USING. */
  final List<FromNode> sources = new ArrayList<>();

  /** The token before the first of them. */
  int sourcesAt = -1;

  /** The token after those that stand before SET, or behind DELETE FROM. */
  int sourcesEnd = -1;

  /** The token FROM of an UPDATE, or USING of a DELETE. */
  int moreAt = -1;

  /** The token after that list. */
  int moreEnd = -1;

  /** The statement writes, or may write, more than one table. */
  boolean multiTable;

  /** The names, as they stand, by which a DELETE from several tables says which it deletes from. */
  final List<String> deletesFrom = new ArrayList<>();

  /** The opening parenthesis of INSERT's column list. */
  int columns = -1;

  /** Where INSERT's source begins. */
  int source = -1;

  /** The token after INSERT's source. */
  int sourceEnd = -1;

  @Nullable RowsFrom sourceKind;

  /** The opening parentheses of the rows of VALUES. */
  final List<Integer> rows = new ArrayList<>();

  /** The token ON of ON CONFLICT or ON DUPLICATE KEY. */
  int onConflict = -1;

  /**
   * A branch of MERGE.
   *
   * @param from the first token behind THEN
   * @param to the token after the branch
   */
  record When(Action action, int from, int to) {}

  /** The branches of MERGE. */
  final List<When> whens = new ArrayList<>();

  /** The token SET. */
  int set = -1;

  /** The token after the SET list. */
  int setEnd = -1;

  /** The token WHERE of an UPDATE or DELETE. */
  int where = -1;

  /** The token after its condition. */
  int whereEnd = -1;

  /** ORDER BY, LIMIT or FETCH of an UPDATE or DELETE. */
  int limit = -1;

  /** The token RETURNING. */
  int returning = -1;

  /** The columns that are assigned, folded, without qualifiers; empty if they are not known. */
  Optional<Set<String>> assignedColumns() {
    Set<String> columns = new HashSet<>();
    for (Assignment assignment : assignments) {
      if (assignment.targets().isEmpty()) {
        return Optional.empty();
      }
      assignment.targets().forEach(target -> columns.add(Identifiers.fold(target.last())));
    }
    return Optional.of(columns);
  }

  StatementShape(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /**
   * An UPDATE or DELETE as a block: its subqueries see its sources, as they see an outer query's.
   */
  Optional<SelectBlock> written() {
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

  /** The block whose columns the application sees, if it is alone. */
  @Nullable SelectBlock top() {
    for (SelectBlock block : blocks) {
      if (block.role == SelectBlock.Role.TOP) {
        return block;
      }
    }
    return null;
  }
}
