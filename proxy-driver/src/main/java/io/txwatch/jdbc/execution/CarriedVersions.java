package io.txwatch.jdbc.execution;

import io.txwatch.capture.WriterTexts;

/** Reads the text that a column of {@link io.txwatch.plan.Carried} holds. */
final class CarriedVersions {

  private CarriedVersions() {}

  /** Takes a row version. */
  interface Taker {
    /**
     * A row.
     *
     * @param table which of the read's tables it is of, from 0
     */
    void version(int table, long row, String writers);
  }

  /**
   * Hands out the versions that a text lists.
   *
   * @param tables how many tables the read has
   * @param texts reads the writers of a version
   * @return false if the list was left out, or is not one of ours: then nothing more is handed out
   */
  static boolean read(String text, int tables, WriterTexts texts, Taker taker) {
    int at = text.indexOf(';');
    if (at <= 0) {
      return false;
    }
    long rows;
    try {
      rows = Long.parseLong(text, 0, at, 10);
    } catch (NumberFormatException e) {
      return false;
    }
    if (rows == 0) {
      return at + 1 == text.length();
    }
    int from = at + 1;
    for (long entry = 0; entry < rows * tables; entry++) {
      int comma = text.indexOf(',', from);
      int to = comma < 0 ? text.length() : comma;
      boolean last = entry + 1 == rows * tables;
      if (last != (comma < 0) || !version(text, from, to, texts, (int) (entry % tables), taker)) {
        return false;
      }
      from = to + 1;
    }
    return true;
  }

  private static boolean version(
      String text, int from, int to, WriterTexts texts, int table, Taker taker) {
    if (from == to) {
      return true; // an outer join found no row
    }
    int colon = text.indexOf(':', from);
    String writers = colon < 0 || colon >= to ? null : texts.tokens(text, colon + 1, to);
    if (writers == null) {
      return false;
    }
    try {
      taker.version(table, Long.parseLong(text, from, colon, 10), writers);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
