package io.txwatch.jdbc.execution;

import io.txwatch.capture.WriterTexts;

/**
 * Reads the text in which an aggregate lists the row versions behind a row of its result: {@code
 * 2;17:wl,18:wl} ({@link io.txwatch.plan.RewritePlan.Returns#AGGREGATED_TO_RESULT}).
 */
final class AggregatedVersions {

  private AggregatedVersions() {}

  /** Takes a row version. */
  interface Taker {
    /** A row's id and what stands in its {@code txw_wl}. */
    void version(long row, String writers);
  }

  /**
   * Hands out the versions that a text lists.
   *
   * @param texts reads the writers of a version
   * @return true if they are all; false if the list was left out or cut, or is not one of ours: the
   *     last version before a cut is not handed out, for its writers may be cut
   */
  static boolean read(String text, WriterTexts texts, Taker taker) {
    int at = text.indexOf(';');
    long expected = at < 0 ? -1 : number(text, 0, at);
    if (expected < 0) {
      return false;
    }
    long listed = 0;
    int from = at + 1;
    long pendingRow = 0;
    String pendingWriters = null;
    while (from < text.length()) {
      int comma = text.indexOf(',', from);
      int to = comma < 0 ? text.length() : comma;
      int colon = text.indexOf(':', from);
      if (pendingWriters != null) {
        taker.version(pendingRow, pendingWriters);
        pendingWriters = null;
      }
      String writers = colon < 0 || colon >= to ? null : texts.tokens(text, colon + 1, to);
      if (writers == null) {
        return false;
      }
      long row;
      try {
        row = Long.parseLong(text, from, colon, 10);
      } catch (NumberFormatException e) {
        return false;
      }
      listed++;
      pendingRow = row;
      pendingWriters = writers;
      from = to + 1;
    }
    boolean complete = listed >= expected;
    if (pendingWriters != null && complete) {
      taker.version(pendingRow, pendingWriters);
    }
    return complete;
  }

  private static long number(String text, int from, int to) {
    try {
      return Long.parseLong(text, from, to, 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
