package io.txwatch.predict;

import io.txwatch.history.RecordedArray;
import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ValuePlace.Use;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement as it was executed, cut at its values.
 *
 * @param parts what stands before, between and after the values: one more than there are values
 * @param values the values, in their order
 */
public record ExecutedText(List<String> parts, List<ValuePlace> values) {

  public ExecutedText {
    parts = List.copyOf(parts);
    values = List.copyOf(values);
  }

  /**
   * Cuts a statement.
   *
   * @param sql its text
   * @param parameters the values of its parameters; one that is missing is unknown
   */
  public static ExecutedText of(String sql, List<RecordedValue> parameters, Dialect dialect) {
    return new Cutter(Tokenizer.tokenize(sql, dialect), parameters).cut();
  }

  private static final class Cutter {
    private final Tokens tokens;
    private final List<RecordedValue> parameters;
    private final List<String> parts = new ArrayList<>();
    private final List<ValuePlace> values = new ArrayList<>();
    private final boolean inserts;
    private final int set;
    private final int where;
    private int copied;

    /** What stands in the place of what is copied last. */
    private String replaced = "";

    private int parameter;

    Cutter(Tokens tokens, List<RecordedValue> parameters) {
      this.tokens = tokens;
      this.parameters = parameters;
      this.inserts = tokens.isAnyWord(0, "INSERT", "REPLACE");
      this.set = find("SET", 0);
      int end = set < 0 ? -1 : find("WHERE", set);
      this.where = end < 0 ? tokens.count() : end;
    }

    /** The first such word outside of brackets; -1 if there is none. */
    private int find(String word, int from) {
      for (int i = from; i < tokens.count(); i = tokens.next(i)) {
        if (tokens.isWord(i, word)) {
          return i;
        }
      }
      return -1;
    }

    ExecutedText cut() {
      if (!tokens.isBroken()) {
        for (int i = 0; i < tokens.count(); i++) {
          if (tokens.is(i, TokenKind.PARAMETER)) {
            RecordedValue value =
                parameter < parameters.size() ? parameters.get(parameter) : RecordedValue.UNKNOWN;
            parameter++;
            if (value.type() == RecordedValue.Type.ARRAY && isComparedWithAny(i)) {
              addElements(i, RecordedArray.of(value));
            } else {
              add(i, value, "");
            }
          } else {
            RecordedValue value = literal(i);
            if (value != null) {
              add(i, value, tokens.text(i));
            }
          }
        }
      }
      parts.add(replaced + tokens.text().substring(copied));
      return new ExecutedText(parts, values);
    }

    private @Nullable RecordedValue literal(int token) {
      return switch (Literals.kind(tokens, token)) {
        case INTEGER -> RecordedValue.of(Long.valueOf(tokens.text(token)));
        case DECIMAL -> RecordedValue.of(new BigDecimal(tokens.text(token)));
        case TEXT -> RecordedValue.of(Literals.text(tokens, token).orElseThrow());
        case OTHER -> null;
      };
    }

    private void add(int token, RecordedValue value, String literal) {
      parts.add(replaced + tokens.text().substring(copied, tokens.start(token)));
      replaced = "";
      copied = tokens.end(token);
      values.add(place(token, value, literal));
    }

    /** {@code id = ANY (?)}, which chooses the rows that {@code id IN (?, …)} does. */
    private boolean isComparedWithAny(int token) {
      return tokens.isOpen(token - 1)
          && tokens.isAnyWord(token - 2, "ANY", "SOME")
          && tokens.isOperator(token - 3, '=')
          && tokens.isName(token - 4)
          && (tokens.partner(token - 1) == token + 1 || tokens.text(token + 1).equals("::"));
    }

    /** The elements are values like those of a list. */
    private void addElements(int token, RecordedArray array) {
      if (array.elements().isEmpty()) {
        add(token, array.toValue(), "");
        return;
      }
      String before = tokens.text().substring(copied, tokens.start(token)) + array.opening();
      for (RecordedValue element : array.elements()) {
        parts.add(replaced + before);
        replaced = "";
        values.add(new ValuePlace(tokens.folded(token - 4), Use.COMPARED, element, ""));
        before = ", ";
      }
      replaced = array.closing();
      copied = tokens.end(token);
    }

    private ValuePlace place(int token, RecordedValue value, String literal) {
      if (inserts) {
        String column = inserted(token);
        if (!column.isEmpty()) {
          return new ValuePlace(column, Use.INSERTED, value, literal);
        }
      }
      int list = listOf(token);
      if (list > 0 && tokens.isName(list - 1)) {
        return new ValuePlace(tokens.folded(list - 1), Use.COMPARED, value, literal);
      }
      if (!tokens.isOperator(token - 1, '=') || !tokens.isName(token - 2)) {
        return new ValuePlace("", Use.OTHER, value, literal);
      }
      boolean isWhole = token + 1 >= tokens.count() || !tokens.is(token + 1, TokenKind.OPERATOR);
      boolean assigns = set >= 0 && token > set && token < where;
      return new ValuePlace(
          tokens.folded(token - 2),
          !isWhole ? Use.OTHER : assigns ? Use.ASSIGNED : Use.COMPARED,
          value,
          literal);
    }

    /** The word IN in front of the list that a value is an item of; 0 if there is none. */
    private int listOf(int token) {
      int i = token - 1;
      while (i > 0 && !tokens.isOpen(i)) {
        if (!tokens.is(i, TokenKind.COMMA)
            && !tokens.is(i, TokenKind.PARAMETER)
            && !tokens.is(i, TokenKind.NUMBER)
            && !tokens.is(i, TokenKind.STRING)) {
          return 0;
        }
        i--;
      }
      return i > 1 && tokens.isWord(i - 1, "IN") ? i - 1 : 0;
    }

    /** The column that a value of a row is inserted in; empty if it is not one as a whole. */
    private String inserted(int token) {
      int list = 0;
      while (list < tokens.count() && !tokens.isOpen(list)) {
        list++;
      }
      int values = list < tokens.count() ? tokens.partner(list) + 1 : 0;
      if (!tokens.isAnyWord(values, "VALUES", "VALUE")) {
        return "";
      }
      List<Span> columns = tokens.items(list + 1, values - 1);
      for (int row = values + 1; tokens.isOpen(row); row = tokens.partner(row) + 2) {
        if (token > row && token < tokens.partner(row)) {
          List<Span> items = tokens.items(row + 1, tokens.partner(row));
          for (int i = 0; i < Math.min(items.size(), columns.size()); i++) {
            if (items.get(i).from() == token && items.get(i).to() == token + 1) {
              return tokens.folded(columns.get(i).from());
            }
          }
        }
        if (!tokens.is(tokens.partner(row) + 1, TokenKind.COMMA)) {
          break;
        }
      }
      return "";
    }
  }
}
