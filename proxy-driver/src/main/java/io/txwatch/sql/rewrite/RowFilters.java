package io.txwatch.sql.rewrite;

import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a statement may omit rows that the FROM and WHERE of some blocks let through, so that its
 * result does not depend on them: by HAVING, by a set operation, or because a block around them
 * joins or filters the derived table or CTE in which they stand. True in case of doubt.
 */
final class RowFilters {

  /** Words by which a query may omit rows of a branch of a set operation. */
  private static final String[] OMITTING = {
    "LIMIT", "OFFSET", "FETCH", "TOP", "INTERSECT", "EXCEPT", "MINUS"
  };

  private final StatementParts parts;
  private final AnalyzedStatement statement;
  private final List<Block> joined;
  private final List<Block> blocks;

  /**
   * Creates the filters of a read.
   *
   * @param joined the blocks whose conditions the read has
   */
  RowFilters(AnalyzedStatement statement, List<Block> joined) {
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
}
