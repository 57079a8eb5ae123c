package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Whether each row of a block's result is one combination of rows of its sources. */
public final class Aggregation {

  private Aggregation() {}

  /** Why nothing can be appended to a block without changing what it means; empty if it can. */
  public static Optional<String> obstacle(AnalyzedStatement statement, SelectBlock block) {
    if (block.distinct) {
      return Optional.of("DISTINCT");
    }
    if (block.groupBy >= 0) {
      return Optional.of("GROUP BY");
    }
    if (block.having >= 0) {
      return Optional.of("HAVING");
    }
    if (block.into >= 0) {
      return Optional.of("SELECT INTO");
    }
    if (block.listTo <= block.listFrom) {
      return Optional.of("an empty select list");
    }
    if (mayAggregate(statement, block.listFrom, block.listTo)
        || (block.orderBy >= 0 && mayAggregate(statement, block.orderBy, block.orderByEnd))) {
      return Optional.of("an aggregate, or a function that may be one");
    }
    return namesTwice(block)
        ? Optional.of("two sources of rows with the same name")
        : Optional.empty();
  }

  /** True if a stretch of a block may hold an aggregate over the block's own rows. */
  public static boolean mayAggregate(AnalyzedStatement statement, int from, int to) {
    return ScalarFunctions.mayAggregate(
        statement.tokens(), from, to, open -> Names.aggregatesInside(statement, from, to, open));
  }

  /** True if two sources in FROM have one name, so that a qualified column may be either's. */
  public static boolean namesTwice(SelectBlock block) {
    List<String> names = new ArrayList<>();
    for (Source source : Source.leaves(block.from, Source.class)) {
      source.exposed().ifPresent(name -> names.add(Identifiers.fold(name)));
    }
    return new HashSet<>(names).size() < names.size();
  }
}
