package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What stands in a FROM list. */
public sealed interface Source extends Node {

  /**
   * A table, a view, or a common table.
   *
   * @param name the name's parts as they stand, outermost first
   * @param alias as it stands
   * @param columnAliases how many columns the alias renames
   */
  record Table(Span span, List<String> name, Optional<String> alias, int columnAliases)
      implements Source {
    @Override
    public List<Node> children() {
      return List.of();
    }

    /** The name by which the expressions around it refer to it. */
    public String exposedName() {
      return alias.orElseGet(() -> name.get(name.size() - 1));
    }
  }

  /**
   * A query in parentheses, with its alias.
   *
   * @param open its parenthesis
   * @param renamed true if the alias renames its columns
   * @param lateral true if it may refer to the sources before it
   */
  record Derived(
      Span span, int open, Query query, Optional<String> alias, boolean renamed, boolean lateral)
      implements Source {
    @Override
    public List<Node> children() {
      return List.of(query);
    }
  }

  /** A function that returns rows. */
  record Function(Span span, List<Expression> arguments, Optional<String> alias) implements Source {
    @Override
    public List<Node> children() {
      return List.copyOf(arguments);
    }
  }

  /**
   * A join.
   *
   * @param natural the token NATURAL, or -1
   * @param operator where the words of the operator stand
   * @param conditions those of ON; more than one where joins are nested to the right
   * @param using the columns of USING as they stand
   */
  record Join(
      Span span,
      Source left,
      Span operator,
      int natural,
      boolean cross,
      boolean outer,
      Source right,
      List<Expression> conditions,
      List<String> using)
      implements Source {
    @Override
    public List<Node> children() {
      List<Node> all = new ArrayList<>(List.of(left, right));
      all.addAll(conditions);
      return all;
    }
  }

  /** A join in parentheses. */
  record Nested(Span span, Source source) implements Source {
    @Override
    public List<Node> children() {
      return List.of(source);
    }
  }
}
