package io.txwatch.history;

/**
 * A range of a history file that could not be read.
 *
 * @param offset its first byte, from the start of the file
 * @param bytes its length in bytes; 0 if the file ends without an end record
 * @param what a description of the damage, for display
 */
public record Loss(long offset, long bytes, String what) {

  @Override
  public String toString() {
    return what + " (offset " + offset + ", " + bytes + " bytes lost)";
  }
}
