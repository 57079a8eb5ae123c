package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Source.Derived;
import io.txwatch.sql.syntax.Source.Function;
import io.txwatch.sql.syntax.Source.Join;
import io.txwatch.sql.syntax.Source.Nested;
import io.txwatch.sql.syntax.Source.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** FROM lists: tables with their aliases, queries, functions, and the joins of them. */
final class SourceParser {

  private static final int MAX_JOINS = 500;

  /** Words that are no alias unless quoted or behind AS. */
  private static final Set<String> NO_ALIAS =
      Set.of(
          "JOIN",
          "INNER",
          "LEFT",
          "RIGHT",
          "CROSS",
          "NATURAL",
          "STRAIGHT_JOIN",
          "ON",
          "USING",
          "WHERE",
          "GROUP",
          "HAVING",
          "ORDER",
          "LIMIT",
          "UNION",
          "INTERSECT",
          "EXCEPT",
          "INTO",
          "SET",
          "VALUES",
          "RETURNING",
          "TABLESAMPLE",
          "SELECT",
          "AS",
          "FETCH",
          "FOR",
          "DEFAULT",
          "WHEN",
          "WITH",
          "NOT");

  private static final Set<String> NO_ALIAS_MYSQL =
      Set.of("USE", "FORCE", "IGNORE", "PARTITION", "PROCEDURE", "LOCK", "VALUE");

  private final Cursor cursor;
  private final Tokens tokens;
  private final ExpressionParser expressions;
  private final Supplier<Query> queries;

  SourceParser(Cursor cursor, ExpressionParser expressions, Supplier<Query> queries) {
    this.cursor = cursor;
    this.tokens = cursor.tokens;
    this.expressions = expressions;
    this.queries = queries;
  }

  /** Sources separated by commas. */
  List<Source> list() {
    return list(true);
  }

  /** The source of a MERGE, behind which ON belongs to the MERGE. */
  List<Source> listBeforeOn() {
    return list(false);
  }

  private List<Source> list(boolean takesLaterConditions) {
    List<Source> sources = new ArrayList<>();
    do {
      sources.add(joined(takesLaterConditions));
    } while (cursor.take(TokenKind.COMMA));
    return List.copyOf(sources);
  }

  /** A table's name and alias, and nothing else. */
  Table table() {
    if (element() instanceof Table table) {
      return table;
    }
    throw SyntaxException.unknown("a table's name expected");
  }

  /** The target of an INSERT, whose parenthesis is the column list's. */
  Table insertTarget() {
    int from = cursor.at;
    List<String> name = new ArrayList<>();
    name.add(cursor.name("a table"));
    while (cursor.take(TokenKind.DOT)) {
      name.add(cursor.name("a name behind a dot"));
    }
    Optional<String> alias = Optional.empty();
    if (cursor.isWord("AS") && tokens.isName(cursor.at + 1)) {
      cursor.at++;
      alias = Optional.of(cursor.name("an alias"));
    }
    partition();
    return new Table(cursor.since(from), List.copyOf(name), alias, 0, false);
  }

  private void partition() {
    if (cursor.has(Syntax.PARTITION_OF_TABLE)
        && cursor.isWord("PARTITION")
        && tokens.isOpen(cursor.at + 1)) {
      cursor.at++;
      cursor.skipBrackets("partitions");
    }
  }

  private Source joined(boolean takesLaterConditions) {
    int from = cursor.at;
    Source left = element();
    boolean conditionsPending = false;
    boolean merges = false;
    for (int joins = 0; joinEnd(cursor.at) >= 0; joins++) {
      if (joins > MAX_JOINS) {
        throw SyntaxException.unknown("too many joins").asFinal();
      }
      Span operator = new Span(cursor.at, joinEnd(cursor.at));
      cursor.at = operator.to();
      int natural = wordIn(operator, "NATURAL");
      boolean cross = tokens.isWord(operator.from(), "CROSS");
      Source right = element();
      List<String> using = List.of();
      List<Expression> conditions = new ArrayList<>();
      if (cursor.isWord("USING")) {
        using = using();
      } else if (isOn()) {
        conditions.add(condition());
      } else if (natural < 0 && !cross && joinEnd(cursor.at) >= 0) {
        conditionsPending = true;
      }
      while (takesLaterConditions && isOn()) {
        conditionsPending = true;
        conditions.add(condition());
      }
      if (cursor.isWord("USING") && takesLaterConditions) {
        throw SyntaxException.unsupported("joins whose conditions come later");
      }
      merges |= natural >= 0 || !using.isEmpty();
      boolean outer = wordIn(operator, "LEFT", "RIGHT", "FULL") >= 0;
      left =
          new Join(
              cursor.since(from),
              left,
              operator,
              natural,
              cross,
              outer,
              right,
              List.copyOf(conditions),
              using);
    }
    if (conditionsPending && merges) {
      throw SyntaxException.unsupported("NATURAL or USING among joins nested to the right");
    }
    return left;
  }

  private boolean isOn() {
    return cursor.isWord("ON") && !cursor.isOnConflict(cursor.at);
  }

  private int wordIn(Span span, String... words) {
    for (int i = span.from(); i < span.to(); i++) {
      if (tokens.isAnyWord(i, words)) {
        return i;
      }
    }
    return -1;
  }

  /** The token after JOIN if the operator of a join begins here, else -1. */
  private int joinEnd(int from) {
    int i = from;
    if (i < cursor.to && tokens.isWord(i, "STRAIGHT_JOIN")) {
      return i + 1;
    }
    while (i < cursor.to
        && i < from + 3
        && tokens.isAnyWord(i, "NATURAL", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS")) {
      i++;
    }
    return i < cursor.to && tokens.isWord(i, "JOIN") ? i + 1 : -1;
  }

  private List<String> using() {
    cursor.expect("USING");
    if (!cursor.isOpen()) {
      throw SyntaxException.unknown("the columns of USING expected");
    }
    List<String> columns =
        cursor.within(
            () -> {
              List<String> names = new ArrayList<>();
              do {
                names.add(cursor.name("a column of USING"));
              } while (cursor.take(TokenKind.COMMA));
              return List.copyOf(names);
            });
    if (cursor.isWord("AS") && tokens.isName(cursor.at + 1)) {
      throw SyntaxException.unsupported("USING with an alias");
    }
    return columns;
  }

  private Expression condition() {
    cursor.expect("ON");
    return expressions.expression(
        i ->
            tokens.is(i, TokenKind.COMMA)
                || joinEnd(i) >= 0
                || tokens.isAnyWord(i, "ON", "USING")
                || cursor.isBoundary(i));
  }

  private Source element() {
    int start = cursor.at;
    boolean lateral = cursor.take("LATERAL");
    boolean only = cursor.has(Syntax.ONLY_TABLE) && cursor.take("ONLY");
    if (cursor.isOpen()) {
      if (only) {
        throw SyntaxException.unsupported("ONLY with parentheses");
      }
      return parenthesized(start, lateral);
    }
    int first = cursor.at;
    if (cursor.areWords("ROWS", "FROM") && tokens.isOpen(first + 2)) {
      cursor.at += 2;
      return function(first);
    }
    List<String> name = new ArrayList<>();
    name.add(cursor.name("a source of rows"));
    while (cursor.take(TokenKind.DOT)) {
      name.add(cursor.name("a name behind a dot"));
    }
    return cursor.isOpen() ? function(first) : table(first, name);
  }

  private Table table(int first, List<String> name) {
    if (name.size() == 1 && !isAliasWord(first)) {
      throw SyntaxException.unknown("a keyword where a table's name is expected");
    }
    if (cursor.isOperator('*') && cursor.has(Syntax.ONLY_TABLE)) {
      cursor.at++;
    }
    partition();
    if (cursor.isWord("FOR") && tokens.isAnyWord(cursor.at + 1, "SYSTEM_TIME", "PORTION")) {
      throw SyntaxException.unsupported("a table as of another time");
    }
    Optional<String> alias = alias();
    int columnAliases = columnAliases(alias);
    indexHints();
    if (cursor.take("TABLESAMPLE")) {
      sample();
    }
    boolean isCommon = name.size() == 1 && cursor.isCommonTable(name.get(0));
    return new Table(cursor.since(first), List.copyOf(name), alias, columnAliases, isCommon);
  }

  private Optional<String> alias() {
    if (cursor.take("AS")) {
      return Optional.of(cursor.name("an alias"));
    }
    if (cursor.isName() && isAliasWord(cursor.at)) {
      return Optional.of(cursor.name("an alias"));
    }
    return Optional.empty();
  }

  private boolean isAliasWord(int i) {
    if (tokens.is(i, TokenKind.QUOTED)) {
      return true;
    }
    String word = tokens.text(i).toUpperCase(Locale.ROOT);
    if (NO_ALIAS.contains(word)
        || joinEnd(i) >= 0
        || cursor.isClause(i)
        || cursor.isSetOperator(i)) {
      return false;
    }
    if (cursor.has(Syntax.MYSQL_ALIAS_WORDS)) {
      return !NO_ALIAS_MYSQL.contains(word);
    }
    return !(cursor.has(Syntax.INDEXED_BY) && tokens.areWords(i, "INDEXED", "BY"));
  }

  private int columnAliases(Optional<String> alias) {
    if (alias.isEmpty() || !cursor.isOpen()) {
      return 0;
    }
    int open = cursor.at;
    cursor.skipBrackets("the names of columns");
    return tokens.items(open + 1, cursor.at - 1).size();
  }

  private void indexHints() {
    while (cursor.has(Syntax.INDEX_HINTS)
        && cursor.isAnyWord("USE", "FORCE", "IGNORE")
        && tokens.isAnyWord(cursor.at + 1, "INDEX", "KEY")) {
      cursor.at += 2;
      skipToBrackets();
    }
    if (cursor.has(Syntax.INDEXED_BY)) {
      if (cursor.take("INDEXED", "BY")) {
        cursor.name("an index");
      } else {
        cursor.take("NOT", "INDEXED");
      }
    }
  }

  private void sample() {
    skipToBrackets();
    if (cursor.isWord("REPEATABLE") && tokens.isOpen(cursor.at + 1)) {
      cursor.at++;
      cursor.skipBrackets("a seed");
    }
  }

  private void skipToBrackets() {
    while (!cursor.atEnd() && !cursor.isOpen()) {
      cursor.at++;
    }
    cursor.skipBrackets("a list in parentheses");
  }

  private Source parenthesized(int start, boolean lateral) {
    int open = cursor.at;
    if (expressions.isQuery(open) || tokens.isWord(open + 1, "VALUES")) {
      Query query = cursor.within(queries);
      Optional<String> alias = alias();
      boolean renamed = columnAliases(alias) > 0;
      return new Derived(cursor.since(start), open, query, alias, renamed, lateral);
    }
    Source inner =
        cursor.within(
            () -> {
              Source source = joined(true);
              if (cursor.is(TokenKind.COMMA)) {
                throw SyntaxException.unsupported("a list in parentheses in FROM");
              }
              return source;
            });
    if (cursor.isWord("AS") || (cursor.isName() && isAliasWord(cursor.at))) {
      throw SyntaxException.unsupported("a join with an alias");
    }
    return new Nested(cursor.since(start), inner);
  }

  /** At the parenthesis of a function. */
  private Source function(int first) {
    int open = cursor.at;
    if (tokens.isAnyWord(open - 1, "FINAL", "OLD", "NEW", "TABLE")
        && tokens.isAnyWord(open + 1, "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE")) {
      throw SyntaxException.unsupported("a write inside a query");
    }
    List<Expression> arguments = expressions.arguments(open);
    cursor.take("WITH", "ORDINALITY");
    if (cursor.isWord("AS") && tokens.isOpen(cursor.at + 1)) {
      cursor.at++;
      cursor.skipBrackets("columns");
      return new Function(cursor.since(first), arguments, Optional.empty());
    }
    Optional<String> alias = alias();
    columnAliases(alias);
    return new Function(cursor.since(first), arguments, alias);
  }
}
