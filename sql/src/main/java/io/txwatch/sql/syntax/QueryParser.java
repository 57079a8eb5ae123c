package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.QueryBody.Nested;
import io.txwatch.sql.syntax.QueryBody.Select;
import io.txwatch.sql.syntax.QueryBody.SetOperation;
import io.txwatch.sql.syntax.QueryBody.TableQuery;
import io.txwatch.sql.syntax.QueryBody.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** Queries: WITH, SELECT, VALUES, TABLE, and what joins, orders, limits and locks them. */
final class QueryParser {

  private final Cursor cursor;
  private final Tokens tokens;
  private final Supplier<Statement> statements;
  final ExpressionParser expressions;
  final SourceParser sources;

  /**
   * Queries at a cursor.
   *
   * @param statements parses the statement at the cursor: the body of a common table
   */
  QueryParser(Cursor cursor, Supplier<Statement> statements) {
    this.cursor = cursor;
    this.tokens = cursor.tokens;
    this.statements = statements;
    this.expressions = new ExpressionParser(cursor, this::query);
    this.sources = new SourceParser(cursor, expressions, this::query);
  }

  /** A query, and the cursor behind it. */
  Query query() {
    int from = cursor.at;
    int scope = cursor.scope();
    Optional<With> with = with();
    if (cursor.isAnyWord("INSERT", "UPDATE", "DELETE", "MERGE")) {
      throw SyntaxException.unknown("a write inside a query");
    }
    Query query = query(from, with);
    cursor.endScope(scope);
    return query;
  }

  /** The same behind its WITH. */
  Query query(int from, Optional<With> with) {
    QueryBody body = body();
    List<Clause> tail = new ArrayList<>();
    while (isTail()) {
      add(clause(), tail);
    }
    return new Query(cursor.since(from), with, body, List.copyOf(tail));
  }

  private boolean isTail() {
    return cursor.isClause(cursor.at)
        && cursor.isAnyWord("ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "LOCK", "INTO");
  }

  /** WITH, if there is one. */
  Optional<With> with() {
    int from = cursor.at;
    if (!cursor.take("WITH")) {
      return Optional.empty();
    }
    boolean recursive = cursor.take("RECURSIVE");
    boolean seesItself = recursive || cursor.has(Syntax.IMPLICIT_RECURSION);
    if (seesItself) {
      declareAll();
    }
    List<CommonTable> tables = new ArrayList<>();
    do {
      CommonTable table = commonTable();
      tables.add(table);
      if (!seesItself) {
        cursor.declare(table.name());
      }
    } while (cursor.take(TokenKind.COMMA));
    if (cursor.atEnd()) {
      throw SyntaxException.unknown("a statement behind WITH expected");
    }
    return Optional.of(new With(cursor.since(from), recursive, List.copyOf(tables)));
  }

  /** Every common table that follows is in scope, in the queries of those before it, too. */
  private void declareAll() {
    int i = cursor.at;
    while (i < cursor.to && tokens.isName(i)) {
      cursor.declare(tokens.text(i++));
      while (i < cursor.to
          && !(tokens.isOpen(i) && tokens.isAnyWord(i - 1, "AS", "MATERIALIZED"))) {
        i = tokens.next(i);
      }
      int end = i < cursor.to ? tokens.next(i) : i;
      i = tokens.is(end, TokenKind.COMMA) ? end + 1 : cursor.to;
    }
  }

  private CommonTable commonTable() {
    int from = cursor.at;
    String name = cursor.name("the name of a common table");
    boolean renamed = cursor.isOpen();
    if (renamed) {
      cursor.skipBrackets("columns");
    }
    cursor.expect("AS");
    cursor.take("NOT");
    cursor.take("MATERIALIZED");
    if (!cursor.isOpen()) {
      throw SyntaxException.unknown("a query in parentheses expected");
    }
    Statement body = cursor.within(statements);
    if (!(body instanceof Statement.Select) && !cursor.has(Syntax.WRITES_IN_WITH)) {
      throw SyntaxException.unsupported("a write inside WITH");
    }
    return new CommonTable(cursor.since(from), name, renamed, body);
  }

  private QueryBody body() {
    int from = cursor.at;
    QueryBody first = term();
    if (!cursor.isSetOperator(cursor.at)) {
      return first;
    }
    List<QueryBody> branches = new ArrayList<>(List.of(first));
    List<String> operators = new ArrayList<>();
    while (cursor.isSetOperator(cursor.at)) {
      String operator = tokens.text(cursor.at++).toUpperCase(Locale.ROOT);
      boolean all = cursor.take("ALL");
      if (!all) {
        cursor.take("DISTINCT");
      }
      operators.add(all ? operator + " ALL" : operator);
      branches.add(term());
    }
    return new SetOperation(cursor.since(from), List.copyOf(branches), List.copyOf(operators));
  }

  private QueryBody term() {
    int from = cursor.at;
    if (cursor.isWord("SELECT")) {
      return select();
    }
    if (cursor.isOpen()) {
      Query query = cursor.within(this::query);
      return new Nested(cursor.since(from), query);
    }
    if (cursor.isWord("TABLE") && cursor.hasTableQuery()) {
      cursor.at++;
      Source.Table table = sources.table();
      return new TableQuery(cursor.since(from), table);
    }
    if (cursor.isAnyWord("VALUES", "VALUE")) {
      return values();
    }
    throw SyntaxException.unknown("a query that does not begin with SELECT");
  }

  /** VALUES with its rows. */
  Values values() {
    int from = cursor.at++;
    List<Expression> rows = new ArrayList<>();
    do {
      rows.add(row());
    } while (cursor.take(TokenKind.COMMA));
    return new Values(cursor.since(from), List.copyOf(rows));
  }

  private Expression row() {
    int from = cursor.at;
    if (cursor.isWord("ROW") && tokens.isOpen(from + 1)) {
      cursor.at++;
    }
    if (!cursor.isOpen()) {
      return expressions.expression(i -> tokens.is(i, TokenKind.COMMA) || cursor.isBoundary(i));
    }
    List<Expression> items = cursor.within(() -> expressions.list(i -> false));
    return new Expression.Tuple(cursor.since(from), items);
  }

  private Select select() {
    int from = cursor.at++;
    boolean distinct = false;
    boolean limited = false;
    List<Expression> distinctOn = List.of();
    while (true) {
      if (cursor.takeAny("DISTINCT", "DISTINCTROW") || takesUnique()) {
        distinct = true;
        if (cursor.isWord("ON") && tokens.isOpen(cursor.at + 1)) {
          cursor.at++;
          distinctOn = cursor.within(() -> expressions.list(i -> false));
        }
      } else if (isTop()) {
        limited = true;
        cursor.at += 2;
      } else if (!cursor.take("ALL") && !takesMySqlModifier()) {
        break;
      }
    }
    int list = cursor.at;
    List<Item> items = items();
    Span listSpan = cursor.since(list);
    List<Clause> clauses = new ArrayList<>();
    while (cursor.isClause(cursor.at) && !(isTail() && !cursor.isWord("INTO"))) {
      add(clause(), clauses);
    }
    return new Select(
        cursor.since(from), distinct, limited, distinctOn, listSpan, items, List.copyOf(clauses));
  }

  private boolean takesUnique() {
    return cursor.has(Syntax.SELECT_UNIQUE)
        && !tokens.isOpen(cursor.at + 1)
        && cursor.take("UNIQUE");
  }

  private boolean isTop() {
    return cursor.has(Syntax.SELECT_TOP)
        && cursor.isWord("TOP")
        && (tokens.is(cursor.at + 1, TokenKind.NUMBER)
            || tokens.is(cursor.at + 1, TokenKind.PARAMETER));
  }

  private boolean takesMySqlModifier() {
    return cursor.has(Syntax.SELECT_MODIFIERS)
        && cursor.takeAny(
            "HIGH_PRIORITY",
            "STRAIGHT_JOIN",
            "SQL_SMALL_RESULT",
            "SQL_BIG_RESULT",
            "SQL_BUFFER_RESULT",
            "SQL_CACHE",
            "SQL_NO_CACHE",
            "SQL_CALC_FOUND_ROWS");
  }

  /** A select list, or that of RETURNING; empty if a clause follows at once. */
  List<Item> items() {
    List<Item> items = new ArrayList<>();
    if (cursor.isBoundary(cursor.at)) {
      return items;
    }
    do {
      items.add(item());
    } while (cursor.take(TokenKind.COMMA));
    return List.copyOf(items);
  }

  private Item item() {
    int from = cursor.at;
    Expression value =
        expressions.expression(
            i -> tokens.isWord(i, "AS") || endsItem(i) || (isAlias(i) && endsItem(i + 1)),
            i -> tokens.isWord(i, "AS") || endsItem(i));
    Optional<String> alias = Optional.empty();
    if (cursor.take("AS") || (!cursor.atEnd() && !endsItem(cursor.at))) {
      if (!cursor.isName() && !cursor.is(TokenKind.STRING)) {
        throw SyntaxException.unknown("an alias expected");
      }
      alias = Optional.of(tokens.text(cursor.at++));
    }
    return new Item(cursor.since(from), value, alias);
  }

  private boolean isAlias(int i) {
    return tokens.isName(i) || tokens.is(i, TokenKind.STRING);
  }

  private boolean endsItem(int i) {
    return tokens.is(i, TokenKind.COMMA) || cursor.isBoundary(i);
  }

  private static void add(Clause clause, List<Clause> clauses) {
    boolean repeats = clause.kind() == Kind.LIMIT || clause.kind() == Kind.LOCK;
    if (!repeats && clauses.stream().anyMatch(before -> before.kind() == clause.kind())) {
      throw SyntaxException.unknown("a clause twice");
    }
    clauses.add(clause);
  }

  /** The clause at the cursor. */
  Clause clause() {
    int from = cursor.at;
    if (cursor.take("INTO")) {
      return skipped(from, Kind.INTO);
    }
    if (cursor.take("FROM")) {
      return sources(from, Kind.FROM);
    }
    if (cursor.take("WHERE")) {
      return condition(from, Kind.WHERE);
    }
    if (cursor.take("HAVING")) {
      return condition(from, Kind.HAVING);
    }
    if (cursor.take("QUALIFY")) {
      return condition(from, Kind.QUALIFY);
    }
    if (cursor.take("GROUP", "BY")) {
      return sorted(from, Kind.GROUP_BY);
    }
    if (cursor.take("ORDER", "BY")) {
      return sorted(from, Kind.ORDER_BY);
    }
    if (cursor.take("WINDOW")) {
      return windows(from);
    }
    if (cursor.takeAny("LIMIT", "OFFSET", "FETCH")) {
      return limit(from);
    }
    if (cursor.isWord("FOR") && tokens.isAnyWord(from + 1, "READ", "FETCH")) {
      cursor.at += 2;
      return skipped(from, Kind.READ_ONLY);
    }
    if (cursor.takeAny("FOR", "LOCK")) {
      cursor.at++;
      return skipped(from, Kind.LOCK);
    }
    throw SyntaxException.unknown("a clause expected");
  }

  /** Sources behind a keyword that has been read. */
  Clause sources(int from, Kind kind) {
    List<Source> list = sources.list();
    return new Clause(cursor.since(from), kind, list, List.of());
  }

  private Clause condition(int from, Kind kind) {
    Expression condition = expressions.expression(cursor::isBoundary);
    return new Clause(cursor.since(from), kind, List.of(), List.of(condition));
  }

  private Clause sorted(int from, Kind kind) {
    List<Expression> items = expressions.sortItems(cursor::isBoundary);
    return new Clause(cursor.since(from), kind, List.of(), items);
  }

  private Clause skipped(int from, Kind kind) {
    while (!cursor.atEnd() && !cursor.isBoundary(cursor.at)) {
      cursor.at = tokens.next(cursor.at);
    }
    return new Clause(cursor.since(from), kind, List.of(), List.of());
  }

  private Clause windows(int from) {
    List<Expression> parts = new ArrayList<>();
    do {
      cursor.name("the name of a window");
      cursor.expect("AS");
      if (!cursor.isOpen()) {
        throw SyntaxException.unknown("a window in parentheses expected");
      }
      parts.addAll(cursor.within(expressions::window));
    } while (cursor.take(TokenKind.COMMA));
    return new Clause(cursor.since(from), Kind.WINDOW, List.of(), List.copyOf(parts));
  }

  private Clause limit(int from) {
    List<Expression> values = new ArrayList<>();
    while (!cursor.atEnd() && !cursor.isBoundary(cursor.at)) {
      if (!cursor.take(TokenKind.COMMA) && !isLimitWord(cursor.at)) {
        values.add(
            expressions.expression(
                i -> tokens.is(i, TokenKind.COMMA) || isLimitWord(i) || cursor.isBoundary(i)));
      }
      while (!cursor.atEnd() && isLimitWord(cursor.at)) {
        cursor.at++;
      }
    }
    return new Clause(cursor.since(from), Kind.LIMIT, List.of(), List.copyOf(values));
  }

  private boolean isLimitWord(int i) {
    return tokens.isAnyWord(
        i,
        "ALL",
        "OFFSET",
        "FIRST",
        "NEXT",
        "ROW",
        "ROWS",
        "ONLY",
        "WITH",
        "TIES",
        "EXAMINED",
        "PERCENT");
  }
}
