package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A clause, its keyword included.
 *
 * @param sources those of FROM and USING; else empty
 * @param expressions those of all others
 */
public record Clause(Span span, Kind kind, List<Source> sources, List<Expression> expressions)
    implements Node {

  /** Which clause it is. */
  public enum Kind {
    INTO,
    FROM,
    USING,
    WHERE,
    GROUP_BY,
    HAVING,
    WINDOW,
    QUALIFY,
    ORDER_BY,
    /** LIMIT, OFFSET, FETCH. */
    LIMIT,
    /** FOR UPDATE and the like, LOCK IN SHARE MODE. */
    LOCK,
    /** FOR READ ONLY. */
    READ_ONLY
  }

  /** The first clause of a kind. */
  public static Optional<Clause> first(List<Clause> clauses, Kind kind) {
    for (Clause clause : clauses) {
      if (clause.kind == kind) {
        return Optional.of(clause);
      }
    }
    return Optional.empty();
  }

  /** What stands behind a keyword of one word. */
  public Span content() {
    return new Span(span.from() + 1, span.to());
  }

  @Override
  public List<Node> children() {
    List<Node> all = new ArrayList<>(sources);
    all.addAll(expressions);
    return all;
  }
}
