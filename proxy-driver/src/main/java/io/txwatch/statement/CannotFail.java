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
 * one value may have two. MySQL and MariaDB warn where a text is compared with a number: there no
 * comparison is known.
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

  private final AnalyzedStatement statement;
  private final Tokens tokens;

  /** True if a comparison may warn. */
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
    return switch (tokens.text(i).toLowerCase(Locale.ROOT)) {
      case "like" ->
          !warns
              && tokens.is(i + 1, TokenKind.STRING)
              && tokens.text(i + 1).indexOf('\\') < 0
              && !tokens.isWord(i + 2, "ESCAPE");
      case "in", "between", "case" -> !warns;
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
      case "=", "<", ">", "!" -> !warns;
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
}
