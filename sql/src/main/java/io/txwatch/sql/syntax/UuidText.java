package io.txwatch.sql.syntax;

/** The usual text of a UUID: 32 hexadecimal digits in five groups. */
public final class UuidText {

  private static final int LENGTH = 36;

  private UuidText() {}

  /** True if a text is one. */
  public static boolean is(String text) {
    if (text.length() != LENGTH) {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      char c = text.charAt(i);
      boolean isDash = i == 8 || i == 13 || i == 18 || i == 23;
      boolean isDigit = c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
      if (isDash ? c != '-' : !isDigit) {
        return false;
      }
    }
    return true;
  }
}
