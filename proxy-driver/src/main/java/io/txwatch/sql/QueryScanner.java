package io.txwatch.sql;

import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the SELECT blocks of a query, at every depth, and their clauses. It knows just enough
 * grammar to say where a clause begins; what it does not expect it refuses ({@link NotUnderstood}).
 */
final class QueryScanner {

  private static final int MAX_DEPTH = 60;

  private final Tokens tokens;
  private final Dialect dialect;
  private final StatementShape shape;
  private final FromScanner fromScanner;
  private final List<String> ctesInScope = new ArrayList<>();
  private int depth;

  QueryScanner(Tokens tokens, Dialect dialect, StatementShape shape) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.shape = shape;
    this.fromScanner = new FromScanner(tokens, dialect, this);
  }

  FromScanner fromScanner() {
    return fromScanner;
  }

  /** True if a query begins at a token, maybe behind parentheses. */
  boolean startsQuery(int i, int to) {
    int at = i;
    while (at < to && tokens.isOpen(at)) {
      at++;
    }
    if (at >= to) {
      return false;
    }
    return tokens.isAnyWord(at, "SELECT", "WITH")
        || (tokens.isWord(at, "TABLE") && tokens.isName(at + 1) && takesTableQuery());
  }

  private boolean takesTableQuery() {
    return dialect == Dialect.POSTGRESQL || dialect == Dialect.MYSQL || dialect == Dialect.H2;
  }

  /**
   * Scans a query expression.
   *
   * @param role the role of its block if it is alone
   */
  void query(int from, int to, Role role) throws NotUnderstood {
    query(from, to, role, true);
  }

  private void query(int from, int to, Role role, boolean noBranch) throws NotUnderstood {
    if (++depth > MAX_DEPTH) {
      throw new NotUnderstood("nested too deeply");
    }
    int scope = ctesInScope.size();
    int i = from;
    if (tokens.isWord(i, "WITH")) {
      i = with(i, to);
      if (tokens.isAnyWord(i, "INSERT", "UPDATE", "DELETE", "MERGE")) {
        throw new NotUnderstood("a write inside a query");
      }
    }
    terms(i, to, role, noBranch);
    while (ctesInScope.size() > scope) {
      ctesInScope.remove(ctesInScope.size() - 1);
    }
    depth--;
  }

  private void terms(int from, int to, Role role, boolean noBranch) throws NotUnderstood {
    boolean single = setOperatorAfter(from, to) < 0;
    boolean alone = single && noBranch;
    if ((role == Role.TOP || role == Role.SOURCE) && !single) {
      shape.setOperation = true;
    }
    Role each = single ? role : inSetOperation(role);
    int i = from;
    while (true) {
      int end = setOperatorAfter(i, to);
      term(i, end < 0 ? to : end, each, alone);
      if (end < 0) {
        return;
      }
      i = end + 1;
      boolean keepsAll = tokens.isWord(end, "UNION") && tokens.isWord(i, "ALL");
      shape.deduplicates |= (role == Role.TOP || role == Role.BRANCH) && !keepsAll;
      if (tokens.isAnyWord(i, "ALL", "DISTINCT")) {
        i++;
      }
      if (i >= to) {
        throw new NotUnderstood("a set operation without its right side");
      }
    }
  }

  /** Scans a derived table's query and gives its first block. */
  Optional<SelectBlock> derived(int from, int to) throws NotUnderstood {
    int before = shape.blocks.size();
    int first = from;
    while (tokens.isOpen(first)) {
      first++;
    }
    query(from, to, Role.NESTED);
    for (SelectBlock block : shape.blocks.subList(before, shape.blocks.size())) {
      if (block.select == first) {
        return Optional.of(block);
      }
    }
    return Optional.empty();
  }

  private static Role inSetOperation(Role role) {
    return switch (role) {
      case TOP, BRANCH -> Role.BRANCH;
      case SOURCE -> Role.SOURCE;
      case EXISTS, NESTED -> Role.NESTED;
    };
  }

  private int setOperatorAfter(int from, int to) {
    for (int i = from; i < to; i = tokens.next(i)) {
      if (tokens.isAnyWord(i, "UNION", "INTERSECT", "EXCEPT", "MINUS")
          && !tokens.is(i - 1, TokenKind.DOT)
          && !tokens.isWord(i - 1, "AS")
          && i > from) {
        boolean starExcept =
            tokens.isWord(i, "EXCEPT")
                && tokens.isOperator(i - 1, '*')
                && tokens.isOpen(i + 1)
                && !startsQuery(i + 1, to);
        if (!starExcept) {
          return i;
        }
      }
    }
    return -1;
  }

  private void term(int from, int to, Role role, boolean alone) throws NotUnderstood {
    if (tokens.isWord(from, "SELECT")) {
      block(from, to, role, alone);
    } else if (tokens.isOpen(from)) {
      int close = tokens.partner(from);
      int before = shape.blocks.size();
      query(from + 1, close, role == Role.TOP ? Role.BRANCH : role, alone);
      if (close + 1 < to) {
        shape.blocks.subList(before, shape.blocks.size()).forEach(b -> b.limited = true);
      }
      if (close + 1 < to
          && !tokens.isAnyWord(close + 1, "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "INTO")) {
        throw new NotUnderstood("something after a query in parentheses");
      }
      nested(close + 1, to);
    } else if (tokens.isWord(from, "TABLE") && takesTableQuery()) {
      otherTerm(role);
      shape.tableQueries.add(from);
      fromScanner.namedTable(from + 1, to);
    } else if (tokens.isAnyWord(from, "VALUES", "VALUE")) {
      otherTerm(role);
      nested(from + 1, to);
    } else {
      throw new NotUnderstood("a query that does not begin with SELECT");
    }
  }

  private void otherTerm(Role role) {
    shape.otherSource |= role == Role.SOURCE;
    shape.otherBranch |= role == Role.TOP || role == Role.BRANCH;
  }

  /** Scans WITH and gives the token after the last CTE. The names stay in scope. */
  int with(int from, int to) throws NotUnderstood {
    int i = from + 1;
    boolean recursive = tokens.isWord(i, "RECURSIVE");
    if (recursive) {
      i++;
      for (int k = i; k < to; k = tokens.next(k)) {
        if (tokens.isName(k) && isCteHead(k)) {
          declare(tokens.text(k));
        }
      }
    }
    while (true) {
      if (!tokens.isName(i)) {
        throw new NotUnderstood("WITH without a name");
      }
      String name = tokens.text(i++);
      boolean renamed = tokens.isOpen(i);
      if (renamed) {
        i = tokens.partner(i) + 1;
      }
      if (!tokens.isWord(i, "AS")) {
        throw new NotUnderstood("WITH without AS");
      }
      i++;
      if (tokens.isWord(i, "NOT")) {
        i++;
      }
      if (tokens.isWord(i, "MATERIALIZED")) {
        i++;
      }
      if (!tokens.isOpen(i)) {
        throw new NotUnderstood("WITH without a query");
      }
      int close = tokens.partner(i);
      int writes = shape.innerWrites.size();
      Optional<SelectBlock> block = cteBody(i + 1, close);
      shape.cteBodies.add(new StatementShape.Cte(Identifiers.fold(name), i + 1, close));
      boolean twice = shape.cteBlocks.containsKey(Identifiers.fold(name));
      shape.cteBlocks.put(Identifiers.fold(name), renamed || twice ? Optional.empty() : block);
      if (!renamed && !twice && shape.innerWrites.size() > writes) {
        shape.cteWrites.put(Identifiers.fold(name), shape.innerWrites.get(writes));
      } else {
        shape.cteWrites.remove(Identifiers.fold(name));
      }
      if (!recursive) {
        declare(name);
      }
      i = close + 1;
      if (!tokens.is(i, TokenKind.COMMA) || i >= to) {
        break;
      }
      i++;
    }
    if (i >= to) {
      throw new NotUnderstood("WITH without a statement");
    }
    shape.withs.put(from, i);
    return i;
  }

  /** Brings the CTEs of a statement around this one into scope. */
  void declareAll(List<String> names) {
    ctesInScope.addAll(names);
    shape.ctes.addAll(names);
  }

  private void declare(String name) {
    ctesInScope.add(Identifiers.fold(name));
    shape.ctes.add(Identifiers.fold(name));
  }

  private boolean isCteHead(int name) {
    int i = name + 1;
    if (tokens.isOpen(i)) {
      i = tokens.partner(i) + 1;
    }
    return tokens.isWord(i, "AS")
        && (tokens.isOpen(i + 1) || tokens.isAnyWord(i + 1, "NOT", "MATERIALIZED"));
  }

  private Optional<SelectBlock> cteBody(int from, int to) throws NotUnderstood {
    if (tokens.isAnyWord(from, "INSERT", "UPDATE", "DELETE", "MERGE")) {
      if (dialect != Dialect.POSTGRESQL) {
        throw new NotUnderstood(io.txwatch.history.GapReason.SHAPE, "a write inside WITH");
      }
      shape.innerWrites.add(ShapeScanner.scanInner(tokens, dialect, from, to, ctesInScope));
      return Optional.empty();
    }
    return derived(from, to);
  }

  /** True if a name, as it stands, is that of a CTE in scope. */
  boolean isCte(String name) {
    return ctesInScope.contains(Identifiers.fold(name));
  }

  /** Takes down a table's name. */
  void noteTable(FromNode.TableRef table) {
    shape.tables.add(table);
  }

  /** True if a write stands at a token. */
  boolean writes(int i, int to) {
    return i < to && tokens.isAnyWord(i, "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE");
  }

  /** Looks for queries in the parentheses of a stretch. */
  void nested(int from, int to) throws NotUnderstood {
    if (++depth > MAX_DEPTH) {
      throw new NotUnderstood("nested too deeply");
    }
    for (int i = from; i < to; i = tokens.next(i)) {
      if (tokens.is(i, TokenKind.OPEN)) {
        int close = tokens.partner(i);
        if (startsQuery(i + 1, close)) {
          query(i + 1, close, tokens.isWord(i - 1, "EXISTS") ? Role.EXISTS : Role.NESTED);
        } else {
          nested(i + 1, close);
        }
      }
    }
    depth--;
  }

  private void block(int from, int to, Role role, boolean alone) throws NotUnderstood {
    SelectBlock block = new SelectBlock(role, from);
    block.alone = alone;
    block.end = to;
    shape.blocks.add(block);
    int i = modifiers(block, from + 1);
    block.listFrom = i;
    i = clauseStart(i, to, true);
    block.listTo = i;
    items(block);
    nested(block.listFrom, block.listTo);
    while (i < to) {
      int end;
      if (tokens.isWord(i, "FROM")) {
        end = clauseStart(i + 1, to, false);
        if (!block.from.isEmpty()) {
          throw new NotUnderstood("FROM twice");
        }
        block.fromAt = i;
        block.fromEnd = end;
        block.from.addAll(fromScanner.list(i + 1, end));
      } else {
        end = clauseStart(i + 1, to, false);
        clause(block, i, end);
        nested(i + 1, end);
      }
      i = end;
    }
  }

  private void clause(SelectBlock block, int i, int end) throws NotUnderstood {
    if (tokens.isWord(i, "INTO")) {
      block.into = i;
    } else if (tokens.isWord(i, "GROUP")) {
      block.groupBy = once(block.groupBy, i);
    } else if (tokens.isWord(i, "HAVING")) {
      block.having = once(block.having, i);
    } else if (tokens.isWord(i, "WINDOW")) {
      block.window = once(block.window, i);
    } else if (tokens.isWord(i, "QUALIFY")) {
      block.qualify = once(block.qualify, i);
    } else if (tokens.isWord(i, "ORDER")) {
      block.orderBy = once(block.orderBy, i);
      block.orderByEnd = end;
    } else if (tokens.isWord(i, "FOR")) {
      if (tokens.isAnyWord(i + 1, "UPDATE", "SHARE", "NO", "KEY")) {
        locks(block, i, end);
      }
    } else if (tokens.isWord(i, "LOCK")) {
      locks(block, i, end);
    } else if (tokens.isWord(i, "WHERE")) {
      block.where = once(block.where, i);
      block.whereEnd = end;
    } else if (tokens.isAnyWord(i, "LIMIT", "OFFSET", "FETCH")) {
      block.limited = true;
      block.limit = block.limit < 0 ? i : block.limit;
      block.limitEnd = end;
    }
  }

  private static void locks(SelectBlock block, int from, int end) {
    block.locking = true;
    block.lockFrom = block.lockFrom < 0 ? from : block.lockFrom;
    block.lockEnd = end;
  }

  private static int once(int before, int now) throws NotUnderstood {
    if (before >= 0) {
      throw new NotUnderstood("a clause twice");
    }
    return now;
  }

  private int modifiers(SelectBlock block, int from) {
    int i = from;
    while (true) {
      if (tokens.isAnyWord(i, "DISTINCT", "DISTINCTROW") || isUnique(i)) {
        block.distinct = true;
        i++;
        if (tokens.isWord(i, "ON") && tokens.isOpen(i + 1)) {
          i = tokens.partner(i + 1) + 1;
        }
      } else if (tokens.isWord(i, "ALL") || isMySqlModifier(i)) {
        i++;
      } else if (dialect == Dialect.H2
          && tokens.isWord(i, "TOP")
          && (tokens.is(i + 1, TokenKind.NUMBER) || tokens.is(i + 1, TokenKind.PARAMETER))) {
        block.limited = true;
        i += 2;
      } else {
        return i;
      }
    }
  }

  private boolean isUnique(int i) {
    return dialect == Dialect.H2 && tokens.isWord(i, "UNIQUE") && !tokens.isOpen(i + 1);
  }

  private boolean isMySqlModifier(int i) {
    return (dialect == Dialect.MYSQL || dialect == Dialect.MARIADB)
        && tokens.isAnyWord(
            i,
            "HIGH_PRIORITY",
            "STRAIGHT_JOIN",
            "SQL_SMALL_RESULT",
            "SQL_BIG_RESULT",
            "SQL_BUFFER_RESULT",
            "SQL_CACHE",
            "SQL_NO_CACHE",
            "SQL_CALC_FOUND_ROWS");
  }

  private void items(SelectBlock block) throws NotUnderstood {
    int from = block.listFrom;
    for (int i = from; i <= block.listTo; ) {
      if (i == block.listTo || tokens.is(i, TokenKind.COMMA)) {
        if (i > from) {
          block.items++;
          block.itemStarts.add(from);
          star(block, from, i);
        } else if (block.listTo > block.listFrom) {
          throw new NotUnderstood("an empty item in a select list");
        }
        from = i + 1;
        i++;
      } else {
        i = tokens.next(i);
      }
    }
  }

  private void star(SelectBlock block, int from, int to) {
    List<String> qualifier = new ArrayList<>();
    int i = from;
    while (tokens.isName(i) && tokens.is(i + 1, TokenKind.DOT) && i + 1 < to) {
      qualifier.add(tokens.text(i));
      i += 2;
    }
    if (i + 1 == to && tokens.isOperator(i, '*')) {
      block.stars.add(new SelectBlock.Star(from, to, qualifier));
    }
  }

  /** The first token at this depth, from {@code i} on, that begins a clause of a SELECT. */
  private int clauseStart(int from, int to, boolean inSelectList) {
    for (int i = from; i < to; i = tokens.next(i)) {
      if (tokens.is(i, TokenKind.WORD)
          && !tokens.is(i - 1, TokenKind.DOT)
          && !(tokens.isWord(i - 1, "AS") && i > from)
          && beginsClause(i, inSelectList)) {
        return i;
      }
    }
    return to;
  }

  private boolean beginsClause(int i, boolean inSelectList) {
    if (tokens.isWord(i, "FROM")) {
      return !(tokens.isWord(i - 1, "DISTINCT")
          && (tokens.isWord(i - 2, "IS") || tokens.areWords(i - 3, "IS", "NOT")));
    }
    if (tokens.isAnyWord(i, "WHERE", "HAVING", "INTO")) {
      return true;
    }
    if (tokens.isAnyWord(i, "GROUP", "ORDER")) {
      return tokens.isWord(i + 1, "BY");
    }
    if (tokens.isWord(i, "FOR")) {
      return tokens.isAnyWord(i + 1, "UPDATE", "SHARE", "NO", "KEY", "READ", "FETCH");
    }
    if (tokens.isWord(i, "LOCK")) {
      return tokens.areWords(i + 1, "IN", "SHARE", "MODE");
    }
    if (tokens.isWord(i, "LIMIT")) {
      return true;
    }
    if (inSelectList) {
      return false;
    }
    if (tokens.isWord(i, "OFFSET")) {
      return dialect == Dialect.POSTGRESQL || dialect == Dialect.H2;
    }
    if (tokens.isWord(i, "FETCH")) {
      return tokens.isAnyWord(i + 1, "FIRST", "NEXT");
    }
    if (tokens.isWord(i, "WINDOW")) {
      return tokens.isName(i + 1) && tokens.isWord(i + 2, "AS");
    }
    return dialect == Dialect.H2 && tokens.isWord(i, "QUALIFY");
  }
}
