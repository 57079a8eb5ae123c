package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a query takes its rows from. */
public sealed interface QueryBody extends Node {

  /**
   * SELECT with its own FROM.
   *
   * @param distinct true with DISTINCT, DISTINCTROW, UNIQUE
   * @param limited true with TOP
   * @param distinctOn the expressions of DISTINCT ON
   * @param list where the select list stands
   * @param items the select list
   * @param clauses INTO, FROM, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, in the order of the text
   */
  record Select(
      Span span,
      boolean distinct,
      boolean limited,
      List<Expression> distinctOn,
      Span list,
      List<Item> items,
      List<Clause> clauses)
      implements QueryBody {
    @Override
    public List<Node> children() {
      List<Node> all = new ArrayList<>(distinctOn);
      all.addAll(items);
      all.addAll(clauses);
      return all;
    }

    /** The clause of a kind, if there is one. */
    public Optional<Clause> clause(Clause.Kind kind) {
      return Clause.first(clauses, kind);
    }

    /** The sources in FROM. */
    public List<Source> from() {
      return clause(Clause.Kind.FROM).map(Clause::sources).orElse(List.of());
    }
  }

  /** Rows of VALUES. */
  record Values(Span span, List<Expression> rows) implements QueryBody {
    @Override
    public List<Node> children() {
      return List.copyOf(rows);
    }
  }

  /** {@code TABLE t}. */
  record TableQuery(Span span, Source.Table table) implements QueryBody {
    @Override
    public List<Node> children() {
      return List.of(table);
    }
  }

  /** A query in parentheses. */
  record Nested(Span span, Query query) implements QueryBody {
    @Override
    public List<Node> children() {
      return List.of(query);
    }
  }

  /**
   * UNION, INTERSECT, EXCEPT, MINUS, in the order of the text: INTERSECT is not grouped first.
   *
   * @param branches two or more
   * @param operators one fewer, {@code UNION ALL} for example
   */
  record SetOperation(Span span, List<QueryBody> branches, List<String> operators)
      implements QueryBody {
    @Override
    public List<Node> children() {
      return List.copyOf(branches);
    }
  }

  /**
   * A query that the grammar does not know.
   *
   * @param unsupported true if it is recognized, and deliberately not read
   */
  record Opaque(Span span, String detail, boolean unsupported) implements QueryBody {
    @Override
    public List<Node> children() {
      return List.of();
    }
  }
}
