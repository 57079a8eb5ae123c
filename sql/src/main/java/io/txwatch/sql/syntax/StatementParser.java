package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Grammar;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression.Name;
import io.txwatch.sql.syntax.MergeBranch.Action;
import io.txwatch.sql.syntax.Statement.Returning;
import io.txwatch.sql.syntax.Statement.RowsFrom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The grammar of SELECT, INSERT, REPLACE, UPDATE, DELETE and MERGE, of all five dialects, by
 * recursive descent over tokens. Every node knows its tokens, so that nothing of the text is lost;
 * what the grammar does not know is an opaque node, as small as possible.
 */
public final class StatementParser {

  private static final Set<Kind> OF_WRITES =
      EnumSet.of(Kind.FROM, Kind.USING, Kind.WHERE, Kind.ORDER_BY, Kind.LIMIT);

  private final Cursor cursor;
  private final Tokens tokens;
  private final QueryParser queries;

  private StatementParser(Tokens tokens, Grammar grammar, Span span) {
    this.cursor = new Cursor(tokens, grammar, span.from(), span.to());
    this.tokens = tokens;
    this.queries = new QueryParser(cursor, this::statement);
  }

  /** Parses one statement. Anything else than the six is {@link Statement.Opaque}. */
  public static Statement parse(Tokens tokens, Dialect dialect, Span span) {
    return parse(tokens, dialect.grammar(), span);
  }

  /** The same by a grammar. */
  public static Statement parse(Tokens tokens, Grammar grammar, Span span) {
    StatementParser parser = new StatementParser(tokens, grammar, span);
    try {
      return parser.whole(parser.statement());
    } catch (SyntaxException e) {
      return new Statement.Opaque(span, e.detail(), e.isUnsupported());
    }
  }

  private <T> T whole(T parsed) {
    if (!cursor.atEnd()) {
      String kind = tokens.kind(cursor.at).name().toLowerCase(Locale.ROOT);
      throw SyntaxException.unknown("behind the statement: " + kind); // its text may be a secret
    }
    return parsed;
  }

  private Statement statement() {
    int scope = cursor.scope();
    Statement statement = statementInScope();
    cursor.endScope(scope);
    return statement;
  }

  private Statement statementInScope() {
    int from = cursor.at;
    Optional<With> with = queries.with();
    int verb = cursor.at;
    if (cursor.takeAny("INSERT", "REPLACE")) {
      return insert(from, with, verb);
    }
    if (cursor.take("UPDATE")) {
      return update(from, with, verb);
    }
    if (cursor.take("DELETE")) {
      return delete(from, with, verb);
    }
    if (cursor.take("MERGE", "INTO")) {
      return merge(from, with, verb);
    }
    if (cursor.startsQuery(verb, cursor.to) || cursor.isWord("VALUES")) {
      Query query = queries.query(from, with);
      return new Statement.Select(cursor.since(from), query);
    }
    throw SyntaxException.unknown("an unknown statement");
  }

  /** Moves past the words behind a verb; true if SQLite's OR REPLACE is among them. */
  private boolean modifiers(String... words) {
    boolean replaces = false;
    while (true) {
      if (cursor.has(Syntax.OR_ACTIONS) && cursor.take("OR")) {
        replaces |= cursor.isWord("REPLACE");
        cursor.at++;
      } else if (!cursor.take("IGNORE") && !cursor.takeAny(words)) {
        return replaces;
      }
    }
  }

  private Statement insert(int from, Optional<With> with, int verb) {
    boolean replaces =
        modifiers("LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED") || tokens.isWord(verb, "REPLACE");
    cursor.take("INTO");
    Source.Table target = queries.sources.insertTarget();
    Optional<Span> columns = Optional.empty();
    if (cursor.isOpen() && !cursor.startsQuery(cursor.at, cursor.to)) {
      int open = cursor.at;
      cursor.skipBrackets("columns");
      columns = Optional.of(cursor.since(open));
    }
    if (cursor.take("OVERRIDING")) {
      cursor.at += 2;
    }
    while (cursor.has(Syntax.INSERT_DIRECT) && cursor.takeAny("DIRECT", "SORTED")) {}
    int content = cursor.at;
    RowsFrom rowsFrom = rowsFrom();
    Optional<Query> rows = Optional.empty();
    List<Assignment> assignments = List.of();
    switch (rowsFrom) {
      case DEFAULT_VALUES -> cursor.at += 2;
      case SET -> {
        cursor.at++;
        assignments = assignments();
      }
      case VALUES -> rows = Optional.of(values());
      case QUERY -> rows = Optional.of(queries.query());
    }
    Span contentSpan = cursor.since(content);
    List<OnConflict> conflicts = new ArrayList<>();
    while (cursor.isOnConflict(cursor.at)) {
      conflicts.add(onConflict());
    }
    Optional<Returning> returning = returning();
    return new Statement.Insert(
        cursor.since(from),
        with,
        verb,
        replaces,
        target,
        columns,
        rowsFrom,
        contentSpan,
        rows,
        assignments,
        List.copyOf(conflicts),
        returning);
  }

  private RowsFrom rowsFrom() {
    if (cursor.areWords("DEFAULT", "VALUES")) {
      return RowsFrom.DEFAULT_VALUES;
    }
    if (cursor.isAnyWord("VALUES", "VALUE")) {
      return RowsFrom.VALUES;
    }
    return cursor.isWord("SET") ? RowsFrom.SET : RowsFrom.QUERY;
  }

  /** The rows of VALUES, each in parentheses, and MySQL's alias for them. */
  private Query values() {
    int from = cursor.at;
    QueryBody.Values values = queries.values();
    if (values.rows().stream().anyMatch(row -> !(row instanceof Expression.Tuple))) {
      throw SyntaxException.unknown("VALUES without a row");
    }
    Query query = new Query(cursor.since(from), Optional.empty(), values, List.of());
    if (cursor.has(Syntax.INSERT_ALIAS) && cursor.take("AS")) {
      cursor.name("an alias");
      if (cursor.isOpen()) {
        cursor.skipBrackets("columns");
      }
    }
    return query;
  }

  private OnConflict onConflict() {
    int from = cursor.at++;
    if (cursor.take("DUPLICATE", "KEY", "UPDATE")) {
      List<Assignment> updates = assignments();
      return new OnConflict(cursor.since(from), List.of(), updates, Optional.empty());
    }
    cursor.expect("CONFLICT");
    List<Expression> target = new ArrayList<>();
    if (cursor.take("ON", "CONSTRAINT")) {
      cursor.name("a constraint");
    } else if (cursor.isOpen()) {
      target.addAll(cursor.within(() -> queries.expressions.list(i -> false)));
      if (cursor.take("WHERE")) {
        target.add(queries.expressions.expression(i -> tokens.isWord(i, "DO")));
      }
    }
    cursor.expect("DO");
    if (cursor.take("NOTHING")) {
      return new OnConflict(cursor.since(from), target, List.of(), Optional.empty());
    }
    cursor.expect("UPDATE");
    cursor.expect("SET");
    List<Assignment> updates = assignments();
    Optional<Clause> where =
        cursor.isWord("WHERE") ? Optional.of(queries.clause()) : Optional.empty();
    return new OnConflict(cursor.since(from), target, updates, where);
  }

  private Optional<Returning> returning() {
    if (!cursor.isReturning(cursor.at)) {
      return Optional.empty();
    }
    int from = cursor.at++;
    if (cursor.isWord("WITH") && tokens.isOpen(cursor.at + 1)) {
      cursor.at++;
      cursor.skipBrackets("names for the old and the new row");
    }
    List<Item> items = queries.items();
    if (items.isEmpty()) {
      throw SyntaxException.unknown("RETURNING without columns");
    }
    return Optional.of(new Returning(cursor.since(from), items));
  }

  private List<Assignment> assignments() {
    List<Assignment> assignments = new ArrayList<>();
    do {
      assignments.add(assignment());
    } while (cursor.take(TokenKind.COMMA));
    return List.copyOf(assignments);
  }

  private Assignment assignment() {
    int from = cursor.at;
    Cursor.Mark mark = cursor.mark();
    try {
      List<Name> targets = targets();
      if (!cursor.isOperator('=') && !tokens.text(cursor.at).equals(":=")) {
        throw SyntaxException.unknown("= expected");
      }
      cursor.at++;
      Expression value = queries.expressions.expression(this::endsAssignment);
      return new Assignment(cursor.since(from), targets, value);
    } catch (SyntaxException e) {
      e.throwIfFinal();
      cursor.reset(mark);
      Expression all = queries.expressions.opaque(this::endsAssignment);
      return new Assignment(cursor.since(from), List.of(), all);
    }
  }

  private boolean endsAssignment(int i) {
    return tokens.is(i, TokenKind.COMMA) || cursor.isBoundary(i);
  }

  private List<Name> targets() {
    if (!cursor.isOpen()) {
      return List.of(target());
    }
    return cursor.within(
        () -> {
          List<Name> names = new ArrayList<>();
          do {
            names.add(target());
          } while (cursor.take(TokenKind.COMMA));
          return List.copyOf(names);
        });
  }

  private Name target() {
    Name name = name();
    while (cursor.is(TokenKind.OPEN) && tokens.charAt(cursor.at) == '[') {
      cursor.skipBrackets("an index");
    }
    return name;
  }

  private Name name() {
    int from = cursor.at;
    List<String> parts = new ArrayList<>();
    do {
      parts.add(cursor.name("a column"));
    } while (cursor.take(TokenKind.DOT));
    return new Name(cursor.since(from), List.copyOf(parts));
  }

  private Statement update(int from, Optional<With> with, int verb) {
    modifiers("LOW_PRIORITY");
    int sourcesFrom = cursor.at;
    List<Source> sources = queries.sources.list();
    Span sourcesAt = cursor.since(sourcesFrom);
    cursor.expect("SET");
    int set = cursor.at;
    List<Assignment> assignments = assignments();
    Span setSpan = cursor.since(set);
    List<Clause> clauses = clauses();
    Optional<Returning> returning = returning();
    return new Statement.Update(
        cursor.since(from),
        with,
        verb,
        sourcesAt,
        sources,
        setSpan,
        assignments,
        clauses,
        returning);
  }

  /** FROM, USING, WHERE, ORDER BY and LIMIT of a write. */
  private List<Clause> clauses() {
    List<Clause> clauses = new ArrayList<>();
    while (cursor.isWord("USING") || cursor.isClause(cursor.at)) {
      int from = cursor.at;
      Clause clause = cursor.take("USING") ? queries.sources(from, Kind.USING) : queries.clause();
      if (!OF_WRITES.contains(clause.kind())) {
        throw SyntaxException.unknown("an unexpected clause of a write");
      }
      clauses.add(clause);
    }
    return List.copyOf(clauses);
  }

  private Statement delete(int from, Optional<With> with, int verb) {
    modifiers("LOW_PRIORITY", "QUICK");
    boolean fromFirst = cursor.take("FROM");
    List<Name> names = List.of();
    if (cursor.has(Syntax.MULTI_TABLE_DELETE) && isListed(fromFirst ? "USING" : "FROM")) {
      names = deletedTables();
      cursor.at++;
    } else if (!fromFirst && !cursor.has(Syntax.DELETE_WITHOUT_FROM)) {
      throw SyntaxException.unknown("DELETE without FROM");
    }
    int sourcesFrom = cursor.at;
    List<Source> sources = queries.sources.list();
    Span sourcesAt = cursor.since(sourcesFrom);
    List<Clause> clauses = clauses();
    Optional<Returning> returning = returning();
    Statement.Delete delete =
        new Statement.Delete(
            cursor.since(from), with, verb, names, sourcesAt, sources, clauses, returning);
    boolean joins =
        Clause.first(clauses, Kind.USING).isPresent() && !cursor.has(Syntax.DELETE_USING);
    if (names.isEmpty() && (joins || delete.writtenTable().isEmpty())) {
      throw SyntaxException.unsupported("DELETE from several tables");
    }
    return delete;
  }

  /** MySQL: {@code DELETE a, b FROM …}, {@code DELETE FROM a, b USING …}. */
  private boolean isListed(String behind) {
    int i = cursor.at;
    while (i < cursor.to
        && (tokens.isName(i)
            || tokens.is(i, TokenKind.DOT)
            || tokens.is(i, TokenKind.COMMA)
            || tokens.isOperator(i, '*'))) {
      if (tokens.isWord(i, behind)) {
        return true;
      }
      i++;
    }
    return false;
  }

  private List<Name> deletedTables() {
    List<Name> names = new ArrayList<>();
    do {
      int from = cursor.at;
      List<String> parts = new ArrayList<>();
      parts.add(cursor.name("a table"));
      while (cursor.take(TokenKind.DOT)) {
        if (cursor.isOperator('*')) {
          cursor.at++;
          break;
        }
        parts.add(cursor.name("a table"));
      }
      names.add(new Name(cursor.since(from), List.copyOf(parts)));
    } while (cursor.take(TokenKind.COMMA));
    return List.copyOf(names);
  }

  private Statement merge(int from, Optional<With> with, int verb) {
    List<Source> targets = queries.sources.list();
    if (!cursor.isWord("USING")) {
      throw SyntaxException.unsupported("MERGE");
    }
    if (targets.size() != 1 || !(targets.get(0) instanceof Source.Table target)) {
      throw SyntaxException.unknown("MERGE into something else than a table");
    }
    int usingFrom = cursor.at++;
    List<Source> sources = queries.sources.listBeforeOn();
    Clause using = new Clause(cursor.since(usingFrom), Kind.USING, sources, List.of());
    cursor.expect("ON");
    Expression on = queries.expressions.expression(i -> tokens.isWord(i, "WHEN"));
    List<MergeBranch> branches = new ArrayList<>();
    while (cursor.isWord("WHEN")) {
      branches.add(branch());
    }
    if (branches.isEmpty()) {
      throw SyntaxException.unsupported("MERGE");
    }
    Optional<Returning> returning = returning();
    return new Statement.Merge(
        cursor.since(from), with, verb, target, using, on, List.copyOf(branches), returning);
  }

  private MergeBranch branch() {
    int from = cursor.at++;
    cursor.take("NOT");
    cursor.expect("MATCHED");
    if (cursor.take("BY")) {
      cursor.at++;
    }
    List<Expression> expressions = new ArrayList<>();
    if (cursor.take("AND")) {
      expressions.add(queries.expressions.expression(i -> tokens.isWord(i, "THEN")));
    }
    cursor.expect("THEN");
    int content = cursor.at;
    List<Assignment> updates = List.of();
    Action action;
    if (cursor.take("UPDATE", "SET")) {
      action = Action.UPDATE;
      updates = assignments();
      if (cursor.isAnyWord("DELETE", "WHERE")) {
        throw SyntaxException.unsupported("MERGE that updates and deletes");
      }
    } else if (cursor.take("DELETE")) {
      action = Action.DELETE;
    } else if (cursor.take("DO", "NOTHING")) {
      action = Action.NOTHING;
    } else if (cursor.take("INSERT")) {
      action = Action.INSERT;
      mergedRow(expressions);
    } else {
      throw SyntaxException.unknown("MERGE with an unknown branch");
    }
    return new MergeBranch(
        cursor.since(from), action, cursor.since(content), List.copyOf(expressions), updates);
  }

  private void mergedRow(List<Expression> expressions) {
    if (cursor.isOpen()) {
      cursor.skipBrackets("columns");
    }
    if (cursor.take("OVERRIDING")) {
      cursor.at += 2;
    }
    if (!cursor.take("DEFAULT", "VALUES")) {
      expressions.addAll(queries.values().rows());
    }
  }
}
