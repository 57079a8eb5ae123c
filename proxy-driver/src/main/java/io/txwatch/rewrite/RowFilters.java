package io.txwatch.rewrite;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.With;
import io.txwatch.statement.Aggregation;
import io.txwatch.statement.AnalyzedStatement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a statement may omit rows that the FROM and WHERE of some blocks let through, so that its
 * result does not depend on them: by HAVING, by a set operation, because a block around them joins
 * or filters the derived table or CTE in which they stand, or because they stand in an operand that
 * may not be evaluated. True in case of doubt.
 *
 * <p>An operand in WHERE is surely evaluated where a row came back, if AND alone combines it with
 * the rest; one in a select list or in SET is, too. Where no row came back, or where an aggregate
 * makes one of none, nothing is known.
 */
final class RowFilters {

  /** Words by which a query may omit rows of a branch of a set operation. */
  private static final String[] OMITTING = {
    "LIMIT", "OFFSET", "FETCH", "TOP", "INTERSECT", "EXCEPT", "MINUS"
  };

  /** Words by which an operand may be left out. */
  private static final String[] CHOOSING = {
    "OR",
    "XOR",
    "CASE",
    "COALESCE",
    "IFNULL",
    "NVL",
    "NVL2",
    "IF",
    "IIF",
    "DECODE",
    "ANY",
    "SOME",
    "ALL",
    "NOT"
  };

  private final StatementParts parts;
  private final AnalyzedStatement statement;
  private final List<Block> joined;
  private final boolean within;
  private final List<Block> blocks;

  /**
   * Creates the filters of a read.
   *
   * @param joined the blocks whose conditions the read has
   * @param within true if what the read finds is known only where the statement returns a row
   */
  RowFilters(AnalyzedStatement statement, List<Block> joined, boolean within) {
    this.within = within;
    this.statement = statement;
    this.parts = statement.parts();
    this.joined = joined;
    this.blocks = new ArrayList<>(parts.blocks());
    parts.written().ifPresent(blocks::add);
  }

  /** True if rows may be omitted. */
  boolean mayOmitRows() {
    return joined.stream()
        .anyMatch(block -> groupsAreFiltered(block) || !reachesResult(block.start(), 0));
  }

  private boolean groupsAreFiltered(Block block) {
    return block.has(Kind.HAVING)
        || block.has(Kind.QUALIFY)
        || (!block.alone() && statement.tokens().hasAnyWord(parts.from(), parts.to(), OMITTING));
  }

  /** Whether every row of the derived tables and CTEs around a token reaches the result. */
  private boolean reachesResult(int token, int depth) {
    for (Block block : blocks) {
      if (block.span().contains(token) && !isSurelyEvaluated(block)) {
        return false;
      }
    }
    for (Block outer : blocks) {
      for (Source source : outer.others()) {
        if (source instanceof Source.Derived derived
            && derived.span().contains(token)
            && !keepsRows(outer, source)) {
          return false;
        }
      }
    }
    for (With with : parts.withs()) {
      for (CommonTable table : with.tables()) {
        if (table.body().span().contains(token)
            && (with.recursive() || !isReadInFull(table, depth + 1))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether a block that keeps every row reads a CTE. */
  private boolean isReadInFull(CommonTable common, int depth) {
    String name = Identifiers.fold(common.name());
    Span body = common.body().span();
    return depth <= parts.commonTables().size()
        && readers(name)
            .anyMatch(
                reader ->
                    !body.contains(reader.block.start())
                        && keepsRows(reader.block, reader.source)
                        && reachesResult(reader.block.start(), depth));
  }

  private record Reader(Block block, Source source) {}

  private Stream<Reader> readers(String name) {
    return blocks.stream()
        .flatMap(
            block ->
                block.tables().stream()
                    .filter(Source.Table::isCommon)
                    .filter(table -> Identifiers.fold(table.name().get(0)).equals(name))
                    .map(table -> new Reader(block, table)));
  }

  /** Whether each row of a source makes, or is part of, a row of the block's result. */
  private boolean keepsRows(Block block, Source source) {
    if (joined.contains(block)) {
      return true; // its conditions are those of the read
    }
    boolean alone = block.sources().size() == 1 && block.sources().get(0).unwrapped() == source;
    return alone
        && !block.has(Kind.WHERE)
        && !block.limited()
        && block.role() != Block.Role.EXISTS
        && !groupsAreFiltered(block);
  }

  /** False if a block is an operand that may not be evaluated. */
  private boolean isSurelyEvaluated(Block block) {
    if (block.role() != Block.Role.NESTED || parts.written().filter(block::equals).isPresent()) {
      return true; // of EXISTS no row is surely read
    }
    Optional<Block> outer = innermost(block.start(), block);
    if (isSource(block, outer)) {
      return true;
    }
    if (outer.isEmpty()) {
      return statement.tree() instanceof Statement.Insert
          && statement.tree().conflicts().isEmpty()
          && !isChosen(block, parts.from(), parts.to());
    }
    Block around = outer.get();
    boolean returnsItsRows =
        switch (around.role()) {
          case TOP -> true;
          case SOURCE -> around.alone() && statement.tree().conflicts().isEmpty();
          case NESTED -> parts.written().filter(around::equals).isPresent();
          case BRANCH, EXISTS -> false;
        };
    boolean hasRows =
        around.sources().isEmpty()
            ? !around.has(Kind.WHERE)
            : joined.contains(around) || (within && !mayMakeRowOfNone(block, around));
    return returnsItsRows
        && hasRows
        && isValueOrCondition(block, around)
        && !isChosen(block, around.start(), around.end());
  }

  /** The smallest block around a token, other than the given one. */
  private Optional<Block> innermost(int token, Block except) {
    return blocks.stream()
        .filter(block -> block != except && block.span().contains(token))
        .max(Comparator.comparingInt(Block::start));
  }

  /** Whether a block stands in a derived table or CTE, with no other block between. */
  private boolean isSource(Block block, Optional<Block> outer) {
    int start = outer.map(Block::start).orElse(-1);
    Stream<Span> derived =
        blocks.stream()
            .flatMap(one -> one.others().stream())
            .filter(Source.Derived.class::isInstance)
            .map(one -> ((Source.Derived) one).span());
    Stream<Span> common = parts.commonTables().stream().map(table -> table.body().span());
    return Stream.concat(derived, common)
        .anyMatch(span -> span.contains(block.start()) && span.from() > start);
  }

  private static boolean isValueOrCondition(Block block, Block around) {
    int at = block.start();
    return around.list().contains(at)
        || around.clause(Kind.WHERE).filter(where -> where.span().contains(at)).isPresent()
        || (around.role() == Block.Role.NESTED && !around.chooses(at)); // an assigned value
  }

  /** Whether an aggregate returns a row although WHERE, where the operand stands, found none. */
  private boolean mayMakeRowOfNone(Block block, Block around) {
    return !around.list().contains(block.start())
        && !around.has(Kind.GROUP_BY)
        && Aggregation.mayAggregate(statement, around.list());
  }

  /** Whether something beside a block, within a stretch, may decide if it is evaluated. */
  private boolean isChosen(Block block, int from, int to) {
    return statement.tokens().hasAnyWord(from, block.start(), CHOOSING)
        || statement.tokens().hasAnyWord(block.end(), to, CHOOSING);
  }
}
