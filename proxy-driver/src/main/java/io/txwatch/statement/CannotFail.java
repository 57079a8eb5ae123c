package io.txwatch.statement;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Set;

/**
 * Whether a stretch of SQL can be evaluated within the application's own statement once more, on
 * rows that the statement itself might not have come to, without an error or a warning: it compares
 * columns, literals and parameters, and calls what takes every value. What is not known may fail.
 *
 * <p>Arithmetic may, unless it has a result whatever the operands are. A subquery that stands for
 * one value may have two. MySQL and MariaDB warn where a text is compared with a number: there both
 * sides of a comparison must be of one kind, as far as the catalog knows them, which it does not
 * for a parameter.
 */
public final class CannotFail {

  private static final Set<String> WORDS =
      Set.of(
          """
          select from where and or not in exists between like is null true false case when then
          else end as on using join inner left right full outer cross natural order by group having
          asc desc nulls first last distinct all any some union intersect except with recursive
          materialized
          """
              .strip()
              .split("\\s+"));

  private static final Set<String> FUNCTIONS =
      Set.of("coalesce", "nullif", "upper", "lower", "count", "min", "max", "char_length");

  /** What an operand is, as far as comparing goes. */
  private enum Kind {
    NUMBER,
    TEXT,
    UNKNOWN
  }

  private final AnalyzedStatement statement;
  private final Tokens tokens;

  /** True if a comparison of two kinds shows. */
  private final boolean warns;

  private CannotFail(AnalyzedStatement statement) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.warns = statement.sql().warnsOfComparisons();
  }

  /** True if it cannot. */
  public static boolean holds(AnalyzedStatement statement, Span at) {
    CannotFail check = new CannotFail(statement);
    for (int i = at.from(); i < at.to(); i++) {
      if (!check.isKnown(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean isKnown(int i) {
    return switch (tokens.kind(i)) {
      case COMMA, DOT, CLOSE, NUMBER, STRING -> true;
      case PARAMETER -> !warns;
      case OPEN -> tokens.charAt(i) == '(' && !isUnknownCall(i) && !isValueOfSeveral(i);
      case OPERATOR -> isKnownOperator(i);
      case QUOTED -> tokens.charAt(i) != '"' || !warns;
      case WORD -> isKnownWord(i);
      default -> false;
    };
  }

  private boolean isKnownWord(int i) {
    int operand = i - (tokens.isWord(i - 1, "NOT") ? 2 : 1);
    return switch (tokens.text(i).toLowerCase(Locale.ROOT)) {
      case "like" ->
          tokens.is(i + 1, TokenKind.STRING)
              && tokens.text(i + 1).indexOf('\\') < 0
              && !tokens.isWord(i + 2, "ESCAPE")
              && (!warns || kindTo(operand) == Kind.TEXT);
      case "in" -> !warns || areOfKind(i + 1, kindTo(operand));
      case "between" ->
          !warns
              || (tokens.isWord(i + 2, "AND")
                  && isSame(kindTo(operand), kindFrom(i + 1))
                  && isSame(kindTo(operand), kindFrom(i + 3)));
      case "case" -> !warns;
      // date '2000-01-01': a literal of a type of its own
      default -> isKeyword(i) || !tokens.is(i + 1, TokenKind.STRING);
    };
  }

  private boolean isKeyword(int i) {
    return tokens.is(i, TokenKind.WORD) && WORDS.contains(tokens.text(i).toLowerCase(Locale.ROOT));
  }

  /** True if a parenthesis is that of a call of a function that may fail. */
  private boolean isUnknownCall(int open) {
    int name = open - 1;
    if (!tokens.isName(name) || isKeyword(name)) {
      return false;
    }
    boolean known =
        tokens.is(name, TokenKind.WORD)
            && !tokens.is(name - 1, TokenKind.DOT)
            && FUNCTIONS.contains(tokens.text(name).toLowerCase(Locale.ROOT));
    boolean cte =
        statement.parts().declares(tokens.folded(name))
            && (tokens.isAnyWord(name - 1, "WITH", "RECURSIVE")
                || tokens.is(name - 1, TokenKind.COMMA));
    return !known && !cte;
  }

  /** True if a parenthesis holds a query that stands for a value, and may have several rows. */
  private boolean isValueOfSeveral(int open) {
    if (!tokens.isAnyWord(open + 1, "SELECT", "WITH", "TABLE", "VALUES")
        || tokens.isAnyWord(open - 1, "IN", "EXISTS", "ANY", "SOME", "ALL", "AS", "MATERIALIZED")) {
      return false;
    }
    for (Block block : statement.parts().blocks()) {
      boolean derived =
          block.others().stream()
              .anyMatch(source -> source instanceof Source.Derived query && query.open() == open);
      boolean one = block.start() == open + 1 && (block.role() != Role.NESTED || isOneRow(block));
      if (derived || one) {
        return false;
      }
    }
    return true;
  }

  /** {@code select max(…) from …}: an aggregate without groups. */
  private boolean isOneRow(Block block) {
    int first = block.list().from();
    return block.alone()
        && !block.has(Clause.Kind.GROUP_BY)
        && tokens.isAnyWord(first, "COUNT", "MIN", "MAX")
        && tokens.isOpen(first + 1)
        && !ScalarFunctions.isWindow(tokens, first + 1);
  }

  // ---------------------------------------------------------------- operators

  private boolean isKnownOperator(int i) {
    return switch (tokens.text(i)) {
      case "=", "<", ">", "!" -> !warns || isComparedWithItsKind(i);
      case "|" -> !warns && (tokens.isOperator(i + 1, '|') || tokens.isOperator(i - 1, '|'));
      case "*" -> isStar(i);
      case "-" -> isSign(i);
      default -> false;
    };
  }

  private boolean isStar(int i) {
    return tokens.is(i - 1, TokenKind.DOT)
        || tokens.isOpen(i - 1)
        || statement.parts().blocks().stream()
            .flatMap(block -> block.stars().stream())
            .anyMatch(star -> star.span().to() == i + 1);
  }

  private boolean isSign(int i) {
    boolean operand =
        tokens.is(i - 1, TokenKind.NUMBER)
            || tokens.is(i - 1, TokenKind.CLOSE)
            || tokens.is(i - 1, TokenKind.PARAMETER)
            || tokens.is(i - 1, TokenKind.STRING)
            || (tokens.isName(i - 1) && !isKeyword(i - 1));
    return !operand && tokens.is(i + 1, TokenKind.NUMBER);
  }

  // ---------------------------------------------------------------- kinds of operands

  private boolean isComparedWithItsKind(int i) {
    int left = i - 1;
    int right = i + 1;
    while (tokens.is(left, TokenKind.OPERATOR)) {
      left--;
    }
    while (tokens.is(right, TokenKind.OPERATOR)) {
      right++;
    }
    return isSame(kindTo(left), kindFrom(right));
  }

  private static boolean isSame(Kind one, Kind other) {
    return one == other && one != Kind.UNKNOWN;
  }

  /** True if all that stands in a parenthesis behind IN is of a kind. */
  private boolean areOfKind(int open, Kind kind) {
    if (tokens.isWord(open + 1, "SELECT")) {
      return isSame(kind, kindFrom(open));
    }
    int close = tokens.partner(open);
    for (int i = open + 1; i < close; i++) {
      if (!tokens.is(i, TokenKind.COMMA) && !isSame(kind, kindFrom(i))) {
        return false;
      }
    }
    return true;
  }

  /** What the operand is that ends with a token. */
  private Kind kindTo(int last) {
    if (tokens.is(last, TokenKind.CLOSE)) {
      int open = tokens.partner(last);
      boolean call = tokens.isName(open - 1) && !isKeyword(open - 1);
      return kindFrom(call ? open - 1 : open);
    }
    int first = last;
    while (tokens.isName(first) && tokens.is(first - 1, TokenKind.DOT)) {
      first -= 2;
    }
    return kindFrom(first);
  }

  /** What the operand is that begins with a token. */
  private Kind kindFrom(int i) {
    if (tokens.is(i, TokenKind.NUMBER)) {
      return Kind.NUMBER;
    }
    if (tokens.is(i, TokenKind.STRING)) {
      return Kind.TEXT;
    }
    if (tokens.isOpen(i) && tokens.isWord(i + 1, "SELECT")) {
      return statement.parts().blocks().stream()
          .filter(block -> block.start() == i + 1 && block.items().size() == 1)
          .map(block -> kindFrom(block.list().from()))
          .findFirst()
          .orElse(Kind.UNKNOWN);
    }
    if (tokens.isAnyWord(i, "ANY", "SOME", "ALL")) {
      return kindFrom(i + 1);
    }
    int last = i;
    while (tokens.isName(last) && tokens.is(last + 1, TokenKind.DOT)) {
      last += 2;
    }
    if (!tokens.isName(last)) {
      return Kind.UNKNOWN;
    }
    return tokens.isOpen(last + 1) ? kindOfCall(last) : kindOfColumn(tokens.folded(last));
  }

  private Kind kindOfCall(int name) {
    return switch (tokens.text(name).toLowerCase(Locale.ROOT)) {
      case "upper", "lower" -> Kind.TEXT;
      case "count", "char_length" -> Kind.NUMBER;
      case "min", "max", "abs" -> kindFrom(name + 2);
      case "coalesce", "nullif" -> {
        Kind first = kindFrom(name + 2);
        int last = tokens.partner(name + 1) - 1;
        yield isSame(first, kindTo(last)) ? first : Kind.UNKNOWN;
      }
      default -> Kind.UNKNOWN;
    };
  }

  /** By the types of all columns of that name in the statement: they must be of one kind. */
  private Kind kindOfColumn(String name) {
    Kind found = Kind.UNKNOWN;
    for (Source.Table table : statement.parts().references()) {
      String type =
          statement
              .tables()
              .find(table)
              .map(t -> t.traits().types().getOrDefault(name, ""))
              .orElse("");
      if (!type.isEmpty()) {
        Kind kind = kindOfType(type.replaceAll("[^a-z].*", ""));
        if (found != Kind.UNKNOWN && found != kind) {
          return Kind.UNKNOWN;
        }
        found = kind;
      }
    }
    return found;
  }

  private static Kind kindOfType(String base) {
    return switch (base) {
      case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "double", "float" ->
          Kind.NUMBER;
      case "char", "varchar", "text", "tinytext", "mediumtext", "longtext" -> Kind.TEXT;
      default -> Kind.UNKNOWN;
    };
  }
}
