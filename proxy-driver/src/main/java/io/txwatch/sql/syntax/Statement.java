package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One statement. */
public sealed interface Statement extends Node {

  /** A query. */
  record Select(Span span, Query query) implements Statement {
    @Override
    public List<Node> children() {
      return List.of(query);
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
  }
}
