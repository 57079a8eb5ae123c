package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.StatementShape.Action;
import io.txwatch.sql.StatementShape.Source;
import io.txwatch.sql.StatementShape.When;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;

/** Finds the shape of SELECT, INSERT, REPLACE, UPDATE, DELETE and MERGE … USING. */
final class ShapeScanner {

  private final Tokens tokens;
  private final Dialect dialect;
  private final StatementShape shape;
  private final QueryScanner queries;

  private ShapeScanner(Tokens tokens, Dialect dialect, StatementShape shape) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.shape = shape;
    this.queries = new QueryScanner(tokens, dialect, shape);
  }

  /**
   * The shape of a statement.
   *
   * @throws NotUnderstood if it is something else, or not plain enough to vouch for
   */
  static StatementShape scan(Tokens tokens, Dialect dialect, int from, int to)
      throws NotUnderstood {
    StatementShape shape = new StatementShape(from, to);
    new ShapeScanner(tokens, dialect, shape).statement();
    return shape;
  }

  /**
   * The shape of a write inside WITH.
   *
   * @param ctes the names of the CTEs that it can speak of
   * @throws NotUnderstood as {@link #scan}
   */
  static StatementShape scanInner(
      Tokens tokens, Dialect dialect, int from, int to, List<String> ctes) throws NotUnderstood {
    StatementShape shape = new StatementShape(from, to);
    ShapeScanner scanner = new ShapeScanner(tokens, dialect, shape);
    shape.inner = true;
    scanner.queries.declareAll(ctes);
    scanner.statement();
    return shape;
  }

  private void statement() throws NotUnderstood {
    int i = shape.from;
    if (tokens.isWord(i, "WITH")) {
      i = queries.with(i, shape.to);
    }
    shape.verb = i;
    if (tokens.isWord(i, "INSERT")) {
      shape.kind = StatementKind.INSERT;
      insert(i);
    } else if (tokens.isWord(i, "REPLACE")) {
      shape.kind = StatementKind.REPLACE;
      insert(i);
    } else if (tokens.isWord(i, "UPDATE")) {
      shape.kind = StatementKind.UPDATE;
      update(i);
    } else if (tokens.isWord(i, "DELETE")) {
      shape.kind = StatementKind.DELETE;
      delete(i);
    } else if (tokens.areWords(i, "MERGE", "INTO")) {
      shape.kind = StatementKind.MERGE;
      merge(i);
    } else if (queries.startsQuery(i, shape.to) || tokens.isWord(i, "VALUES")) {
      shape.kind = StatementKind.SELECT;
      queries.query(i, shape.to, Role.TOP);
      if (shape.blocks.stream().anyMatch(b -> b.locking && b.role != Role.NESTED)) {
        shape.kind = StatementKind.LOCKING_SELECT;
      }
    } else {
      throw new NotUnderstood("an unknown statement");
    }
  }

  private int skipModifiers(int from, String... words) {
    int i = from;
    while (true) {
      if (tokens.isWord(i, "IGNORE")) {
        i++;
      } else if (tokens.isWord(i, "OR") && dialect == Dialect.SQLITE) {
        if (tokens.isWord(i + 1, "REPLACE") && shape.kind == StatementKind.INSERT) {
          shape.kind = StatementKind.REPLACE;
        }
        i += 2;
      } else if (tokens.isAnyWord(i, words)) {
        i++;
      } else {
        return i;
      }
    }
  }

  private void insert(int verb) throws NotUnderstood {
    int i = skipModifiers(verb + 1, "LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED");
    if (tokens.isWord(i, "INTO")) {
      i++;
    }
    FromNode.TableRef target = queries.fromScanner().insertTarget(i, shape.to);
    shape.target = target;
    i = target.to();
    if (tokens.isOpen(i) && !queries.startsQuery(i, shape.to)) {
      shape.columns = i;
      i = tokens.partner(i) + 1;
    }
    if (tokens.isWord(i, "OVERRIDING")) {
      i += 3;
    }
    while (dialect == Dialect.H2 && tokens.isAnyWord(i, "DIRECT", "SORTED")) {
      i++;
    }
    if (i >= shape.to) {
      throw new NotUnderstood("INSERT without rows");
    }
    shape.source = i;
    shape.sourceEnd = sourceEnd(i);
    if (tokens.areWords(i, "DEFAULT", "VALUES")) {
      shape.sourceKind = Source.DEFAULT_VALUES;
    } else if (tokens.isAnyWord(i, "VALUES", "VALUE")) {
      shape.sourceKind = Source.VALUES;
      rows(i + 1);
    } else if (tokens.isWord(i, "SET")) {
      shape.sourceKind = Source.SET;
      queries.nested(i, shape.sourceEnd);
    } else {
      shape.sourceKind = Source.QUERY;
      queries.query(i, shape.sourceEnd, Role.SOURCE);
    }
    queries.nested(shape.sourceEnd, shape.to);
  }

  /** The rows of VALUES; MySQL's row alias behind them ends the source early. */
  private void rows(int from) throws NotUnderstood {
    int i = from;
    while (true) {
      if (tokens.isWord(i, "ROW")) {
        i++;
      }
      if (!tokens.isOpen(i) || i >= shape.sourceEnd) {
        throw new NotUnderstood("VALUES without a row");
      }
      shape.rows.add(i);
      queries.nested(i, tokens.partner(i) + 1);
      i = tokens.partner(i) + 1;
      if (i >= shape.sourceEnd) {
        return;
      }
      if (!tokens.is(i, TokenKind.COMMA)) {
        break;
      }
      i++;
    }
    if (!tokens.isWord(i, "AS") || dialect != Dialect.MYSQL) {
      throw new NotUnderstood("something after the rows of VALUES");
    }
  }

  private int sourceEnd(int from) throws NotUnderstood {
    for (int i = from; i < shape.to; i = tokens.next(i)) {
      if (tokens.is(i - 1, TokenKind.DOT) || tokens.isWord(i - 1, "AS")) {
        continue;
      }
      if (tokens.areWords(i, "ON", "CONFLICT") || tokens.areWords(i, "ON", "DUPLICATE", "KEY")) {
        shape.onConflict = i;
        shape.returning = returningAfter(i);
        return i;
      }
      if (isReturning(i)) {
        shape.returning = i;
        return i;
      }
    }
    return shape.to;
  }

  private boolean isReturning(int i) {
    return tokens.isWord(i, "RETURNING")
        && dialect != Dialect.MYSQL
        && dialect != Dialect.H2
        && !tokens.is(i - 1, TokenKind.DOT)
        && !tokens.isWord(i - 1, "AS");
  }

  private int returningAfter(int from) {
    for (int i = from; i < shape.to; i = tokens.next(i)) {
      if (isReturning(i)) {
        return i;
      }
    }
    return -1;
  }

  private void update(int verb) throws NotUnderstood {
    int i = skipModifiers(verb + 1, "LOW_PRIORITY");
    int set = i;
    while (set < shape.to && !tokens.isWord(set, "SET")) {
      set = tokens.next(set);
    }
    if (set >= shape.to) {
      throw new NotUnderstood("UPDATE without SET");
    }
    shape.set = set;
    shape.sources.addAll(queries.fromScanner().list(i, set));
    shape.sourcesAt = i - 1;
    shape.sourcesEnd = set;
    if (shape.sources.size() > 1 || !(shape.sources.get(0) instanceof FromNode.TableRef)) {
      shape.multiTable = true;
    } else {
      shape.target = (FromNode.TableRef) shape.sources.get(0);
    }
    int end = writeClause(set + 1);
    shape.setEnd = end;
    if (end == set + 1) {
      throw new NotUnderstood("SET without columns");
    }
    queries.nested(set, end);
    tail(end);
  }

  private void delete(int verb) throws NotUnderstood {
    int i = skipModifiers(verb + 1, "LOW_PRIORITY", "QUICK");
    boolean from = tokens.isWord(i, "FROM");
    int end = writeClause(from ? i + 1 : i);
    boolean mysql = dialect == Dialect.MYSQL || dialect == Dialect.MARIADB;
    if (mysql && tokens.isWord(end, from ? "USING" : "FROM")) {
      deleteFromSeveral(from ? i + 1 : i, end);
      return;
    }
    if (!from && dialect != Dialect.H2) {
      throw new NotUnderstood("DELETE without FROM");
    }
    shape.sourcesAt = from ? i : i - 1;
    shape.sourcesEnd = end;
    shape.sources.addAll(queries.fromScanner().list(shape.sourcesAt + 1, end));
    if (shape.sources.size() > 1
        || !(shape.sources.get(0) instanceof FromNode.TableRef)
        || (tokens.isWord(end, "USING") && dialect != Dialect.POSTGRESQL)) {
      shape.multiTable = true;
      throw new NotUnderstood(GapReason.SHAPE, "DELETE from several tables");
    }
    shape.target = (FromNode.TableRef) shape.sources.get(0);
    tail(end);
  }

  /** MySQL: {@code DELETE a, b FROM …}, {@code DELETE FROM a, b USING …}. */
  private void deleteFromSeveral(int names, int sources) throws NotUnderstood {
    shape.multiTable = true;
    for (int i = names; i < sources; i++) {
      while (tokens.is(i + 1, TokenKind.DOT) && tokens.isName(i + 2)) {
        i += 2;
      }
      if (!tokens.isName(i)) {
        throw new NotUnderstood("DELETE from something else than tables");
      }
      shape.deletesFrom.add(tokens.text(i));
      if (tokens.is(i + 1, TokenKind.DOT) && tokens.isOperator(i + 2, '*')) {
        i += 2;
      }
      i++;
      if (i < sources && !tokens.is(i, TokenKind.COMMA)) {
        throw new NotUnderstood("DELETE from something else than tables");
      }
    }
    int end = sources + 1;
    while (end < shape.to
        && (!tokens.isAnyWord(end, "WHERE", "LIMIT", "RETURNING", "ORDER")
            || tokens.is(end - 1, TokenKind.DOT))) {
      end = tokens.next(end);
    }
    shape.sourcesAt = sources;
    shape.sourcesEnd = end;
    shape.sources.addAll(queries.fromScanner().list(sources + 1, end));
    tail(end);
  }

  /** What follows SET or the target: FROM, USING, WHERE, ORDER BY, LIMIT, RETURNING. */
  private void tail(int from) throws NotUnderstood {
    int i = from;
    while (i < shape.to) {
      int end = writeClause(i + 1);
      if (tokens.isAnyWord(i, "FROM", "USING")) {
        shape.moreAt = i;
        shape.moreEnd = end;
        shape.sources.addAll(queries.fromScanner().list(i + 1, end));
      } else {
        if (tokens.isAnyWord(i, "ORDER", "LIMIT", "OFFSET", "FETCH") && shape.limit < 0) {
          shape.limit = i;
        } else if (tokens.isWord(i, "WHERE")) {
          shape.where = i;
          shape.whereEnd = end;
        } else if (tokens.isWord(i, "RETURNING")) {
          shape.returning = i;
        }
        queries.nested(i, end);
      }
      i = end;
    }
  }

  private int writeClause(int from) {
    for (int i = from; i < shape.to; i = tokens.next(i)) {
      if (!tokens.is(i, TokenKind.WORD) || tokens.is(i - 1, TokenKind.DOT)) {
        continue;
      }
      if (tokens.isWord(i, "FROM")
          && !(tokens.isWord(i - 1, "DISTINCT")
              && (tokens.isWord(i - 2, "IS") || tokens.areWords(i - 3, "IS", "NOT")))) {
        return i;
      }
      if (tokens.isAnyWord(i, "WHERE", "LIMIT")
          || (tokens.isWord(i, "USING") && tokens.isWord(shape.verb, "DELETE"))
          || (tokens.isWord(i, "ORDER") && tokens.isWord(i + 1, "BY"))
          || (tokens.isWord(i, "OFFSET") && dialect == Dialect.H2)
          || (tokens.isWord(i, "FETCH") && tokens.isAnyWord(i + 1, "FIRST", "NEXT"))
          || isReturning(i)) {
        return i;
      }
    }
    return shape.to;
  }

  /** The token from {@code from} on, at this depth, that is one of those words. */
  private int word(int from, String... words) {
    int i = from;
    while (i < shape.to && (!tokens.isAnyWord(i, words) || tokens.is(i - 1, TokenKind.DOT))) {
      i = tokens.next(i);
    }
    return i;
  }

  private void merge(int verb) throws NotUnderstood {
    int using = word(verb + 2, "USING");
    int on = word(using, "ON");
    int when = word(on, "WHEN");
    if (when >= shape.to) {
      throw new NotUnderstood(GapReason.SHAPE, "MERGE");
    }
    List<FromNode> target = queries.fromScanner().list(verb + 2, using);
    if (target.size() != 1 || !(target.get(0) instanceof FromNode.TableRef table)) {
      throw new NotUnderstood("MERGE into something else than a table");
    }
    shape.target = table;
    SelectBlock source = new SelectBlock(Role.NESTED, using);
    source.fromAt = using;
    source.fromEnd = on;
    source.listFrom = using;
    source.listTo = using;
    source.end = on;
    shape.blocks.add(source);
    source.from.addAll(queries.fromScanner().list(using + 1, on));
    queries.nested(on, when);
    while (tokens.isWord(when, "WHEN")) {
      int then = word(when, "THEN");
      int next = branchEnd(then + 1);
      if (then + 1 >= next) {
        throw new NotUnderstood("MERGE without a branch");
      }
      shape.whens.add(new When(action(then + 1, next), then + 1, next));
      queries.nested(when, next);
      when = next;
    }
    if (when < shape.to) {
      shape.returning = when;
      queries.nested(when, shape.to);
    }
  }

  /** The next WHEN that is none of a CASE, or RETURNING. */
  private int branchEnd(int from) {
    int cases = 0;
    for (int i = from; i < shape.to; i = tokens.next(i)) {
      if (tokens.isWord(i, "CASE")) {
        cases++;
      } else if (cases > 0 && tokens.isWord(i, "END")) {
        cases--;
      } else if (cases == 0 && (tokens.isWord(i, "WHEN") || isReturning(i))) {
        return i;
      }
    }
    return shape.to;
  }

  private Action action(int from, int to) throws NotUnderstood {
    if (tokens.areWords(from, "UPDATE", "SET")) {
      if (word(from + 2, "DELETE", "WHERE") < to) {
        throw new NotUnderstood(GapReason.SHAPE, "MERGE that updates and deletes");
      }
      return Action.UPDATE;
    }
    if (tokens.isWord(from, "INSERT")) {
      return Action.INSERT;
    }
    if (tokens.isWord(from, "DELETE") && to == from + 1) {
      return Action.DELETE;
    }
    if (tokens.areWords(from, "DO", "NOTHING")) {
      return Action.NOTHING;
    }
    throw new NotUnderstood("MERGE with an unknown branch");
  }
}
