package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A query expression: WITH, what it selects, and what orders, limits and locks its result.
 *
 * @param tail ORDER BY, LIMIT, OFFSET, FETCH, FOR and LOCK, in the order of the text
 */
public record Query(Span span, Optional<With> with, QueryBody body, List<Clause> tail)
    implements Node {
  @Override
  public List<Node> children() {
    List<Node> all = new ArrayList<>();
    with.ifPresent(all::add);
    all.add(body);
    all.addAll(tail);
    return all;
  }

  /** The clause of a kind, if there is one. */
  public Optional<Clause> clause(Clause.Kind kind) {
    return Clause.first(tail, kind);
  }

  /** The SELECT that it begins with; empty if it begins with something else. */
  public Optional<QueryBody.Select> first() {
    return with.isPresent() ? Optional.empty() : first(body);
  }

  private static Optional<QueryBody.Select> first(QueryBody body) {
    if (body instanceof QueryBody.Nested nested) {
      return nested.query().first();
    }
    if (body instanceof QueryBody.SetOperation operation) {
      return first(operation.branches().get(0));
    }
    return body instanceof QueryBody.Select select ? Optional.of(select) : Optional.empty();
  }

  static Query opaque(Span span, SyntaxException why) {
    QueryBody body = new QueryBody.Opaque(span, why.detail(), why.isUnsupported());
    return new Query(span, Optional.empty(), body, List.of());
  }
}
