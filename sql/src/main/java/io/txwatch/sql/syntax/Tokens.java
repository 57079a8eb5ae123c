package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The tokens of one text: kinds and offsets in arrays, reusable, in two views. The tokens tile the
 * text, so joining them gives it back. The <em>significant</em> ones, without blanks and comments,
 * are what grammar is about; everything outside the tokenizer counts those.
 */
public final class Tokens {

  /** Digits of an integer of 32 bits, whichever it is. */
  private static final int SHORT_INTEGER = 9;

  private String text = "";
  private int count;
  private byte[] kinds = new byte[64];
  private int[] starts = new int[65];
  private int significantCount;
  private int[] significant = new int[64];
  private int[] partners = new int[64];
  private boolean broken;
  private boolean backslashBeforeQuote;

  void reset(String newText) {
    text = newText;
    count = 0;
    significantCount = 0;
    broken = false;
    backslashBeforeQuote = false;
  }

  void add(TokenKind kind, int start, int end) {
    if (count == kinds.length) {
      kinds = Arrays.copyOf(kinds, count * 2);
      starts = Arrays.copyOf(starts, count * 2 + 1);
      significant = Arrays.copyOf(significant, count * 2);
    }
    kinds[count] = (byte) kind.ordinal();
    starts[count] = start;
    starts[count + 1] = end;
    if (kind != TokenKind.WHITESPACE && kind != TokenKind.COMMENT) {
      significant[significantCount++] = count;
    }
    broken |= kind == TokenKind.BROKEN;
    count++;
  }

  void noteBackslashBeforeQuote() {
    backslashBeforeQuote = true;
  }

  /** Finds the partner of each bracket; one without a partner makes the text broken. */
  void pairBrackets() {
    if (partners.length < significantCount) {
      partners = new int[significant.length];
    }
    int open = -1;
    for (int i = 0; i < significantCount; i++) {
      TokenKind kind = kind(i);
      if (kind == TokenKind.OPEN) {
        partners[i] = open;
        open = i;
      } else if (kind == TokenKind.CLOSE) {
        if (open < 0 || closing(charAt(open)) != charAt(i)) {
          broken = true;
          partners[i] = i;
        } else {
          int enclosing = partners[open];
          partners[open] = i;
          partners[i] = open;
          open = enclosing;
        }
      } else {
        partners[i] = i;
      }
    }
    while (open >= 0) {
      broken = true;
      int enclosing = partners[open];
      partners[open] = open;
      open = enclosing;
    }
  }

  private static char closing(char open) {
    return switch (open) {
      case '(' -> ')';
      case '[' -> ']';
      default -> '}';
    };
  }

  /** The text. */
  public String text() {
    return text;
  }

  /** How many tokens there are, blanks and comments included. */
  public int allCount() {
    return count;
  }

  /** The kind of a token, blanks and comments counted. */
  public TokenKind kindOfAll(int index) {
    return TokenKind.of(kinds[index]);
  }

  /** Where a token starts, blanks and comments counted. */
  public int startOfAll(int index) {
    return starts[index];
  }

  /** Where a token ends, blanks and comments counted. */
  public int endOfAll(int index) {
    return starts[index + 1];
  }

  /** True if a literal or comment has no end, or brackets do not match. */
  public boolean isBroken() {
    return broken;
  }

  /**
   * True if a backslash stands before a quote in a string, where a setting of the server decides
   * whether it escapes it.
   */
  public boolean hasBackslashBeforeQuote() {
    return backslashBeforeQuote;
  }

  /** How many significant tokens there are. */
  public int count() {
    return significantCount;
  }

  /** The kind of a significant token. */
  public TokenKind kind(int i) {
    return TokenKind.of(kinds[significant[i]]);
  }

  /** True if a significant token is there and of a kind. */
  public boolean is(int i, TokenKind kind) {
    return i >= 0 && i < significantCount && kinds[significant[i]] == kind.ordinal();
  }

  /** The offset in the text at which a significant token starts. */
  public int start(int i) {
    return starts[significant[i]];
  }

  /** The offset in the text after a significant token. */
  public int end(int i) {
    return starts[significant[i] + 1];
  }

  /** The first character of a significant token. */
  public char charAt(int i) {
    return text.charAt(start(i));
  }

  /** The text of a significant token. */
  public String text(int i) {
    return text.substring(start(i), end(i));
  }

  /** The name that a significant token is, {@linkplain Identifiers#fold folded}. */
  public String folded(int i) {
    return Identifiers.fold(text(i));
  }

  /** True if a significant token is there and is that keyword, in any case. */
  public boolean isWord(int i, String word) {
    return is(i, TokenKind.WORD)
        && end(i) - start(i) == word.length()
        && text.regionMatches(true, start(i), word, 0, word.length());
  }

  /** True if a significant token is one of those keywords. */
  public boolean isAnyWord(int i, String... words) {
    for (String word : words) {
      if (isWord(i, word)) {
        return true;
      }
    }
    return false;
  }

  /** True if one of those keywords stands between two significant tokens. */
  public boolean hasAnyWord(int from, int to, String... words) {
    for (int i = from; i < to; i++) {
      if (isAnyWord(i, words)) {
        return true;
      }
    }
    return false;
  }

  /** True if these keywords follow each other from a significant token on. */
  public boolean areWords(int i, String... words) {
    for (int k = 0; k < words.length; k++) {
      if (!isWord(i + k, words[k])) {
        return false;
      }
    }
    return true;
  }

  /** True if a significant token is this operator character. */
  public boolean isOperator(int i, char operator) {
    return is(i, TokenKind.OPERATOR) && end(i) - start(i) == 1 && charAt(i) == operator;
  }

  /** True if a significant token is an opening parenthesis. */
  public boolean isOpen(int i) {
    return is(i, TokenKind.OPEN) && charAt(i) == '(';
  }

  /** True if a significant token can be an identifier. */
  public boolean isName(int i) {
    return is(i, TokenKind.WORD) || is(i, TokenKind.QUOTED);
  }

  /** The token after a name with its qualifiers; {@code from} if there is none. */
  public int nameEnd(int from) {
    int end = from;
    while (isName(end)) {
      end++;
      if (!is(end, TokenKind.DOT)) {
        return end;
      }
      end++;
    }
    return from;
  }

  /** True if a stretch is one integer, of so few digits that any column of numbers takes it. */
  public boolean isShortInteger(int from, int to) {
    return to == from + 1
        && is(from, TokenKind.NUMBER)
        && end(from) - start(from) <= SHORT_INTEGER
        && text(from).chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** The stretches between the commas of a list, those within brackets left alone. */
  public List<Span> items(int from, int to) {
    List<Span> items = new ArrayList<>();
    int start = from;
    for (int i = from; i < to; i = next(i)) {
      if (is(i, TokenKind.COMMA)) {
        items.add(new Span(start, i));
        start = i + 1;
      }
    }
    if (from < to) {
      items.add(new Span(start, to));
    }
    return items;
  }

  /** The bracket that belongs to this one; the token itself if it is none. */
  public int partner(int i) {
    return partners[i];
  }

  /** The significant token after this one, or after its closing bracket if it is an opening one. */
  public int next(int i) {
    return kinds[significant[i]] == TokenKind.OPEN.ordinal() ? partners[i] + 1 : i + 1;
  }
}
