package io.txwatch.sql.syntax;

import java.util.Locale;

/** Names as they stand in SQL, with or without quotes. */
public final class Identifiers {

  private Identifiers() {}

  /** A name without its quotes, in lower case: for comparing what the DBMS may think equal. */
  public static String fold(String name) {
    return unquote(name).toLowerCase(Locale.ROOT);
  }

  /** A name without its quotes. */
  public static String unquote(String name) {
    if (name.length() < 2) {
      return name;
    }
    char first = name.charAt(0);
    if (first == '[') {
      return name.substring(1, name.length() - 1);
    }
    if (first != '"' && first != '`') {
      return name;
    }
    String quote = String.valueOf(first);
    return name.substring(1, name.length() - 1).replace(quote + quote, quote);
  }
}
