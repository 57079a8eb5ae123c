package io.txwatch.prepare;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the text of a function, trigger or view may do with a table's rows. Such text is not parsed:
 * it is searched, and what is not plainly column by column counts as a use of whole rows.
 */
final class StoredCode {

  /** What may stand between two tokens. */
  private static final String GAP = "(?:\\s|--[^\\n]*(?:\\n|$)|/\\*(?s:.*?)\\*/)*";

  /** A star that stands for columns, which a product's or {@code count(*)}'s does not. */
  private static final Pattern STAR =
      Pattern.compile(
          "(?i)(?:\\b(?:select|distinct|all|returning)\\b|[,.])"
              + GAP
              + "\\*|\\bdistinct\\s+on\\b");

  private static final Pattern NATURAL = Pattern.compile("(?i)\\bnatural\\b");

  private StoredCode() {}

  /** True if the text names the table, in any case, quoted or not. */
  static boolean names(String code, String table) {
    return mentions(code, table).find();
  }

  /** True if the text selects columns that it does not name. */
  static boolean hasStar(String code) {
    return STAR.matcher(code).find() || NATURAL.matcher(code).find();
  }

  /** True if the table is the right side of an {@code IN}, which then wants its exact columns. */
  static boolean hasTableAfterIn(String code, String table) {
    return Pattern.compile("(?i)\\bin" + GAP + "(?:[^\\s(.]+\\.)?" + quotedOrNot(table))
        .matcher(code)
        .find();
  }

  private static Matcher mentions(String code, String table) {
    return Pattern.compile("(?i)" + quotedOrNot(table)).matcher(code);
  }

  private static String quotedOrNot(String name) {
    return "(?<![\\w$])[\"`\\[]?" + Pattern.quote(name) + "[\"`\\]]?(?![\\w$])";
  }
}
