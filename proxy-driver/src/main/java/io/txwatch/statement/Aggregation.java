package io.txwatch.statement;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Whether each row of a block's result is one combination of rows of its sources. */
public final class Aggregation {

  private Aggregation() {}

  /** Why nothing can be appended to a block without changing what it means; empty if it can. */
  public static Optional<String> obstacle(AnalyzedStatement statement, Block block) {
    if (block.distinct()) {
      return Optional.of("DISTINCT");
    }
    if (block.has(Kind.GROUP_BY)) {
      return Optional.of("GROUP BY");
    }
    if (block.has(Kind.HAVING)) {
      return Optional.of("HAVING");
    }
    if (block.has(Kind.INTO)) {
      return Optional.of("SELECT INTO");
    }
    if (block.list().isEmpty()) {
      return Optional.of("an empty select list");
    }
    if (mayAggregate(statement, block.list())
        || block.clause(Kind.ORDER_BY).filter(c -> mayAggregate(statement, c.span())).isPresent()) {
      return Optional.of("an aggregate, or a function that may be one");
    }
    return namesTwice(block)
        ? Optional.of("two sources of rows with the same name")
        : Optional.empty();
  }

  /** True if a stretch of a block may hold an aggregate over the block's own rows. */
  public static boolean mayAggregate(AnalyzedStatement statement, Span at) {
    return ScalarFunctions.mayAggregate(
        statement.tokens(),
        at.from(),
        at.to(),
        open -> Names.aggregatesInside(statement, at, open));
  }

  /** True if two sources in FROM have one name, so that a qualified column may be either's. */
  public static boolean namesTwice(Block block) {
    List<String> names = new ArrayList<>();
    for (Source source : Source.leaves(block.sources(), Source.class)) {
      source.exposed().ifPresent(name -> names.add(Identifiers.fold(name)));
    }
    return new HashSet<>(names).size() < names.size();
  }
}
