package io.txwatch.rewrite;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression.Star;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** How many columns a star shows, where that is those of tables that the catalog knows. */
final class StarColumns {

  private StarColumns() {}

  /** True if a number in ORDER BY or GROUP BY counts the columns that a star shows. */
  static boolean hasOrdinals(AnalyzedStatement statement, Block block) {
    return Stream.of(Kind.ORDER_BY, Kind.GROUP_BY)
        .flatMap(kind -> block.clause(kind).stream())
        .anyMatch(clause -> numberIn(statement.tokens(), clause.span().from() + 2, block.end()));
  }

  private static boolean numberIn(Tokens tokens, int from, int end) {
    for (int i = from; i < end; i = tokens.next(i)) {
      boolean first = i == from || tokens.is(i - 1, TokenKind.COMMA);
      if (first && tokens.is(i, TokenKind.NUMBER)) {
        return true;
      }
    }
    return false;
  }

  /** How many columns a block has; empty if a star hides it. */
  static OptionalInt width(AnalyzedStatement statement, Block block) {
    int width = block.items().size() - block.stars().size();
    for (Star star : block.stars()) {
      int shown = 0;
      for (Source leaf : Source.leaves(block.sources(), Source.class)) {
        if (star.qualifier().isEmpty() || isOf(star, leaf)) {
          int columns = columns(statement, leaf);
          if (columns == 0) {
            return OptionalInt.empty();
          }
          shown += columns;
        }
      }
      if (shown == 0 || (star.qualifier().isEmpty() && mergesColumns(block.sources()))) {
        return OptionalInt.empty();
      }
      width += shown;
    }
    return OptionalInt.of(width);
  }

  private static boolean isOf(Star star, Source leaf) {
    List<String> qualifier = star.qualifier();
    String last = Identifiers.fold(qualifier.get(qualifier.size() - 1));
    return leaf.exposed().filter(name -> last.equals(Identifiers.fold(name))).isPresent();
  }

  /** Those of a table; 0 if they are not known. */
  private static int columns(AnalyzedStatement statement, Source leaf) {
    return leaf instanceof Source.Table table && !table.isCommon()
        ? statement.tables().find(table).map(known -> known.starColumns().size()).orElse(0)
        : 0;
  }

  /** True if a join merges columns, which are shown once. */
  private static boolean mergesColumns(List<Source> sources) {
    return sources.stream().anyMatch(StarColumns::mergesColumns);
  }

  private static boolean mergesColumns(Source source) {
    return source.unwrapped() instanceof Source.Join join
        && (join.natural() >= 0
            || !join.using().isEmpty()
            || mergesColumns(join.left())
            || mergesColumns(join.right()));
  }
}
