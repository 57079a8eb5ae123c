package io.txwatch.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Text for a terminal: escaped, measured in cells, shortened and wrapped. A cell is the width of a
 * Latin letter; an ideograph takes two, a combining mark none.
 */
public final class TerminalText {

  private static final String ELLIPSIS = " ... ";

  private TerminalText() {}

  /**
   * The text on one line, without anything that a terminal interprets. Runs of white space become
   * one space. Control characters, terminal escapes, invisible and direction-changing characters,
   * and unpaired surrogates become Java escapes, {@code \}{@code u001b}.
   */
  public static String escape(String text) {
    StringBuilder out = new StringBuilder(text.length());
    boolean space = false;
    for (int i = 0, c; i < text.length(); i += Character.charCount(c)) {
      c = text.codePointAt(i);
      if (isSpace(c)) {
        space = true;
        continue;
      }
      if (space && !out.isEmpty()) {
        out.append(' ');
      }
      space = false;
      if (isPrintable(c)) {
        out.appendCodePoint(c);
      } else {
        for (char unit : Character.toChars(c)) {
          out.append(String.format("\\u%04x", (int) unit));
        }
      }
    }
    return out.toString();
  }

  private static boolean isSpace(int c) {
    return c == '\t'
        || c == '\n'
        || c == '\r'
        || c == '\f'
        || Character.getType(c) == Character.SPACE_SEPARATOR;
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  /** The width of an escaped text, in cells. */
  static int width(String text) {
    return text.codePoints().map(TerminalText::width).sum();
  }

  private static int width(int c) {
    if (c < 0x300) {
      return 1;
    }
    int type = Character.getType(c);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    boolean wide =
        c >= 0x1100 && c <= 0x115f
            || c >= 0x2e80 && c <= 0xa4cf && c != 0x303f
            || c >= 0xac00 && c <= 0xd7a3
            || c >= 0xf900 && c <= 0xfaff
            || c >= 0xfe30 && c <= 0xfe6f
            || c >= 0xff00 && c <= 0xff60
            || c >= 0xffe0 && c <= 0xffe6
            || c >= 0x1f300 && c <= 0x1f64f
            || c >= 0x1f900 && c <= 0x1f9ff
            || c >= 0x20000;
    return wide ? 2 : 1;
  }

  /**
   * The text in at most {@code max} cells. Characters are omitted from the middle, since the start
   * of a statement shows what it does and the end to which rows.
   */
  public static String shorten(String text, int max) {
    if (width(text) <= max) {
      return text;
    }
    int room = Math.max(0, max - ELLIPSIS.length());
    int tail = room * 2 / 5;
    return head(text, room - tail).stripTrailing() + ELLIPSIS + tail(text, tail).stripLeading();
  }

  private static String head(String text, int cells) {
    int end = 0;
    for (int left = cells; end < text.length(); end += Character.charCount(text.codePointAt(end))) {
      left -= width(text.codePointAt(end));
      if (left < 0) {
        break;
      }
    }
    return text.substring(0, end);
  }

  private static String tail(String text, int cells) {
    int start = text.length();
    for (int left = cells; start > 0; ) {
      int c = text.codePointBefore(start);
      left -= width(c);
      if (left < 0) {
        break;
      }
      start -= Character.charCount(c);
    }
    return text.substring(start);
  }

  /** The text in lines of at most {@code max} cells, broken at spaces where possible. */
  public static List<String> wrap(String text, int max) {
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (width(rest) > max) {
      String fits = head(rest, max);
      // An ideograph wider than a very narrow column is accepted.
      int end = fits.isEmpty() ? Character.charCount(rest.codePointAt(0)) : fits.length();
      int space = rest.charAt(end) == ' ' ? end : fits.lastIndexOf(' ');
      int cut = space > 0 ? space : end;
      lines.add(rest.substring(0, cut).stripTrailing());
      rest = rest.substring(cut).stripLeading();
    }
    if (!rest.isEmpty() || lines.isEmpty()) {
      lines.add(rest);
    }
    return lines;
  }

  /** The text, padded with spaces to {@code width} cells. */
  static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - width(text)));
  }
}
