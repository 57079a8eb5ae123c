package io.txwatch.testcase;

/** A text that is not a case: the message says what was wrong, in which line, and what to do. */
public final class CaseFormatException extends Exception {

  private static final long serialVersionUID = 1;

  /**
   * Something is wrong with a line.
   *
   * @param line its number, from 1; 0 for the text as a whole
   */
  public CaseFormatException(String name, int line, String what) {
    super(name + (line == 0 ? "" : ", line " + line) + ": " + what);
  }
}
