package io.txwatch.plan;

/**
 * Where a rewritten text has its characters from: the stretches of the application's text that it
 * consists of beside what was put in, in order.
 *
 * @param runs four numbers for each stretch: the piece of {@link RewritePlan#immediatePieces} that
 *     it stands in, where it begins in that piece, where it begins in the application's text, and
 *     how many characters it has
 */
public record Origins(int[] runs) {

  /** Of a text that is the application's own. */
  public static final Origins SAME = new Origins(new int[0]);

  private static final int NUMBERS = 4;

  /**
   * The offset in the application's text of a character of the text that was sent. What was put in
   * is taken for the character that it stands before.
   *
   * @param offset the character's, from 0
   * @param sent the text: {@link RewritePlan#preparedSql} or an {@link RewritePlan#immediateSql}
   */
  int original(RewritePlan plan, int offset, String sent) {
    if (runs.length == 0) {
      return offset;
    }
    int piece = 0;
    int start = 0;
    for (int i = 0; i < runs.length; i += NUMBERS) {
      while (piece < runs[i]) {
        start = endOfGap(sent, start + plan.immediatePieces().get(piece).length());
        piece++;
      }
      int from = start + runs[i + 1];
      if (offset < from + runs[i + 3]) {
        return runs[i + 2] + Math.max(0, offset - from);
      }
    }
    return plan.original().length();
  }

  /** Where a parameter, a writer token in quotes or a row's id ends. */
  private static int endOfGap(String sent, int start) {
    if (sent.charAt(start) == '\'') {
      return sent.indexOf('\'', start + 1) + 1;
    }
    int end = start + 1; // "?" or "-" or a digit
    while (end < sent.length() && Character.isDigit(sent.charAt(end))) {
      end++;
    }
    return end;
  }
}
