package io.txwatch.testcase;

/** The text is not a case; the message has the error, the line, and what was expected. */
public final class CaseFormatException extends Exception {

  private static final long serialVersionUID = 1;

  /**
   * Creates an exception for a line.
   *
   * @param line its number, from 1; 0 for the text as a whole
   */
  public CaseFormatException(String name, int line, String what) {
    super(name + (line == 0 ? "" : ", line " + line) + ": " + what);
  }
}
