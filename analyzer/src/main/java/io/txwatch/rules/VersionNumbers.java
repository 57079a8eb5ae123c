package io.txwatch.rules;

/** Compares version numbers as DBMSs print them: numbers with dots, then anything. */
public final class VersionNumbers {

  private VersionNumbers() {}

  /** Whether the leading numbers of a version are at least these; false if it has none. */
  public static boolean atLeast(String version, int... wanted) {
    String[] parts = version.split("[^0-9]+");
    for (int i = 0; i < wanted.length; i++) {
      if (i >= parts.length || parts[i].isEmpty() || parts[i].length() > 9) {
        return false;
      }
      int part = Integer.parseInt(parts[i]);
      if (part != wanted[i]) {
        return part > wanted[i];
      }
    }
    return true;
  }

  /**
   * Whether a version has what these versions introduced, each in its series of releases: the first
   * two numbers. A later series than all has it, an earlier one or one between them does not.
   *
   * @param introducing the versions, the oldest first
   */
  public static boolean atLeastInSeries(String version, String... introducing) {
    for (int i = introducing.length - 1; i >= 0; i--) {
      String[] numbers = introducing[i].split("\\.");
      int major = Integer.parseInt(numbers[0]);
      int minor = Integer.parseInt(numbers[1]);
      if (atLeast(version, major, minor)) {
        boolean isLater = !version.startsWith(major + "." + minor + ".");
        return isLater
            ? i == introducing.length - 1
            : atLeast(version, major, minor, Integer.parseInt(numbers[2]));
      }
    }
    return false;
  }
}
