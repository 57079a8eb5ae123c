package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.sql.FromNode.Derived;
import io.txwatch.sql.FromNode.Join;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads a FROM list: tables with their aliases, subqueries, functions, and the joins of them. */
final class FromScanner {

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

  private final Tokens tokens;
  private final Dialect dialect;
  private final QueryScanner queries;
  private int at;
  private int to;

  FromScanner(Tokens tokens, Dialect dialect, QueryScanner queries) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.queries = queries;
  }

  /** Reads a whole stretch as a list. */
  List<FromNode> list(int from, int end) throws NotUnderstood {
    List<FromNode> nodes = new ArrayList<>();
    int outerAt = at;
    int outerTo = to;
    at = from;
    to = end;
    while (true) {
      nodes.add(joined());
      if (at == to) {
        break;
      }
      if (!tokens.is(at, TokenKind.COMMA)) {
        throw new NotUnderstood("an unexpected token in a FROM list");
      }
      at++;
    }
    at = outerAt;
    to = outerTo;
    return nodes;
  }

  /** Reads a table's name and alias, and nothing else, from a token on. */
  TableRef namedTable(int from, int end) throws NotUnderstood {
    int outerAt = at;
    int outerTo = to;
    at = from;
    to = end;
    FromNode node = element();
    at = outerAt;
    to = outerTo;
    if (node instanceof TableRef table) {
      return table;
    }
    throw new NotUnderstood("a table's name expected");
  }

  /** Reads the target of an INSERT, whose parenthesis is the column list's. */
  TableRef insertTarget(int from, int end) throws NotUnderstood {
    int i = from;
    List<String> name = new ArrayList<>();
    if (!tokens.isName(i)) {
      throw new NotUnderstood("INSERT without a table");
    }
    name.add(tokens.text(i++));
    while (tokens.is(i, TokenKind.DOT) && tokens.isName(i + 1)) {
      name.add(tokens.text(i + 1));
      i += 2;
    }
    Optional<String> alias = Optional.empty();
    if (tokens.isWord(i, "AS") && tokens.isName(i + 1)) {
      alias = Optional.of(tokens.text(i + 1));
      i += 2;
    }
    if (isMySql() && tokens.isWord(i, "PARTITION") && tokens.isOpen(i + 1)) {
      i = tokens.partner(i + 1) + 1;
    }
    if (i >= end) {
      throw new NotUnderstood("INSERT without rows");
    }
    TableRef table = new TableRef(name, alias, 0, false, from, i);
    queries.noteTable(table);
    return table;
  }

  private FromNode joined() throws NotUnderstood {
    FromNode left = element();
    boolean conditionsPending = false;
    boolean merges = false;
    while (at < to) {
      int operatorEnd = joinOperatorEnd(at);
      if (operatorEnd < 0) {
        break;
      }
      int natural = naturalIn(at, operatorEnd);
      boolean cross = tokens.isWord(at, "CROSS");
      boolean outer = false;
      for (int i = at; i < operatorEnd; i++) {
        outer |= tokens.isAnyWord(i, "LEFT", "RIGHT", "FULL");
      }
      at = operatorEnd;
      FromNode right = element();
      List<String> using = List.of();
      if (tokens.isWord(at, "USING") && at < to) {
        using = using();
      } else if (tokens.isWord(at, "ON") && at < to) {
        condition();
      } else if (natural < 0 && !cross && at < to && joinOperatorEnd(at) >= 0) {
        conditionsPending = true;
      }
      left = new Join(left, right, natural, cross, outer, operatorEnd, using, at);
      while (at < to && tokens.isWord(at, "ON")) {
        conditionsPending = true;
        condition();
      }
      if (at < to && tokens.isWord(at, "USING")) {
        throw new NotUnderstood(GapReason.SHAPE, "joins whose conditions come later");
      }
      merges |= natural >= 0 || !using.isEmpty();
    }
    if (conditionsPending && merges) {
      throw new NotUnderstood(GapReason.SHAPE, "NATURAL or USING among joins nested to the right");
    }
    return left;
  }

  private int naturalIn(int from, int end) {
    for (int i = from; i < end; i++) {
      if (tokens.isWord(i, "NATURAL")) {
        return i;
      }
    }
    return -1;
  }

  /** The token after JOIN if a join operator begins here, else -1. */
  private int joinOperatorEnd(int from) {
    int i = from;
    if (tokens.isWord(i, "STRAIGHT_JOIN")) {
      return i + 1;
    }
    while (i < to
        && i < from + 3
        && tokens.isAnyWord(i, "NATURAL", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS")) {
      i++;
    }
    return i < to && tokens.isWord(i, "JOIN") ? i + 1 : -1;
  }

  private List<String> using() throws NotUnderstood {
    int open = at + 1;
    if (!tokens.isOpen(open)) {
      throw new NotUnderstood("USING without columns");
    }
    int close = tokens.partner(open);
    List<String> columns = new ArrayList<>();
    for (int i = open + 1; i < close; i += 2) {
      if (!tokens.isName(i) || !(i + 1 == close || tokens.is(i + 1, TokenKind.COMMA))) {
        throw new NotUnderstood("USING with something else than columns");
      }
      columns.add(tokens.text(i));
    }
    at = close + 1;
    if (at < to && tokens.isWord(at, "AS") && tokens.isName(at + 1)) {
      throw new NotUnderstood(GapReason.SHAPE, "USING with an alias");
    }
    return columns;
  }

  private void condition() throws NotUnderstood {
    int from = at + 1;
    int i = from;
    while (i < to
        && !tokens.is(i, TokenKind.COMMA)
        && !(tokens.is(i, TokenKind.WORD)
            && !tokens.is(i - 1, TokenKind.DOT)
            && (joinOperatorEnd(i) >= 0 || tokens.isAnyWord(i, "ON", "USING")))) {
      i = tokens.next(i);
    }
    if (i == from) {
      throw new NotUnderstood("ON without a condition");
    }
    queries.nested(from, i);
    at = i;
  }

  private FromNode element() throws NotUnderstood {
    boolean lateral = at < to && tokens.isWord(at, "LATERAL");
    if (lateral) {
      at++;
    }
    boolean only = at < to && tokens.isWord(at, "ONLY") && dialect == Dialect.POSTGRESQL;
    if (only) {
      at++;
    }
    if (at >= to) {
      throw new NotUnderstood("a source of rows expected");
    }
    if (tokens.isOpen(at)) {
      if (only) {
        throw new NotUnderstood(GapReason.SHAPE, "ONLY with parentheses");
      }
      return parenthesized(lateral);
    }
    if (tokens.areWords(at, "ROWS", "FROM") && tokens.isOpen(at + 2)) {
      at++;
      return function(at - 1);
    }
    if (!tokens.isName(at)) {
      throw new NotUnderstood("a source of rows expected");
    }
    int first = at;
    List<String> name = new ArrayList<>();
    name.add(tokens.text(at++));
    while (at < to && tokens.is(at, TokenKind.DOT)) {
      if (!tokens.isName(at + 1)) {
        throw new NotUnderstood("a name that ends with a dot");
      }
      name.add(tokens.text(at + 1));
      at += 2;
    }
    if (at < to && tokens.isOpen(at)) {
      at--;
      return function(first);
    }
    return table(first, name);
  }

  private TableRef table(int first, List<String> name) throws NotUnderstood {
    if (name.size() == 1 && !isAliasWord(first)) {
      throw new NotUnderstood("a keyword where a table's name is expected");
    }
    if (at < to && tokens.isOperator(at, '*') && dialect == Dialect.POSTGRESQL) {
      at++;
    }
    if (at < to && isMySql() && tokens.isWord(at, "PARTITION") && tokens.isOpen(at + 1)) {
      at = tokens.partner(at + 1) + 1;
    }
    if (at < to && tokens.isWord(at, "FOR") && tokens.isAnyWord(at + 1, "SYSTEM_TIME", "PORTION")) {
      throw new NotUnderstood(GapReason.SHAPE, "a table as of another time");
    }
    Optional<String> alias = alias();
    int columnAliases = columnAliases(alias);
    indexHints();
    if (at < to && tokens.isWord(at, "TABLESAMPLE")) {
      sample();
    }
    boolean cte = name.size() == 1 && queries.isCte(name.get(0));
    TableRef table = new TableRef(name, alias, columnAliases, cte, first, at);
    queries.noteTable(table);
    return table;
  }

  private boolean isMySql() {
    return dialect == Dialect.MYSQL || dialect == Dialect.MARIADB;
  }

  private Optional<String> alias() throws NotUnderstood {
    if (at < to && tokens.isWord(at, "AS")) {
      if (!tokens.isName(at + 1) || at + 1 >= to) {
        throw new NotUnderstood("AS without a name");
      }
      at += 2;
      return Optional.of(tokens.text(at - 1));
    }
    if (at < to && tokens.isName(at) && isAliasWord(at)) {
      at++;
      return Optional.of(tokens.text(at - 1));
    }
    return Optional.empty();
  }

  private boolean isAliasWord(int i) {
    if (tokens.is(i, TokenKind.QUOTED)) {
      return true;
    }
    String word = tokens.text(i).toUpperCase(Locale.ROOT);
    if (NO_ALIAS.contains(word) || joinOperatorEnd(i) >= 0) {
      return false;
    }
    if (isMySql()) {
      return !NO_ALIAS_MYSQL.contains(word);
    }
    return !(dialect == Dialect.SQLITE && tokens.areWords(i, "INDEXED", "BY"));
  }

  private int columnAliases(Optional<String> alias) throws NotUnderstood {
    if (alias.isEmpty() || at >= to || !tokens.isOpen(at)) {
      return 0;
    }
    int close = tokens.partner(at);
    int count = 1;
    for (int i = at + 1; i < close; i = tokens.next(i)) {
      if (tokens.is(i, TokenKind.COMMA)) {
        count++;
      }
    }
    at = close + 1;
    return count;
  }

  private void indexHints() throws NotUnderstood {
    while (at < to
        && (isMySql() || dialect == Dialect.H2)
        && tokens.isAnyWord(at, "USE", "FORCE", "IGNORE")
        && tokens.isAnyWord(at + 1, "INDEX", "KEY")) {
      int i = at + 2;
      while (i < to && !tokens.isOpen(i)) {
        i++;
      }
      if (i >= to) {
        throw new NotUnderstood("an index hint without indexes");
      }
      at = tokens.partner(i) + 1;
    }
    if (at < to && dialect == Dialect.SQLITE) {
      if (tokens.areWords(at, "NOT", "INDEXED")) {
        at += 2;
      } else if (tokens.areWords(at, "INDEXED", "BY")) {
        at += 3;
      }
    }
  }

  private void sample() throws NotUnderstood {
    int i = at + 1;
    while (i < to && !tokens.isOpen(i)) {
      i++;
    }
    if (i >= to) {
      throw new NotUnderstood("TABLESAMPLE without arguments");
    }
    at = tokens.partner(i) + 1;
    if (at < to && tokens.isWord(at, "REPEATABLE") && tokens.isOpen(at + 1)) {
      at = tokens.partner(at + 1) + 1;
    }
  }

  private FromNode parenthesized(boolean lateral) throws NotUnderstood {
    int open = at;
    int close = tokens.partner(open);
    if (queries.startsQuery(open + 1, close) && isWholeQuery(open + 1, close)) {
      Optional<SelectBlock> block = queries.derived(open + 1, close);
      at = close + 1;
      Optional<String> alias = alias();
      boolean renamed = columnAliases(alias) > 0;
      return new Derived(alias, block, renamed, lateral, open, at);
    }
    if (tokens.isWord(open + 1, "VALUES")) {
      queries.nested(open + 1, close);
      at = close + 1;
      Optional<String> alias = alias();
      columnAliases(alias);
      return new Derived(alias, Optional.empty(), false, lateral, open, at);
    }
    List<FromNode> inner = list(open + 1, close);
    at = close + 1;
    if (inner.size() != 1) {
      throw new NotUnderstood(GapReason.SHAPE, "a list in parentheses in FROM");
    }
    if (alias().isPresent()) {
      throw new NotUnderstood(GapReason.SHAPE, "a join with an alias");
    }
    return inner.get(0);
  }

  /**
   * Distinguishes {@code ((SELECT …))} and {@code ((SELECT …) UNION …)} from {@code ((SELECT …) x
   * JOIN …)}.
   */
  private boolean isWholeQuery(int from, int end) {
    if (!tokens.isOpen(from)) {
      return true;
    }
    int after = tokens.partner(from) + 1;
    return after == end
        ? isWholeQuery(from + 1, after - 1)
        : tokens.isAnyWord(
            after, "UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH");
  }

  /** At the last part of a function's name. */
  private FromNode function(int first) throws NotUnderstood {
    int open = at + 1;
    int close = tokens.partner(open);
    if (tokens.isAnyWord(at, "FINAL", "OLD", "NEW") || tokens.isWord(at, "TABLE")) {
      if (queries.writes(open + 1, close)) {
        throw new NotUnderstood(GapReason.SHAPE, "a write inside a query");
      }
    }
    queries.nested(open, close + 1);
    at = close + 1;
    if (at < to && tokens.areWords(at, "WITH", "ORDINALITY")) {
      at += 2;
    }
    if (at < to && tokens.isWord(at, "AS") && tokens.isOpen(at + 1)) {
      at = tokens.partner(at + 1) + 1;
      return new Derived(Optional.empty(), Optional.empty(), false, true, first, at);
    }
    Optional<String> alias = alias();
    columnAliases(alias);
    return new Derived(alias, Optional.empty(), false, true, first, at);
  }
}
