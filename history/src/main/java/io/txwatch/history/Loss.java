package io.txwatch.history;

/**
 * A stretch of a history's file that could not be delivered.
 *
 * @param offset where it begins, in bytes from the start of the file
 * @param bytes how many bytes could not be read; 0 if the file just ends too early
 * @param what what is wrong there, for people
 */
public record Loss(long offset, long bytes, String what) {

  /** The loss in a line. */
  @Override
  public String toString() {
    return what + " (offset " + offset + ", " + bytes + " bytes lost)";
  }
}
