package io.txwatch.history;

/**
 * The writers of one version of a row, oldest first, newest last: a bounded window on IsoRel's
 * {@code wList} (§3.1.2).
 *
 * <p>The text is what stands in the auxiliary column {@code txw_wl}: {@link WriterToken tokens} of
 * {@value WriterToken#LENGTH} characters, one behind the other. The last token names the statement
 * that wrote this version, so the text identifies the version. An empty complete list is the
 * version that stood there before the table was prepared, or that was inserted by somebody who is
 * not watched.
 *
 * @param tokens the tokens, {@code size() * WriterToken.LENGTH} characters
 * @param complete true if the list goes back to the row's first watched writer; false if older
 *     writers may have been cut off by the window, so that nothing is known of what precedes the
 *     first token
 */
public record WriterList(String tokens, boolean complete) {

  /**
   * How many tokens the auxiliary column keeps. Bytes a row and cost an update stay constant
   * because of it.
   */
  public static final int WINDOW = 8;

  /** The length of a full column, in characters. */
  public static final int WINDOW_LENGTH = WINDOW * WriterToken.LENGTH;

  /**
   * Stands in a column before the oldest token, in rows that are as long from the first as they are
   * going to be. It is no character of a token.
   */
  public static final char FILLER = '.';

  /** The column of such a row that no watched statement has written yet. */
  public static final String UNWRITTEN = String.valueOf(FILLER).repeat(WINDOW_LENGTH);

  /** The list of a row that no watched statement has written yet. */
  public static final WriterList INITIAL = new WriterList("", true);

  /** Checks that the text is a whole number of tokens. */
  public WriterList {
    if (tokens.length() % WriterToken.LENGTH != 0) {
      throw new IllegalArgumentException(
          "not a whole number of writer tokens: " + tokens.length() + " characters");
    }
  }

  /**
   * The list that a {@code txw_wl} column holds: complete as long as the window is not full of
   * tokens.
   *
   * @throws IllegalArgumentException if the text is not a whole number of tokens, but for the
   *     {@link #FILLER} before them
   */
  public static WriterList ofColumn(String text) {
    if (text.isEmpty()) {
      return INITIAL;
    }
    if (text.charAt(0) != FILLER) {
      return new WriterList(text, text.length() < WINDOW_LENGTH);
    }
    String tokens = text.substring(text.lastIndexOf(FILLER) + 1);
    return tokens.isEmpty() ? INITIAL : new WriterList(tokens, true);
  }

  /**
   * True if a text is what a column may hold: whole tokens, or the {@link #FILLER} before them. No
   * character of it needs to be quoted in SQL.
   */
  public static boolean isOfColumn(String text) {
    int length = text.length();
    int first = 0;
    while (first < length && text.charAt(first) == FILLER) {
      first++;
    }
    for (int i = first; i < length; i++) {
      if (!WriterToken.isInAlphabet(text.charAt(i))) {
        return false;
      }
    }
    return length <= WINDOW_LENGTH
        && length % WriterToken.LENGTH == 0
        && first % WriterToken.LENGTH == 0;
  }

  /** What the column holds once a writer has been appended to what it held. */
  public static String append(String column, String token) {
    String all = column + token;
    return all.substring(Math.max(0, all.length() - WINDOW_LENGTH));
  }

  /** How many writers are known. */
  public int size() {
    return tokens.length() / WriterToken.LENGTH;
  }

  /** The transaction of the {@code i}-th writer, counted from 0, the oldest known. */
  public long transaction(int i) {
    return WriterToken.transaction(tokens, i * WriterToken.LENGTH);
  }

  /** The statement number, within its transaction, of the {@code i}-th writer. */
  public int statement(int i) {
    return WriterToken.statement(tokens, i * WriterToken.LENGTH);
  }
}
