package io.txwatch.guarantee;

/** Compares version numbers as DBMSs print them: numbers with dots, then anything. */
final class VersionNumbers {

  private VersionNumbers() {}

  /** Whether the leading numbers of a version are at least these; false if it has none. */
  static boolean atLeast(String version, int... wanted) {
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
}
