package io.txwatch.sql.syntax;

import java.util.List;

/** A value, a condition, or a list of them. */
public sealed interface Expression extends Node {

  /** A name with its qualifiers, as they stand: a column, or something without parentheses. */
  record Name(Span span, List<String> parts) implements Expression {
    @Override
    public List<Node> children() {
      return List.of();
    }

    /** The last part. */
    public String last() {
      return parts.get(parts.size() - 1);
    }
  }

  /** A number, a string, NULL, TRUE, {@code DATE '…'}, {@code INTERVAL '…' DAY}. */
  record Literal(Span span) implements Expression {
    @Override
    public List<Node> children() {
      return List.of();
    }
  }

  /** {@code ?} in any spelling. */
  record Parameter(Span span) implements Expression {
    @Override
    public List<Node> children() {
      return List.of();
    }
  }

  /** {@code @name}, {@code @@name}. */
  record Variable(Span span) implements Expression {
    @Override
    public List<Node> children() {
      return List.of();
    }
  }

  /** {@code *} or {@code t.*} as an argument or item. */
  record Star(Span span, List<String> qualifier) implements Expression {
    @Override
    public List<Node> children() {
      return List.of();
    }
  }

  /**
   * A call, with what follows its parentheses.
   *
   * @param name its parts as they stand
   * @param open the opening parenthesis
   * @param parts the arguments, the expressions of ORDER BY, FILTER, WITHIN GROUP and OVER
   * @param distinct true if its arguments are made distinct
   * @param window true if OVER follows
   */
  record Call(
      Span span,
      List<String> name,
      int open,
      List<Expression> parts,
      boolean distinct,
      boolean window)
      implements Expression {
    @Override
    public List<Node> children() {
      return List.copyOf(parts);
    }
  }

  /**
   * Operands joined by operators of one level, from left to right: {@code a + b - c}, {@code a AND
   * b}, {@code a = b}. The levels are OR, XOR, AND, comparisons, and all others.
   *
   * @param operators in upper case, one fewer than operands
   */
  record Chain(Span span, List<String> operators, List<Expression> operands) implements Expression {
    @Override
    public List<Node> children() {
      return List.copyOf(operands);
    }
  }

  /**
   * Any other operator with its operands: {@code NOT a}, {@code -a}, {@code a IS NULL}, {@code a
   * BETWEEN b AND c}, {@code a LIKE b}, {@code a::text}.
   *
   * @param operator in upper case, its words separated by blanks
   */
  record Operation(Span span, String operator, List<Expression> operands) implements Expression {
    @Override
    public List<Node> children() {
      return List.copyOf(operands);
    }
  }

  /** The name of a type, behind {@code ::} or AS. */
  record Type(Span span) implements Expression {
    @Override
    public List<Node> children() {
      return List.of();
    }
  }

  /** {@code a IN (…)}: a list, or a query. */
  record In(Span span, Expression left, boolean negated, Expression right) implements Expression {
    @Override
    public List<Node> children() {
      return List.of(left, right);
    }
  }

  /** CASE: its operand, conditions and results. */
  record Case(Span span, List<Expression> parts) implements Expression {
    @Override
    public List<Node> children() {
      return List.copyOf(parts);
    }
  }

  /** {@code (a)}, {@code (a, b)}, {@code ROW(a, b)}, {@code ARRAY[a, b]}. */
  record Tuple(Span span, List<Expression> items) implements Expression {
    @Override
    public List<Node> children() {
      return List.copyOf(items);
    }
  }

  /** A query in parentheses, also behind EXISTS, ANY, ALL, ARRAY. */
  record Subquery(Span span, Query query, boolean exists) implements Expression {
    @Override
    public List<Node> children() {
      return List.of(query);
    }
  }

  /**
   * A stretch that the grammar does not know.
   *
   * @param queries the queries in parentheses within
   */
  record Opaque(Span span, List<Subquery> queries) implements Expression {
    @Override
    public List<Node> children() {
      return List.copyOf(queries);
    }
  }

  /** The expression without the parentheses around it. */
  default Expression unwrapped() {
    return this instanceof Tuple tuple && tuple.items().size() == 1
        ? tuple.items().get(0).unwrapped()
        : this;
  }
}
