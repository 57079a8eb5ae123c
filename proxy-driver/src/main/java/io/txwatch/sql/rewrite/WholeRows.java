package io.txwatch.sql.rewrite;

import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whole-row references on PostgreSQL (hazard 62): a table's name where an expression stands ({@code
 * SELECT t}, {@code row_to_json(t)}), and {@code t.*} within one. Their value has the auxiliary
 * columns in it, which no hidden column of a result can undo.
 */
final class WholeRows {

  private final Tokens tokens;

  /** The names of sources, folded. */
  private final Set<String> names;

  /** True if a write inside WITH is left out, which has a statement of its own. */
  private final boolean skipsWrites;

  private WholeRows(Tokens tokens, Set<String> names, boolean skipsWrites) {
    this.tokens = tokens;
    this.names = names;
    this.skipsWrites = skipsWrites;
  }

  /** The name of a table that is referred to as a whole row, if there is one. */
  static Optional<String> find(AnalyzedStatement statement) {
    if (!statement.dialect().sql().hasWholeRows()) {
      return Optional.empty();
    }
    Set<String> names = new HashSet<>();
    Set<String> columns = new HashSet<>();
    for (Source.Table table : statement.parts().references()) {
      if (statement.tables().showsAuxiliary(table)) {
        names.add(Identifiers.fold(table.exposedName()));
      }
      statement
          .tables()
          .find(table)
          .ifPresent(
              t -> t.starColumns().forEach(c -> columns.add(Identifiers.fold('"' + c + '"'))));
    }
    excluded(statement).ifPresent(names::add);
    names.removeAll(columns);
    return names.isEmpty()
        ? Optional.empty()
        : new WholeRows(statement.tokens(), names, true).in(statement.tree());
  }

  /**
   * Puts a row of the application's columns in the place of each whole row of the table that a
   * statement writes, and of {@code excluded}, {@code (select t from (select t.a, t.b) t)}, outside
   * of subqueries: no CTE can stand for that table.
   */
  static Edits ofTarget(AnalyzedStatement statement) {
    Optional<Source.Table> target = statement.tree().writtenTable();
    if (target.isEmpty() || !statement.tables().showsAuxiliary(target.get())) {
      return Edits.NONE;
    }
    List<String> columns = statement.tables().find(target.get()).orElseThrow().starColumns();
    Edits edits = ofRow(statement, target.get().exposedName(), columns);
    Optional<String> excluded = excluded(statement);
    return excluded.isPresent() ? edits.and(ofRow(statement, excluded.get(), columns)) : edits;
  }

  /** What names the row that was to be inserted, where ON CONFLICT may update another one. */
  private static Optional<String> excluded(AnalyzedStatement statement) {
    boolean shows =
        statement.tree().writtenTable().filter(statement.tables()::showsAuxiliary).isPresent();
    return shows && !statement.tree().conflicts().isEmpty()
        ? Optional.of("excluded")
        : Optional.empty();
  }

  private static Edits ofRow(AnalyzedStatement statement, String name, List<String> columns) {
    String folded = Identifiers.fold(name);
    if (columns.stream().anyMatch(c -> Identifiers.fold('"' + c + '"').equals(folded))) {
      return Edits.NONE;
    }
    String row =
        columns.stream()
            .map(column -> name + "." + Auxiliary.quote(statement.dialect(), column))
            .collect(Collectors.joining(", "));
    String text = "(select %1$s from (select %2$s) %1$s)".formatted(name, row);
    List<Edits> edits = new ArrayList<>();
    ofTarget(statement.tree(), folded, statement.tokens(), text, edits);
    return Edits.joined(edits);
  }

  private static void ofTarget(
      Node node, String folded, Tokens tokens, String text, List<Edits> edits) {
    if (node instanceof Expression.Name name
        && name.parts().size() == 1
        && Identifiers.fold(name.last()).equals(folded)) {
      edits.add(Edits.replace(tokens, name.span().from(), name.span().to(), text));
    }
    Stream<? extends Node> values =
        node instanceof Assignment assignment
            ? Stream.of(assignment.value())
            : node.children().stream();
    values
        .filter(value -> !(value instanceof Query) && !(value instanceof With))
        .forEach(value -> ofTarget(value, folded, tokens, text, edits));
  }

  /**
   * True if a source of that name is referred to as a whole row, somewhere: what it exposes would
   * show in it.
   */
  static boolean isReferenced(AnalyzedStatement statement, String name) {
    return statement.dialect().sql().hasWholeRows()
        && new WholeRows(statement.tokens(), Set.of(Identifiers.fold(name)), false)
            .in(statement.tree())
            .isPresent();
  }

  /** The first name in a node. */
  private Optional<String> in(Node node) {
    if (node instanceof Expression.Name name) {
      return name.parts().size() == 1 ? named(name.last()) : Optional.empty();
    }
    if (node instanceof Expression.Star star) {
      List<String> qualifier = star.qualifier();
      return qualifier.isEmpty() ? Optional.empty() : named(qualifier.get(qualifier.size() - 1));
    }
    Optional<String> unknown =
        node instanceof Expression.Opaque opaque ? inUnknown(opaque) : Optional.empty();
    return unknown.or(() -> values(node).map(this::in).flatMap(Optional::stream).findFirst());
  }

  private Optional<String> named(String name) {
    return names.contains(Identifiers.fold(name)) ? Optional.of(name) : Optional.empty();
  }

  /** The parts of a node that can be whole rows. */
  private Stream<? extends Node> values(Node node) {
    if (node instanceof Item item && item.star().isPresent()) {
      return Stream.of();
    }
    if (node instanceof Assignment assignment) {
      return Stream.of(assignment.value());
    }
    if (node instanceof CommonTable table
        && skipsWrites
        && !(table.body() instanceof Statement.Select)) {
      return Stream.of();
    }
    boolean counts =
        node instanceof Expression.Call call
            && !call.distinct()
            && call.name().get(call.name().size() - 1).equalsIgnoreCase("count");
    return node.children().stream().filter(part -> !(counts && part instanceof Expression.Star));
  }

  /** What may be a name in a stretch that the grammar does not know, outside of its queries. */
  private Optional<String> inUnknown(Expression.Opaque opaque) {
    Span span = opaque.span();
    for (int i = span.from(); i < span.to(); i++) {
      boolean qualifies = tokens.is(i + 1, TokenKind.DOT) && !tokens.isOperator(i + 2, '*');
      int token = i;
      if (tokens.isName(i)
          && opaque.queries().stream().noneMatch(query -> query.span().contains(token))
          && names.contains(tokens.folded(i))
          && !qualifies
          && !tokens.is(i - 1, TokenKind.DOT)) {
        return Optional.of(tokens.text(i));
      }
    }
    return Optional.empty();
  }
}
