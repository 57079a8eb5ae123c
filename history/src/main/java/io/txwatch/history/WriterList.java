package io.txwatch.history;

/**
 * The writers of one version of a row, oldest first, newest last: a bounded window on IsoRel's
 * {@code wList} (§3.1.2).
 *
 * <p>The text is the value of the auxiliary column {@code txw_wl}: {@link WriterToken tokens} of
 * {@value WriterToken#LENGTH} characters, concatenated. The last token identifies the statement
 * that wrote this version, so the text identifies the version. An empty complete list is a version
 * that existed before the table was prepared, or that an unwatched client inserted.
 *
 * @param tokens the tokens, {@code size() * WriterToken.LENGTH} characters
 * @param complete true if the list goes back to the row's first watched writer; false if older
 *     writers may have been cut off by the window, so that the predecessors of the first token are
 *     unknown
 */
public record WriterList(String tokens, boolean complete) {

  /**
   * The number of tokens that the auxiliary column keeps. The bound keeps the size of a row and the
   * cost of an update constant.
   */
  public static final int WINDOW = 8;

  /** The length of a full column, in characters. */
  public static final int WINDOW_LENGTH = WINDOW * WriterToken.LENGTH;

  /**
   * Pads the column before the oldest token in rows that have their final length from the start.
   * Tokens do not contain it.
   */
  public static final char FILLER = '.';

  /** The padded column of a row that no watched statement has written yet. */
  public static final String UNWRITTEN = String.valueOf(FILLER).repeat(WINDOW_LENGTH);

  /** The list of a row that no watched statement has written yet. */
  public static final WriterList INITIAL = new WriterList("", true);

  /** Validates that the text is a whole number of tokens. */
  public WriterList {
    if (tokens.length() % WriterToken.LENGTH != 0) {
      throw new IllegalArgumentException(
          "not a whole number of writer tokens: " + tokens.length() + " characters");
    }
  }

  /**
   * Parses a {@code txw_wl} column, or tokens with ids by the DBMS. The list is complete unless the
   * window is full of tokens, or they have such ids.
   *
   * @throws IllegalArgumentException if the text, without leading {@link #FILLER}, is not a whole
   *     number of tokens
   */
  public static WriterList ofColumn(String text) {
    if (text.isEmpty()) {
      return INITIAL;
    }
    if (text.charAt(0) != FILLER) {
      boolean complete = text.length() < WINDOW_LENGTH && !WriterToken.isByDbms(text);
      return new WriterList(text, complete);
    }
    String tokens = text.substring(text.lastIndexOf(FILLER) + 1);
    return tokens.isEmpty() ? INITIAL : new WriterList(tokens, true);
  }

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
