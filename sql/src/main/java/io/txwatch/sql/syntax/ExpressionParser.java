package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Expression.Call;
import io.txwatch.sql.syntax.Expression.Case;
import io.txwatch.sql.syntax.Expression.Chain;
import io.txwatch.sql.syntax.Expression.In;
import io.txwatch.sql.syntax.Expression.Literal;
import io.txwatch.sql.syntax.Expression.Name;
import io.txwatch.sql.syntax.Expression.Opaque;
import io.txwatch.sql.syntax.Expression.Operation;
import io.txwatch.sql.syntax.Expression.Parameter;
import io.txwatch.sql.syntax.Expression.Star;
import io.txwatch.sql.syntax.Expression.Subquery;
import io.txwatch.sql.syntax.Expression.Tuple;
import io.txwatch.sql.syntax.Expression.Type;
import io.txwatch.sql.syntax.Expression.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Expressions, by recursive descent. Of the levels of precedence it distinguishes those that a
 * condition consists of: OR, XOR, AND, NOT, comparisons, and all other operators. Several
 * comparisons in a row are one level, although DBMSs differ there.
 *
 * <p>Text that it does not know becomes {@link Opaque}: the parentheses around it, or the item of
 * the list, or the condition.
 */
final class ExpressionParser {

  private static final int MAX_OPAQUE = 200;

  private static final Set<String> COMPARISONS =
      Set.of("=", "<=>", "<>", "!=", "<", "<=", ">", ">=", "==");

  /** Operators between two operands, outside of PostgreSQL, where anybody can define one. */
  private static final Set<String> INFIX =
      Set.of(
          "+", "-", "*", "/", "%", "||", "&&", "&", "|", "^", "~", "!~", "<<", ">>", "->", "->>",
          ":=");

  /** Operators of more than one character, outside of PostgreSQL, which has a rule for them. */
  private static final List<String> LONG_OPERATORS =
      List.of("<=>", "->>", "<=", ">=", "<>", "!=", "==", "<<", ">>", "||", "&&", "->", "!~");

  /** PostgreSQL: an operator that ends with + or - has one of these, or the sign is not of it. */
  private static final String SIGN_KEEPERS = "~!@#%^&|`?";

  /** Words that no expression begins with. */
  private static final Set<String> RESERVED =
      Set.of(
          "SELECT", "FROM", "WHERE", "HAVING", "INTO", "UNION", "ON", "AS", "WHEN", "THEN", "ELSE",
          "AND", "OR", "IS", "IN", "BETWEEN", "LIKE", "USING", "ORDER", "GROUP", "LIMIT");

  private static final Set<String> CONSTANTS = Set.of("NULL", "TRUE", "FALSE", "DEFAULT");

  private static final Set<String> DATE_TYPES = Set.of("DATE", "TIME", "TIMESTAMP");

  /** Words between the arguments of a call, with no value of their own. */
  private static final Set<String> BETWEEN_ARGUMENTS =
      Set.of("FROM", "FOR", "IN", "USING", "DISTINCT", "ALL", "PLACING", "VARIADIC", "SEPARATOR");

  private static final Set<String> TRIM_WORDS = Set.of("BOTH", "LEADING", "TRAILING");

  private static final Set<String> FRAMES = Set.of("ROWS", "RANGE", "GROUPS");

  private final Cursor cursor;
  private final Tokens tokens;
  private final Supplier<Query> queries;
  private int opaque;

  /**
   * Expressions at a cursor.
   *
   * @param queries parses the query at the cursor
   */
  ExpressionParser(Cursor cursor, Supplier<Query> queries) {
    this.cursor = cursor;
    this.tokens = cursor.tokens;
    this.queries = queries;
  }

  /**
   * An expression, and the cursor behind it.
   *
   * @param ends true for a token that may follow
   */
  Expression expression(IntPredicate ends) {
    return expression(ends, ends);
  }

  /**
   * The same where more may follow what is known than what is not.
   *
   * @param mayFollow true for a token that may follow an expression
   * @param ends true for a token that ends a stretch that is not known
   */
  Expression expression(IntPredicate mayFollow, IntPredicate ends) {
    Cursor.Mark mark = cursor.mark();
    try {
      Expression parsed = or();
      if (cursor.atEnd() || mayFollow.test(cursor.at)) {
        return parsed;
      }
    } catch (SyntaxException e) {
      e.throwIfFinal();
    }
    cursor.reset(mark);
    return opaque(ends);
  }

  /** Expressions separated by commas, up to a token that ends the list. */
  List<Expression> list(IntPredicate ends) {
    List<Expression> all = new ArrayList<>();
    IntPredicate endsItem = i -> tokens.is(i, TokenKind.COMMA) || ends.test(i);
    while (!cursor.atEnd() && !ends.test(cursor.at)) {
      all.add(expression(endsItem));
      if (!cursor.take(TokenKind.COMMA)) {
        break;
      }
    }
    return List.copyOf(all);
  }

  /** The items of ORDER BY, or of GROUP BY with its words for groupings. */
  List<Expression> sortItems(IntPredicate ends) {
    List<Expression> all = new ArrayList<>();
    IntPredicate endsItem = i -> tokens.is(i, TokenKind.COMMA) || ends.test(i) || isDirection(i);
    cursor.takeAny("DISTINCT", "ALL");
    cursor.take("GROUPING", "SETS");
    while (!cursor.atEnd() && !ends.test(cursor.at)) {
      all.add(expression(endsItem));
      while (!cursor.atEnd() && isDirection(cursor.at)) {
        skipDirection();
      }
      if (!cursor.take(TokenKind.COMMA)) {
        break;
      }
    }
    return List.copyOf(all);
  }

  private boolean isDirection(int i) {
    return tokens.isAnyWord(i, "ASC", "DESC", "NULLS")
        || (tokens.isWord(i, "WITH") && tokens.isAnyWord(i + 1, "ROLLUP", "CUBE"))
        || (tokens.isWord(i, "USING") && tokens.is(i + 1, TokenKind.OPERATOR));
  }

  private void skipDirection() {
    if (cursor.takeAny("ASC", "DESC")) {
      return;
    }
    cursor.at++;
    if (cursor.is(TokenKind.OPERATOR)) {
      cursor.at += operatorAt(cursor.at).tokens();
    } else {
      cursor.at++;
    }
  }

  /** A stretch that is not known, up to a token that may follow, CASE … END being one thing. */
  Opaque opaque(IntPredicate ends) {
    int from = cursor.at;
    int cases = 0;
    while (!cursor.atEnd() && (cases > 0 || !ends.test(cursor.at))) {
      if (cursor.isWord("CASE")) {
        cases++;
      } else if (cases > 0 && cursor.isWord("END")) {
        cases--;
      }
      cursor.at = tokens.next(cursor.at);
    }
    if (cursor.at == from) {
      throw SyntaxException.unknown("an expression expected");
    }
    return opaque(cursor.since(from));
  }

  private Opaque opaque(Span span) {
    if (++opaque > MAX_OPAQUE) {
      throw SyntaxException.unknown("too much that is not known").asFinal();
    }
    Cursor.Mark mark = cursor.mark();
    List<Subquery> found = new ArrayList<>();
    queriesWithin(span, found);
    cursor.reset(mark);
    return new Opaque(span, List.copyOf(found));
  }

  private void queriesWithin(Span span, List<Subquery> into) {
    for (int i = span.from(); i < span.to(); i = tokens.next(i)) {
      if (!tokens.is(i, TokenKind.OPEN)) {
        continue;
      }
      int close = tokens.partner(i);
      cursor.at = i;
      cursor.to = close + 1;
      if (isQuery(i)) {
        into.add(subquery(tokens.isWord(i - 1, "EXISTS"), i));
      } else {
        cursor.enter();
        queriesWithin(new Span(i + 1, close), into);
        cursor.leave();
      }
    }
  }

  private Expression or() {
    return chain(
        this::xor, i -> word(i, "OR") || (cursor.has(Syntax.LOGICAL_OPERATORS) && is(i, "||")));
  }

  private Expression xor() {
    return cursor.has(Syntax.LOGICAL_OPERATORS) ? chain(this::and, i -> word(i, "XOR")) : and();
  }

  private Expression and() {
    return chain(
        this::not, i -> word(i, "AND") || (cursor.has(Syntax.LOGICAL_OPERATORS) && is(i, "&&")));
  }

  private Expression chain(Supplier<Expression> next, IntPredicate isOperator) {
    int from = cursor.at;
    Expression first = next.get();
    if (!isOperator.test(cursor.at)) {
      return first;
    }
    List<String> operators = new ArrayList<>();
    List<Expression> operands = new ArrayList<>(List.of(first));
    while (isOperator.test(cursor.at)) {
      operators.add(takeOperator());
      operands.add(next.get());
    }
    return new Chain(cursor.since(from), List.copyOf(operators), List.copyOf(operands));
  }

  private boolean word(int i, String word) {
    return i < cursor.to && tokens.isWord(i, word);
  }

  private boolean is(int i, String operator) {
    return i < cursor.to
        && tokens.is(i, TokenKind.OPERATOR)
        && operatorAt(i).text().equals(operator);
  }

  private String takeOperator() {
    if (cursor.is(TokenKind.OPERATOR)) {
      Operator operator = operatorAt(cursor.at);
      cursor.at += operator.tokens();
      return operator.text();
    }
    return tokens.text(cursor.at++).toUpperCase(Locale.ROOT);
  }

  private Expression not() {
    if (!cursor.isWord("NOT")) {
      return comparison();
    }
    int from = cursor.at++;
    cursor.enter();
    Expression operand = not();
    cursor.leave();
    return new Operation(cursor.since(from), "NOT", List.of(operand));
  }

  private Expression comparison() {
    int from = cursor.at;
    Expression left =
        chain(this::tested, i -> i < cursor.to && COMPARISONS.contains(operatorText(i)));
    return tests(from, left);
  }

  private Expression tested() {
    int from = cursor.at;
    return tests(from, operators());
  }

  /** IS, IN, BETWEEN, LIKE and their like behind an operand. */
  private Expression tests(int from, Expression operand) {
    Expression left = operand;
    for (int rounds = 0; !cursor.atEnd(); rounds++) {
      Expression tested = test(from, left);
      if (tested == left) {
        return left;
      }
      if (rounds > 20) {
        throw SyntaxException.unknown("too many conditions in a row");
      }
      left = tested;
    }
    return left;
  }

  private Expression test(int from, Expression left) {
    int at = cursor.at;
    boolean negated = cursor.take("NOT");
    if (!negated && cursor.take("IS")) {
      return is(from, left);
    }
    if (!negated && cursor.take("ISNULL")) {
      return new Operation(cursor.since(from), "IS NULL", List.of(left));
    }
    if (negated ? cursor.take("NULL") : cursor.take("NOTNULL")) {
      return new Operation(cursor.since(from), "IS NOT NULL", List.of(left));
    }
    String not = negated ? "NOT " : "";
    if (cursor.take("BETWEEN")) {
      String operator = cursor.take("SYMMETRIC") ? "BETWEEN SYMMETRIC" : "BETWEEN";
      cursor.take("ASYMMETRIC");
      Expression low = operators();
      cursor.expect("AND");
      Expression high = operators();
      return new Operation(cursor.since(from), not + operator, List.of(left, low, high));
    }
    if (cursor.isWord("IN") && tokens.isOpen(at + (negated ? 2 : 1))) {
      cursor.at++;
      return new In(
          cursor.since(from).upTo(tokens.partner(cursor.at) + 1), left, negated, parentheses());
    }
    if (isPattern()) {
      String operator = takeOperator();
      cursor.takeAny("TO", "LIKE", "OF", "BINARY");
      List<Expression> operands = new ArrayList<>(List.of(left, operators()));
      if (cursor.take("ESCAPE")) {
        operands.add(operators());
      }
      return new Operation(cursor.since(from), not + operator, List.copyOf(operands));
    }
    cursor.at = at;
    return left;
  }

  private boolean isPattern() {
    return cursor.isAnyWord("LIKE", "ILIKE", "RLIKE", "REGEXP", "GLOB", "OVERLAPS")
        || cursor.areWords("SIMILAR", "TO")
        || cursor.areWords("SOUNDS", "LIKE")
        || (cursor.isWord("MATCH") && cursor.has(Syntax.MATCH_OPERATOR))
        || (cursor.isWord("MEMBER") && cursor.has(Syntax.WORD_OPERATORS));
  }

  private Expression is(int from, Expression left) {
    boolean negated = cursor.take("NOT");
    String operator = negated ? "IS NOT" : "IS";
    if (cursor.take("DISTINCT", "FROM")) {
      Expression right = operators();
      return new Operation(cursor.since(from), operator + " DISTINCT FROM", List.of(left, right));
    }
    if (cursor.isAnyWord("JSON", "DOCUMENT", "NORMALIZED", "NFC", "NFD", "NFKC", "NFKD")) {
      cursor.at++;
      cursor.takeAny("VALUE", "ARRAY", "OBJECT", "SCALAR", "NORMALIZED");
      return new Operation(cursor.since(from), operator + " OF", List.of(left));
    }
    if (cursor.take("NULL")) {
      return new Operation(cursor.since(from), operator + " NULL", List.of(left));
    }
    Expression right = operators();
    return new Operation(cursor.since(from), operator, List.of(left, right));
  }

  private Expression operators() {
    return chain(this::unary, this::isInfix);
  }

  private boolean isInfix(int i) {
    if (i >= cursor.to) {
      return false;
    }
    if (tokens.is(i, TokenKind.OPERATOR)) {
      String operator = operatorText(i);
      boolean logical =
          cursor.has(Syntax.LOGICAL_OPERATORS) && (operator.equals("||") || operator.equals("&&"));
      boolean known = cursor.has(Syntax.ANY_OPERATOR) || INFIX.contains(operator);
      return known && !logical && !COMPARISONS.contains(operator) && !operator.equals("::");
    }
    return cursor.has(Syntax.WORD_OPERATORS) && tokens.isAnyWord(i, "DIV", "MOD");
  }

  private Expression unary() {
    int from = cursor.at;
    boolean binary =
        cursor.has(Syntax.WORD_OPERATORS)
            && cursor.isWord("BINARY")
            && !tokens.is(from + 1, TokenKind.DOT);
    boolean operator = cursor.is(TokenKind.OPERATOR) && !cursor.isOperator('*');
    if (!binary && !operator) {
      return cursor.isWord("NOT") ? not() : postfix(from, primary());
    }
    String prefix = takeOperator();
    cursor.enter();
    Expression operand = unary();
    cursor.leave();
    return new Operation(cursor.since(from), prefix, List.of(operand));
  }

  private Expression postfix(int from, Expression primary) {
    Expression left = primary;
    for (int rounds = 0; !cursor.atEnd(); rounds++) {
      Expression next = suffix(from, left);
      if (next == left) {
        return left;
      }
      if (rounds > 20) {
        throw SyntaxException.unknown("too many suffixes");
      }
      left = next;
    }
    return left;
  }

  private Expression suffix(int from, Expression left) {
    if (left instanceof Star && cursor.isWord("EXCEPT") && !cursor.isSetOperator(cursor.at)) {
      cursor.at++;
      cursor.skipBrackets("columns");
      return new Operation(cursor.since(from), "EXCEPT", List.of(left));
    }
    if (cursor.is(TokenKind.OPERATOR) && operatorText(cursor.at).equals("::")) {
      cursor.at++;
      Type type = type();
      return new Operation(cursor.since(from), "::", List.of(left, type));
    }
    if (cursor.is(TokenKind.OPEN) && tokens.charAt(cursor.at) == '[') {
      List<Expression> operands = new ArrayList<>(List.of(left));
      operands.addAll(cursor.within(() -> list(i -> false)));
      return new Operation(cursor.since(from), "[]", List.copyOf(operands));
    }
    if (cursor.is(TokenKind.DOT)) {
      cursor.at++;
      if (!cursor.isOperator('*') && !cursor.isName()) {
        throw SyntaxException.unknown("a field expected");
      }
      cursor.at++;
      return new Operation(cursor.since(from), ".", List.of(left));
    }
    if (cursor.take("COLLATE")) {
      cursor.at = nameEnd();
      return new Operation(cursor.since(from), "COLLATE", List.of(left));
    }
    if (cursor.take("AT", "LOCAL")) {
      return new Operation(cursor.since(from), "AT LOCAL", List.of(left));
    }
    if (cursor.take("AT", "TIME", "ZONE")) {
      int zone = cursor.at;
      Expression right = postfix(zone, primary());
      return new Operation(cursor.since(from), "AT TIME ZONE", List.of(left, right));
    }
    return left;
  }

  private int nameEnd() {
    int end = tokens.nameEnd(cursor.at);
    if (end == cursor.at || end > cursor.to) {
      throw SyntaxException.unknown("a name expected");
    }
    return end;
  }

  private Expression primary() {
    int from = cursor.at;
    if (cursor.atEnd()) {
      throw SyntaxException.unknown("an expression expected");
    }
    switch (tokens.kind(from)) {
      case STRING, NUMBER -> {
        cursor.at++;
        while (cursor.is(TokenKind.STRING) && tokens.is(from, TokenKind.STRING)) {
          cursor.at++;
        }
        return new Literal(cursor.since(from));
      }
      case PARAMETER, NUMBERED_PARAMETER, NAMED_PARAMETER -> {
        cursor.at++;
        return new Parameter(cursor.since(from));
      }
      case VARIABLE -> {
        cursor.at++;
        return new Variable(cursor.since(from));
      }
      case OPEN -> {
        return tokens.isOpen(from) ? parentheses() : brackets();
      }
      case OPERATOR -> {
        if (cursor.isOperator('*')) {
          cursor.at++;
          return new Star(cursor.since(from), List.of());
        }
        throw SyntaxException.unknown("an operator without its operand");
      }
      case WORD -> {
        return wordOrName();
      }
      case QUOTED -> {
        return nameOrCall();
      }
      default -> throw SyntaxException.unknown("an expression expected");
    }
  }

  /** True if all that stands in parentheses is a query. */
  boolean isQuery(int open) {
    int close = tokens.partner(open);
    return tokens.isOpen(open)
        && cursor.startsQuery(open + 1, close)
        && isWholeQuery(open + 1, close);
  }

  /**
   * Distinguishes {@code ((SELECT …))} and {@code ((SELECT …) UNION …)} from {@code ((SELECT …) +
   * 1)} and {@code ((SELECT …) x JOIN …)}.
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

  /** A query or a list of values in parentheses; opaque if it is neither. */
  Expression parentheses() {
    int open = cursor.at;
    if (isQuery(open)) {
      return subquery(false, open);
    }
    return recovering(
        open,
        () -> {
          List<Expression> items = cursor.within(() -> list(i -> false));
          return new Tuple(cursor.since(open), items);
        });
  }

  private Expression recovering(int open, Supplier<Expression> content) {
    Cursor.Mark mark = cursor.mark();
    try {
      return content.get();
    } catch (SyntaxException e) {
      e.throwIfFinal();
      cursor.reset(mark);
      cursor.at = tokens.partner(open) + 1;
      return opaque(new Span(open, cursor.at));
    }
  }

  /** At the parenthesis of a query. */
  private Subquery subquery(boolean exists, int from) {
    int open = cursor.at;
    Cursor.Mark mark = cursor.mark();
    Query query;
    try {
      query = cursor.within(queries);
    } catch (SyntaxException e) {
      e.throwIfFinal();
      cursor.reset(mark);
      cursor.at = tokens.partner(open) + 1;
      query = Query.opaque(new Span(open + 1, tokens.partner(open)), e);
    }
    return new Subquery(cursor.since(from), query, exists);
  }

  /** JDBC's escapes: <code>{fn f(a)}</code>, <code>{d '2020-01-01'}</code>. */
  private Expression brackets() {
    int open = cursor.at;
    return recovering(
        open,
        () -> {
          List<Expression> items =
              cursor.within(
                  () -> {
                    cursor.takeAny("FN", "D", "T", "TS");
                    return list(i -> false);
                  });
          return new Tuple(cursor.since(open), items);
        });
  }

  private Expression wordOrName() {
    int from = cursor.at;
    String word = tokens.text(from).toUpperCase(Locale.ROOT);
    boolean called = from + 1 < cursor.to && tokens.isOpen(from + 1);
    if (tokens.is(from + 1, TokenKind.DOT)) {
      return nameOrCall();
    }
    if (RESERVED.contains(word)) {
      throw SyntaxException.unknown("an expression expected");
    }
    if (CONSTANTS.contains(word) && !called) {
      cursor.at++;
      return new Literal(cursor.since(from));
    }
    if (word.equals("CASE")) {
      return caseExpression();
    }
    if (called && Set.of("EXISTS", "ANY", "SOME", "ALL", "ARRAY", "ROW").contains(word)) {
      return quantified(word);
    }
    if (word.equals("ARRAY") && tokens.is(from + 1, TokenKind.OPEN) && from + 1 < cursor.to) {
      cursor.at++;
      return new Tuple(cursor.since(from).upTo(tokens.partner(cursor.at) + 1), array());
    }
    if (called && (word.equals("CAST") || word.equals("TRY_CAST"))) {
      return cast();
    }
    if (word.equals("INTERVAL") && !tokens.is(from + 1, TokenKind.COMMA)) {
      return interval();
    }
    return isTyped(word) ? typedLiteral() : nameOrCall();
  }

  private List<Expression> array() {
    return cursor.within(
        () -> {
          List<Expression> items = new ArrayList<>();
          while (!cursor.atEnd()) {
            if (cursor.is(TokenKind.OPEN) && tokens.charAt(cursor.at) == '[') {
              int from = cursor.at;
              List<Expression> inner = array();
              items.add(new Tuple(cursor.since(from), inner));
            } else {
              items.add(expression(i -> tokens.is(i, TokenKind.COMMA)));
            }
            if (!cursor.take(TokenKind.COMMA)) {
              break;
            }
          }
          return List.copyOf(items);
        });
  }

  /** EXISTS, ANY, ALL, ARRAY, ROW with their parentheses. */
  private Expression quantified(String word) {
    int from = cursor.at++;
    if (isQuery(cursor.at)) {
      return subquery(word.equals("EXISTS"), from);
    }
    int open = cursor.at;
    return recovering(
        open,
        () -> {
          List<Expression> items = cursor.within(() -> list(i -> false));
          return new Tuple(cursor.since(from), items);
        });
  }

  private Expression cast() {
    int from = cursor.at++;
    int open = cursor.at;
    String name = tokens.text(from);
    return recovering(
        open,
        () -> {
          List<Expression> parts =
              cursor.within(
                  () -> {
                    Expression value = expression(i -> tokens.isWord(i, "AS"));
                    cursor.expect("AS");
                    return List.of(value, restAsType());
                  });
          return new Call(cursor.since(from), List.of(name), open, parts, false, false);
        });
  }

  private Type restAsType() {
    int from = cursor.at;
    cursor.at = cursor.to;
    return new Type(cursor.since(from));
  }

  /** {@code INTERVAL '1' DAY}, {@code INTERVAL 1 + 1 DAY}, and the function of that name. */
  private Expression interval() {
    int from = cursor.at++;
    if (cursor.atEnd()
        || (!cursor.is(TokenKind.STRING) && !cursor.has(Syntax.INTERVAL_EXPRESSIONS))) {
      cursor.at = from;
      return nameOrCall();
    }
    Expression value = operators();
    boolean unit = false;
    while (isIntervalUnit(cursor.at)) {
      unit = true;
      cursor.at++;
      if (cursor.isOpen()) {
        cursor.skipBrackets("digits");
      }
      if (cursor.isWord("TO") && isIntervalUnit(cursor.at + 1)) {
        cursor.at++;
      }
    }
    if (!unit && value instanceof Tuple tuple) {
      return new Call(
          cursor.since(from), List.of(tokens.text(from)), from + 1, tuple.items(), false, false);
    }
    return new Operation(cursor.since(from), "INTERVAL", List.of(value));
  }

  private boolean isIntervalUnit(int i) {
    return i < cursor.to
        && tokens.is(i, TokenKind.WORD)
        && tokens
            .text(i)
            .toUpperCase(Locale.ROOT)
            .matches("(YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MICROSECOND)(_[A-Z]+)?");
  }

  /** True if a type's name stands in front of a string: the literal of that type. */
  private boolean isTyped(String word) {
    int i = cursor.at + 1;
    if (!cursor.has(Syntax.TYPED_LITERALS)) {
      return tokens.is(i, TokenKind.STRING)
          && i < cursor.to
          && cursor.has(Syntax.DATE_LITERALS)
          && (DATE_TYPES.contains(word) || word.startsWith("_") || word.equals("N"));
    }
    if (tokens.areWords(i, "WITH", "TIME", "ZONE")
        || tokens.areWords(i, "WITHOUT", "TIME", "ZONE")) {
      i += 3;
    } else if (tokens.isWord(i, "PRECISION") || tokens.isWord(i, "VARYING")) {
      i++;
    }
    if (tokens.isOpen(i) && tokens.is(tokens.partner(i) + 1, TokenKind.STRING)) {
      return word.equals("TIMESTAMP") || word.equals("TIME") || word.equals("CHAR");
    }
    return i < cursor.to && tokens.is(i, TokenKind.STRING);
  }

  private Expression typedLiteral() {
    int from = cursor.at;
    while (!cursor.is(TokenKind.STRING)) {
      cursor.at = tokens.next(cursor.at);
    }
    while (cursor.is(TokenKind.STRING)) {
      cursor.at++;
    }
    return new Literal(cursor.since(from));
  }

  private Expression caseExpression() {
    int from = cursor.at++;
    cursor.enter();
    List<Expression> parts = new ArrayList<>();
    if (!cursor.isWord("WHEN")) {
      parts.add(or());
    }
    while (cursor.take("WHEN")) {
      parts.add(or());
      cursor.expect("THEN");
      parts.add(or());
    }
    if (cursor.take("ELSE")) {
      parts.add(or());
    }
    cursor.expect("END");
    cursor.leave();
    return new Case(cursor.since(from), List.copyOf(parts));
  }

  /** A name, {@code t.*}, or a call. */
  private Expression nameOrCall() {
    int from = cursor.at;
    List<String> parts = new ArrayList<>();
    parts.add(cursor.name("a name"));
    while (cursor.is(TokenKind.DOT)) {
      cursor.at++;
      if (cursor.isOperator('*')) {
        cursor.at++;
        return new Star(cursor.since(from), List.copyOf(parts));
      }
      parts.add(cursor.name("a name"));
    }
    return cursor.isOpen() ? call(from, parts) : new Name(cursor.since(from), List.copyOf(parts));
  }

  private Expression call(int from, List<String> name) {
    int open = cursor.at;
    boolean distinct = tokens.isWord(open + 1, "DISTINCT");
    List<Expression> parts = new ArrayList<>(arguments(open));
    boolean window = false;
    while (!cursor.atEnd()) {
      if (cursor.isWord("FILTER") && tokens.isOpen(cursor.at + 1)) {
        parts.addAll(arguments(cursor.at + 1));
      } else if (cursor.isWord("AGAINST") && tokens.isOpen(cursor.at + 1)) {
        cursor.at++;
        parts.add(cursor.within(this::searched));
      } else if (cursor.areWords("WITHIN", "GROUP") && tokens.isOpen(cursor.at + 2)) {
        parts.addAll(arguments(cursor.at + 2));
      } else if (cursor.areWords("IGNORE", "NULLS") || cursor.areWords("RESPECT", "NULLS")) {
        cursor.at += 2;
      } else if (cursor.isWord("OVER")
          && (tokens.isOpen(cursor.at + 1) || tokens.isName(cursor.at + 1))) {
        window = true;
        cursor.at++;
        if (cursor.isOpen()) {
          parts.addAll(cursor.within(this::window));
        } else {
          cursor.at++;
        }
      } else {
        break;
      }
    }
    return new Call(
        cursor.since(from), List.copyOf(name), open, List.copyOf(parts), distinct, window);
  }

  /** What MySQL's full-text search looks for, without its mode. */
  private Expression searched() {
    Expression text = expression(i -> tokens.isAnyWord(i, "IN", "WITH"));
    cursor.at = cursor.to;
    return text;
  }

  /** What stands in a window's parentheses. */
  List<Expression> window() {
    List<Expression> parts = new ArrayList<>();
    if (cursor.isName() && !cursor.isAnyWord("PARTITION", "ORDER") && !isFrame(cursor.at)) {
      cursor.at++;
    }
    if (cursor.take("PARTITION", "BY")) {
      parts.addAll(list(i -> tokens.isWord(i, "ORDER") || isFrame(i)));
    }
    if (cursor.take("ORDER", "BY")) {
      parts.addAll(sortItems(this::isFrame));
    }
    if (!cursor.atEnd() && isFrame(cursor.at)) {
      frame(parts);
    }
    return parts;
  }

  /** {@code ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES}. */
  private void frame(List<Expression> parts) {
    cursor.at++;
    boolean between = cursor.take("BETWEEN");
    bound(parts);
    if (between) {
      cursor.expect("AND");
      bound(parts);
    }
    if (cursor.take("EXCLUDE")) {
      cursor.at = cursor.to;
    }
  }

  private void bound(List<Expression> parts) {
    if (cursor.take("CURRENT", "ROW")) {
      return;
    }
    if (!cursor.take("UNBOUNDED")) {
      parts.add(operators());
    }
    if (!cursor.takeAny("PRECEDING", "FOLLOWING")) {
      throw SyntaxException.unknown("the bound of a frame expected");
    }
  }

  private boolean isFrame(int i) {
    return tokens.is(i, TokenKind.WORD) && FRAMES.contains(tokens.text(i).toUpperCase(Locale.ROOT));
  }

  /** What stands in the parentheses of a call, the words between its values skipped. */
  List<Expression> arguments(int open) {
    cursor.at = open;
    boolean converts = cursor.has(Syntax.CONVERT_USING) && tokens.isWord(open - 1, "CONVERT");
    if (isQuery(open)) {
      return List.of(subquery(false, open));
    }
    List<Expression> parts = new ArrayList<>();
    cursor.within(
        () -> {
          while (!cursor.atEnd()) {
            if (cursor.take(TokenKind.COMMA)) {
              if (converts) {
                parts.add(restAsType());
              }
            } else if (isBetweenArguments(cursor.at)) {
              cursor.at++;
            } else if (cursor.take("ORDER", "BY")) {
              parts.addAll(sortItems(this::isBetweenArguments));
            } else if (cursor.take("WHERE")) {
              parts.add(expression(i -> false));
            } else {
              parts.add(
                  expression(
                      i ->
                          tokens.is(i, TokenKind.COMMA)
                              || isBetweenArguments(i)
                              || tokens.areWords(i, "ORDER", "BY")));
            }
          }
          return parts;
        });
    return parts;
  }

  private boolean isBetweenArguments(int i) {
    if (!tokens.is(i, TokenKind.WORD) || i + 1 >= cursor.to) {
      return false;
    }
    String word = tokens.text(i).toUpperCase(Locale.ROOT);
    boolean value =
        tokens.is(i + 1, TokenKind.DOT)
            || tokens.is(i + 1, TokenKind.COMMA)
            || tokens.is(i + 1, TokenKind.OPERATOR) && !tokens.isOperator(i + 1, '-');
    return !value
        && (BETWEEN_ARGUMENTS.contains(word)
            || (TRIM_WORDS.contains(word) && !tokens.isOpen(i + 1)));
  }

  /** The name of a type, as behind {@code ::}. */
  private Type type() {
    int from = cursor.at;
    cursor.at = nameEnd();
    if (cursor.isAnyWord("PRECISION", "VARYING")) {
      cursor.at++;
    }
    if (cursor.isOpen()) {
      cursor.skipBrackets("digits");
    }
    if (cursor.areWords("WITH", "TIME", "ZONE") || cursor.areWords("WITHOUT", "TIME", "ZONE")) {
      cursor.at += 3;
    }
    while (cursor.is(TokenKind.OPEN) && tokens.charAt(cursor.at) == '[') {
      cursor.skipBrackets("an array");
    }
    return new Type(cursor.since(from));
  }

  private record Operator(String text, int tokens) {}

  private String operatorText(int i) {
    return tokens.is(i, TokenKind.OPERATOR) ? operatorAt(i).text() : "";
  }

  /** The operator that begins at a token, as the DBMS's lexer joins its characters. */
  private Operator operatorAt(int i) {
    if (tokens.end(i) - tokens.start(i) > 1) {
      return new Operator(tokens.text(i), 1);
    }
    int end = i + 1;
    while (end < cursor.to
        && tokens.is(end, TokenKind.OPERATOR)
        && tokens.end(end) - tokens.start(end) == 1
        && tokens.start(end) == tokens.end(end - 1)) {
      end++;
    }
    String run = tokens.text().substring(tokens.start(i), tokens.end(end - 1));
    int length =
        cursor.has(Syntax.ANY_OPERATOR)
            ? postgresLength(run)
            : LONG_OPERATORS.stream()
                .filter(run::startsWith)
                .findFirst()
                .map(String::length)
                .orElse(1);
    return new Operator(run.substring(0, length), length);
  }

  /** PostgreSQL's lexical rule for operators (documentation, 4.1.3). */
  private static int postgresLength(String run) {
    boolean keepsSign = run.chars().anyMatch(c -> SIGN_KEEPERS.indexOf(c) >= 0);
    int length = run.length();
    while (!keepsSign && length > 1 && "+-".indexOf(run.charAt(length - 1)) >= 0) {
      length--;
    }
    return length;
  }
}
