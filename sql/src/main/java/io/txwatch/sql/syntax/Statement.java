package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One statement. */
public sealed interface Statement extends Node {

  /** A query. */
  record Select(Span span, Query query) implements Statement {
    @Override
    public List<Node> children() {
      return List.of(query);
    }

    @Override
    public int verb() {
      return with().map(with -> with.span().to()).orElse(span.from());
    }

    @Override
    public Optional<With> with() {
      return query.with();
    }
  }

  /** Where an INSERT takes its rows from. */
  enum RowsFrom {
    /** VALUES. */
    VALUES,
    /** A query. */
    QUERY,
    /** DEFAULT VALUES. */
    DEFAULT_VALUES,
    /** MySQL's SET. */
    SET
  }

  /** RETURNING with its items. */
  record Returning(Span span, List<Item> items) implements Node {
    @Override
    public List<Node> children() {
      return List.copyOf(items);
    }
  }

  /**
   * INSERT or REPLACE.
   *
   * @param verb the token INSERT or REPLACE
   * @param replaces true for REPLACE and INSERT OR REPLACE
   * @param columns the column list with its parentheses
   * @param content where the rows stand, their keyword included
   * @param rows those of VALUES, or the query
   * @param assignments those of SET
   */
  record Insert(
      Span span,
      Optional<With> with,
      int verb,
      boolean replaces,
      Source.Table target,
      Optional<Span> columns,
      RowsFrom from,
      Span content,
      Optional<Query> rows,
      List<Assignment> assignments,
      List<OnConflict> conflicts,
      Optional<Returning> returning)
      implements Statement {
    @Override
    public List<Node> children() {
      List<Node> all = new ArrayList<>();
      with.ifPresent(all::add);
      all.add(target);
      rows.ifPresent(all::add);
      all.addAll(assignments);
      all.addAll(conflicts);
      returning.ifPresent(all::add);
      return all;
    }

    @Override
    public Optional<Source.Table> writtenTable() {
      return Optional.of(target);
    }

    /** The rows of VALUES. */
    public List<Expression.Tuple> tuples() {
      List<Expression.Tuple> tuples = new ArrayList<>();
      if (rows.isPresent() && rows.get().body() instanceof QueryBody.Values values) {
        for (Expression row : values.rows()) {
          if (row instanceof Expression.Tuple tuple) {
            tuples.add(tuple);
          }
        }
      }
      return tuples;
    }

    @Override
    public List<Assignment> updates() {
      return conflicts.stream().flatMap(conflict -> conflict.updates().stream()).toList();
    }
  }

  /**
   * UPDATE.
   *
   * @param sourcesAt where the sources in front of SET stand
   * @param set where the assignments stand
   * @param clauses FROM, WHERE, ORDER BY, LIMIT, in the order of the text
   */
  record Update(
      Span span,
      Optional<With> with,
      int verb,
      Span sourcesAt,
      List<Source> sources,
      Span set,
      List<Assignment> assignments,
      List<Clause> clauses,
      Optional<Returning> returning)
      implements Statement {
    @Override
    public List<Node> children() {
      List<Node> all = new ArrayList<>();
      with.ifPresent(all::add);
      all.addAll(sources);
      all.addAll(assignments);
      all.addAll(clauses);
      returning.ifPresent(all::add);
      return all;
    }

    @Override
    public Optional<Source.Table> writtenTable() {
      return only(sources);
    }

    @Override
    public List<Assignment> updates() {
      return assignments;
    }
  }

  /**
   * DELETE.
   *
   * @param from the tables to delete from, where they are listed beside the sources (MySQL)
   * @param sourcesAt where the sources stand
   * @param clauses USING, WHERE, ORDER BY, LIMIT, in the order of the text
   */
  record Delete(
      Span span,
      Optional<With> with,
      int verb,
      List<Expression.Name> from,
      Span sourcesAt,
      List<Source> sources,
      List<Clause> clauses,
      Optional<Returning> returning)
      implements Statement {
    @Override
    public List<Node> children() {
      List<Node> all = new ArrayList<>();
      with.ifPresent(all::add);
      all.addAll(from);
      all.addAll(sources);
      all.addAll(clauses);
      returning.ifPresent(all::add);
      return all;
    }

    @Override
    public Optional<Source.Table> writtenTable() {
      return from.isEmpty() ? only(sources) : Optional.empty();
    }
  }

  /** MERGE INTO … USING. */
  record Merge(
      Span span,
      Optional<With> with,
      int verb,
      Source.Table target,
      Clause using,
      Expression on,
      List<MergeBranch> branches,
      Optional<Returning> returning)
      implements Statement {
    @Override
    public List<Node> children() {
      List<Node> all = new ArrayList<>();
      with.ifPresent(all::add);
      all.add(target);
      all.add(using);
      all.add(on);
      all.addAll(branches);
      returning.ifPresent(all::add);
      return all;
    }

    @Override
    public Optional<Source.Table> writtenTable() {
      return Optional.of(target);
    }

    @Override
    public List<Assignment> updates() {
      return branches.stream().flatMap(branch -> branch.updates().stream()).toList();
    }
  }

  /**
   * Anything else.
   *
   * @param unsupported true if it is recognized, and deliberately not read
   */
  record Opaque(Span span, String detail, boolean unsupported) implements Statement {
    @Override
    public List<Node> children() {
      return List.of();
    }

    @Override
    public int verb() {
      return span.from();
    }

    @Override
    public Optional<With> with() {
      return Optional.empty();
    }
  }

  /** Its verb, behind WITH. */
  int verb();

  /** WITH in front of it. */
  Optional<With> with();

  /** The one table that it writes; empty for a query, and where there may be several. */
  default Optional<Source.Table> writtenTable() {
    return Optional.empty();
  }

  /** FROM, USING, WHERE, ORDER BY and LIMIT of an UPDATE or DELETE. */
  default List<Clause> clauses() {
    return List.of();
  }

  /** WHERE of an UPDATE or DELETE. */
  default Optional<Clause> where() {
    return Clause.first(clauses(), Clause.Kind.WHERE);
  }

  /** ORDER BY and LIMIT of an UPDATE or DELETE. */
  default Optional<Span> tail() {
    for (Clause clause : clauses()) {
      if (clause.kind() == Clause.Kind.ORDER_BY || clause.kind() == Clause.Kind.LIMIT) {
        Clause last = clauses().get(clauses().size() - 1);
        return Optional.of(new Span(clause.span().from(), last.span().to()));
      }
    }
    return Optional.empty();
  }

  /** What an INSERT does with rows that exist already. */
  default List<OnConflict> conflicts() {
    return List.of();
  }

  /** RETURNING of a write. */
  default Optional<Returning> returning() {
    return Optional.empty();
  }

  /** The assignments to rows that exist already. */
  default List<Assignment> updates() {
    return List.of();
  }

  /** The columns that are assigned, folded, without qualifiers; empty if they are not known. */
  default Optional<Set<String>> assignedColumns() {
    Set<String> columns = new HashSet<>();
    for (Assignment assignment : updates()) {
      if (assignment.targets().isEmpty()) {
        return Optional.empty();
      }
      assignment.targets().forEach(target -> columns.add(Identifiers.fold(target.last())));
    }
    return Optional.of(columns);
  }

  private static Optional<Source.Table> only(List<Source> sources) {
    return sources.size() == 1 && sources.get(0).unwrapped() instanceof Source.Table table
        ? Optional.of(table)
        : Optional.empty();
  }
}
