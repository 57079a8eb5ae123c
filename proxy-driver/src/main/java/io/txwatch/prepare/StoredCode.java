package io.txwatch.prepare;

import java.util.Locale;
import java.util.Set;
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

  /** The word before a mention, and the schema if it is named. */
  private static final Pattern BEFORE =
      Pattern.compile(
          "(?i)([a-z_]*)" + GAP + "(?:(?:[\\w$]+|\"[^\"]+\")" + GAP + "\\." + GAP + ")?$");

  private static final Pattern AFTER =
      Pattern.compile("(?i)^" + GAP + "(?:(\\.)|(?:as\\b" + GAP + ")?([a-z_][\\w$]*|\"[^\"]+\")?)");

  /** After these a table's name means the table, and no value of its row type. */
  private static final Set<String> BEFORE_TABLES =
      Set.of("from", "join", "into", "update", "only", "using");

  /** Words after a table's name that are no alias of it. */
  private static final Set<String> NO_ALIAS =
      Set.of(
          "",
          "as",
          "cross",
          "default",
          "do",
          "end",
          "except",
          "exception",
          "fetch",
          "for",
          "full",
          "group",
          "having",
          "if",
          "inner",
          "intersect",
          "into",
          "join",
          "left",
          "limit",
          "loop",
          "natural",
          "offset",
          "on",
          "order",
          "overriding",
          "returning",
          "right",
          "select",
          "set",
          "tablesample",
          "then",
          "union",
          "using",
          "values",
          "when",
          "where",
          "window",
          "with");

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

  /** True if the text names the table and may see how many columns its rows have. */
  static boolean mayUseWholeRows(String code, String table) {
    if (!names(code, table)) {
      return false;
    }
    if (hasStar(code)) {
      return true;
    }
    Matcher mention = mentions(code, table);
    while (mention.find()) {
      Matcher after = AFTER.matcher(code.substring(mention.end()));
      boolean isQualifier = after.find() && after.group(1) != null;
      if (isQualifier) {
        continue;
      }
      Matcher before = BEFORE.matcher(code.substring(0, mention.start()));
      if (!before.find() || !BEFORE_TABLES.contains(before.group(1).toLowerCase(Locale.ROOT))) {
        return true;
      }
      String alias = after.group(2) == null ? "" : after.group(2);
      if (!NO_ALIAS.contains(alias.toLowerCase(Locale.ROOT)) && isUsedWhole(code, alias)) {
        return true;
      }
    }
    return false;
  }

  /** True if an alias stands more often without a column than it is defined. */
  private static boolean isUsedWhole(String code, String alias) {
    Matcher use =
        Pattern.compile(
                "(?i)(?<![\\w$.\"])" + Pattern.quote(alias) + "(?![\\w$\"])(?!" + GAP + "\\.)")
            .matcher(code);
    int alone = 0;
    while (use.find()) {
      alone++;
    }
    return alone > 1;
  }

  private static Matcher mentions(String code, String table) {
    return Pattern.compile("(?i)" + quotedOrNot(table)).matcher(code);
  }

  private static String quotedOrNot(String name) {
    return "(?<![\\w$])[\"`\\[]?" + Pattern.quote(name) + "[\"`\\]]?(?![\\w$])";
  }
}
