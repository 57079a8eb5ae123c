package io.txwatch.changes;

/**
 * A place in the record of one server. Files are ordered by the number that their names end with.
 *
 * @param file the name of a log file
 * @param offset in bytes
 */
public record LogPosition(String file, long offset) implements Comparable<LogPosition> {

  @Override
  public int compareTo(LogPosition other) {
    int byFile = file.equals(other.file) ? 0 : Long.compare(number(file), number(other.file));
    return byFile != 0 ? byFile : Long.compare(offset, other.offset);
  }

  private static long number(String file) {
    String digits = file.substring(file.lastIndexOf('.') + 1);
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  @Override
  public String toString() {
    return file + ":" + offset;
  }
}
