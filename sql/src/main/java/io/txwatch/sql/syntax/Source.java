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
   * @param isCommon true if the name is that of a common table in scope
   */
  record Table(
      Span span, List<String> name, Optional<String> alias, int columnAliases, boolean isCommon)
      implements Source {

    /** A table's name that stands somewhere else than in a parsed source. */
    public static Table named(Span span, List<String> name) {
      return new Table(span, name, Optional.empty(), 0, false);
    }

    @Override
    public List<Node> children() {
      return List.of();
    }

    /** The name by which the expressions around it refer to it. */
    public String exposedName() {
      return alias.orElseGet(() -> name.get(name.size() - 1));
    }

    @Override
    public Optional<String> exposed() {
      return Optional.of(exposedName());
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

    @Override
    public Optional<String> exposed() {
      return alias;
    }
  }

  /** A function that returns rows. */
  record Function(Span span, List<Expression> arguments, Optional<String> alias) implements Source {
    @Override
    public List<Node> children() {
      return List.copyOf(arguments);
    }

    @Override
    public Optional<String> exposed() {
      return alias;
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

  /** The first token. */
  default int from() {
    return span().from();
  }

  /** The token after it. */
  default int to() {
    return span().to();
  }

  /** The name by which expressions refer to it, as it stands; empty for joins, or without alias. */
  default Optional<String> exposed() {
    return Optional.empty();
  }

  /** The source without the parentheses around it. */
  default Source unwrapped() {
    return this instanceof Nested nested ? nested.source.unwrapped() : this;
  }

  /** Adds what it joins, from left to right: tables, queries, functions. */
  default void addLeaves(List<Source> leaves) {
    if (this instanceof Join join) {
      join.left.addLeaves(leaves);
      join.right.addLeaves(leaves);
    } else if (this instanceof Nested nested) {
      nested.source.addLeaves(leaves);
    } else {
      leaves.add(this);
    }
  }

  /** The tables that some sources join, from left to right. */
  static List<Table> tables(List<Source> sources) {
    return leaves(sources, Table.class);
  }

  /** Those that some sources join, from left to right, of a kind. */
  static <T extends Source> List<T> leaves(List<Source> sources, Class<T> kind) {
    List<Source> leaves = new ArrayList<>();
    sources.forEach(source -> source.addLeaves(leaves));
    List<T> found = new ArrayList<>(leaves.size());
    for (Source leaf : leaves) {
      if (kind.isInstance(leaf)) {
        found.add(kind.cast(leaf));
      }
    }
    return found;
  }
}
