package io.txwatch.reduction;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Shorter texts of a statement, each with one part fewer: an element of a list (columns, rows,
 * assignments, constraints), a clause, an operand, or everything around a part of an expression.
 * They need not be valid SQL. A WITH RECURSIVE is dropped as a whole or stays as it is: without its
 * condition it would not end.
 */
final class ShorterStatements {

  private final Tokens tokens;
  private final Set<String> found = new LinkedHashSet<>();

  /** The rows of VALUES, which keep their parentheses. */
  private final Set<Node> rows = new HashSet<>();

  /** The parts that stay whole. */
  private final List<Span> recursions = new ArrayList<>();

  private ShorterStatements(Tokens tokens) {
    this.tokens = tokens;
  }

  /** Returns the shorter texts, the shortest first. */
  static List<String> of(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    if (tokens.isBroken()) {
      return List.of();
    }
    ShorterStatements shorter = new ShorterStatements(tokens);
    Statement statement = StatementParser.parse(tokens, dialect, new Span(0, tokens.count()));
    statement.forEach(shorter::addRecursion);
    statement.forEach(shorter::shorten);
    if (statement instanceof Statement.Insert insert) {
      shorter.dropInsertedColumns(insert);
    }
    if (statement instanceof Statement.Opaque) {
      shorter.shortenDefinition();
    }
    shorter.found.remove(sql);
    return shorter.found.stream()
        .filter(text -> text.length() < sql.length())
        .sorted(Comparator.comparingInt(String::length))
        .toList();
  }

  private void addRecursion(Node node) {
    if (node instanceof With with && with.recursive()) {
      recursions.add(with.span());
    }
  }

  private boolean isInRecursion(Node node) {
    return recursions.stream()
        .anyMatch(whole -> whole.from() <= node.span().from() && node.span().to() <= whole.to());
  }

  private void shorten(Node node) {
    if (isInRecursion(node)) {
      return;
    }
    if (node instanceof QueryBody.Values values) {
      rows.addAll(values.rows());
    }
    dropElements(node.children());
    node.children().stream()
        .filter(ShorterStatements::isOptional)
        .forEach(part -> drop(part.span()));
    if (rows.contains(node)) {
      return;
    }
    if (node instanceof Expression || node instanceof Source || node instanceof QueryBody) {
      node.children().stream()
          .filter(child -> mayReplace(child, node))
          .forEach(child -> replace(node.span(), child.span()));
    }
    if (node instanceof Expression.Chain chain && chain.operands().size() > 2) {
      dropOperands(chain.operands());
    }
    if (node instanceof QueryBody.SetOperation operation && operation.branches().size() > 2) {
      dropOperands(operation.branches());
    }
    if (node instanceof QueryBody.Select select && select.distinct()) {
      drop(new Span(select.span().from() + 1, select.span().from() + 2));
    }
  }

  private static boolean isOptional(Node node) {
    return node instanceof With
        || node instanceof Clause
        || node instanceof OnConflict
        || node instanceof Statement.Returning;
  }

  private static boolean mayReplace(Node child, Node parent) {
    return parent instanceof Expression
        ? child instanceof Expression && !(child instanceof Expression.Type)
        : parent instanceof Source ? child instanceof Source : child instanceof QueryBody;
  }

  /** Drops each of several nodes between which stands a comma. */
  private void dropElements(List<? extends Node> nodes) {
    for (int i = 0; i < nodes.size(); i++) {
      Span node = nodes.get(i).span();
      if (i > 0 && isCommaBetween(nodes.get(i - 1), nodes.get(i))) {
        drop(new Span(node.from() - 1, node.to()));
      } else if (i + 1 < nodes.size() && isCommaBetween(nodes.get(i), nodes.get(i + 1))) {
        drop(new Span(node.from(), node.to() + 1));
      }
    }
  }

  private boolean isCommaBetween(Node left, Node right) {
    int comma = left.span().to();
    return right.span().from() == comma + 1 && tokens.is(comma, TokenKind.COMMA);
  }

  /** Drops each operand with the operator before it; the first with the operator behind it. */
  private void dropOperands(List<? extends Node> operands) {
    drop(new Span(operands.get(0).span().from(), operands.get(1).span().from()));
    for (int i = 1; i < operands.size(); i++) {
      drop(new Span(operands.get(i - 1).span().to(), operands.get(i).span().to()));
    }
  }

  /** Drops each column of an INSERT, with its value in each row. */
  private void dropInsertedColumns(Statement.Insert insert) {
    if (insert.columns().isEmpty() || insert.tuples().isEmpty()) {
      return;
    }
    Span columns = insert.columns().get();
    List<Span> names = tokens.items(columns.from() + 1, columns.to() - 1);
    for (int i = 0; i < names.size(); i++) {
      withoutColumn(tokens, names, insert.tuples(), i).ifPresent(found::add);
    }
  }

  private static Optional<String> withoutColumn(
      Tokens tokens, List<Span> names, List<Expression.Tuple> rows, int column) {
    if (names.size() < 2
        || rows.isEmpty()
        || rows.stream().anyMatch(row -> row.items().size() != names.size())) {
      return Optional.empty();
    }
    List<Span> cuts = new ArrayList<>(List.of(elementWithComma(names, column)));
    for (Expression.Tuple row : rows) {
      List<Span> values = row.items().stream().map(Node::span).toList();
      cuts.add(elementWithComma(values, column));
    }
    return Optional.of(without(tokens, cuts));
  }

  /** An element of a list of two or more, with one of the commas beside it. */
  private static Span elementWithComma(List<Span> elements, int i) {
    Span element = elements.get(i);
    return i > 0
        ? new Span(element.from() - 1, element.to())
        : new Span(element.from(), element.to() + 1);
  }

  /** Shortens CREATE TABLE and the like: the first list in parentheses, and what follows it. */
  private void shortenDefinition() {
    List<Span> elements = elements(tokens);
    for (int i = 0; i < elements.size(); i++) {
      if (elements.size() > 1) {
        drop(elementWithComma(elements, i));
      }
      dropEnds(elements.get(i));
    }
    definitionList(tokens).ifPresent(list -> drop(new Span(list.to(), tokens.count())));
  }

  /** Drops the last words of an element, each number of them; at least two words stay. */
  private void dropEnds(Span element) {
    int second = tokens.next(element.from());
    for (int i = second < element.to() ? tokens.next(second) : element.to();
        i < element.to();
        i = tokens.next(i)) {
      drop(new Span(i, element.to()));
      drop(new Span(i, tokens.next(i)));
      if (tokens.next(i) < element.to()) {
        drop(new Span(i, tokens.next(tokens.next(i)))); // DEFAULT 1, NOT NULL
      }
    }
  }

  private static Optional<Span> definitionList(Tokens tokens) {
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isOpen(i)) {
        return Optional.of(new Span(i, tokens.partner(i) + 1));
      }
    }
    return Optional.empty();
  }

  private void drop(Span part) {
    if (!part.isEmpty()) {
      found.add(without(tokens, List.of(part)));
    }
  }

  private void replace(Span whole, Span part) {
    String text = tokens.text();
    found.add(
        text.substring(0, tokens.start(whole.from()))
            + text.substring(tokens.start(part.from()), tokens.end(part.to() - 1))
            + text.substring(tokens.end(whole.to() - 1)));
  }

  /** The text without some parts, which are in the order of the text. */
  private static String without(Tokens tokens, List<Span> parts) {
    StringBuilder shorter = new StringBuilder();
    int end = 0;
    for (Span part : parts) {
      append(shorter, tokens.text().substring(end, tokens.start(part.from())));
      end = tokens.end(part.to() - 1);
    }
    append(shorter, tokens.text().substring(end));
    return shorter.toString().strip();
  }

  /** Appends text; where something was cut, no blank stays that was not needed before. */
  private static void append(StringBuilder shorter, String text) {
    int last = shorter.length() - 1;
    if (last > 0 && shorter.charAt(last) == ' ' && (text.startsWith(",") || text.startsWith(")"))) {
      shorter.setLength(last);
    }
    boolean endsOpen = last >= 0 && " (".indexOf(shorter.charAt(shorter.length() - 1)) >= 0;
    shorter.append(endsOpen ? text.stripLeading() : text);
  }

  /**
   * Returns a statement without a column of a table, in CREATE TABLE and in INSERT; the statement
   * itself if it does not list the column.
   */
  static String withoutColumn(String sql, String table, String column, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    if (tokens.isBroken()) {
      return sql;
    }
    Statement statement = StatementParser.parse(tokens, dialect, new Span(0, tokens.count()));
    if (statement instanceof Statement.Insert insert
        && insert.columns().isPresent()
        && insert.target().name().get(insert.target().name().size() - 1).equals(table)) {
      Span columns = insert.columns().get();
      List<Span> names = tokens.items(columns.from() + 1, columns.to() - 1);
      for (int i = 0; i < names.size(); i++) {
        if (tokens.text(names.get(i).from()).equals(column)) {
          return withoutColumn(tokens, names, insert.tuples(), i).orElse(sql);
        }
      }
      return sql;
    }
    return definition(sql, dialect).map(Definition::table).filter(table::equals).isPresent()
        ? withoutDefinition(tokens, column).orElse(sql)
        : sql;
  }

  private static Optional<String> withoutDefinition(Tokens tokens, String column) {
    List<Span> elements = elements(tokens);
    for (int i = 0; elements.size() > 1 && i < elements.size(); i++) {
      if (tokens.text(elements.get(i).from()).equals(column)) {
        return Optional.of(without(tokens, List.of(elementWithComma(elements, i))));
      }
    }
    return Optional.empty();
  }

  /** The elements of the first list in parentheses. */
  static List<Span> elements(Tokens tokens) {
    return definitionList(tokens)
        .map(list -> tokens.items(list.from() + 1, list.to() - 1))
        .orElse(List.of());
  }

  /** True if a statement defines a partition of a table. */
  static boolean isPartitionOf(String sql, String table, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    for (int i = 0; i + 2 < tokens.count(); i++) {
      if (tokens.isWord(i, "PARTITION")
          && tokens.isWord(i + 1, "OF")
          && tokens.text(i + 2).equals(table)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the definition of a table without its partitions. */
  static String withoutPartitions(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    for (int i = 0; i + 1 < tokens.count(); i = tokens.next(i)) {
      if (tokens.isWord(i, "PARTITION") && tokens.isWord(i + 1, "BY")) {
        return without(tokens, List.of(new Span(i, tokens.count())));
      }
    }
    return sql;
  }

  /** True if a statement contains the name of a table. */
  static boolean names(String sql, String table, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.text(i).equals(table)) {
        return true;
      }
    }
    return false;
  }

  /** True if a statement returns rows and writes none. */
  static boolean isQuery(String sql, Dialect dialect) {
    return parse(sql, dialect) instanceof Statement.Select;
  }

  /** True if a statement inserts given rows. */
  static boolean isInsert(String sql, Dialect dialect) {
    return parse(sql, dialect) instanceof Statement.Insert insert
        && !insert.tuples().isEmpty()
        && insert.children().stream().noneMatch(ShorterStatements::isOptional);
  }

  private static Statement parse(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    return StatementParser.parse(tokens, dialect, new Span(0, tokens.count()));
  }

  /** A table's name and its columns' names. */
  record Definition(String table, List<String> columns) {}

  /** Returns what a CREATE TABLE defines. */
  static Optional<Definition> definition(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    if (tokens.isBroken()) {
      return Optional.empty();
    }
    return TableDefinition.of(tokens)
        .map(
            table ->
                new Definition(
                    tokens.text(table.name().to() - 1),
                    table.columns().stream()
                        .map(column -> tokens.text(column.span().from()))
                        .toList()));
  }
}
