package io.txwatch.jdbc;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the user should know that is no {@linkplain Faults fault}: a line each on standard error,
 * the same line once, however many connections cause it.
 */
final class Notices {

  private static final int MAX_LINES = 20;

  private static final Set<String> PRINTED = ConcurrentHashMap.newKeySet();

  private Notices() {}

  static void print(String line) {
    if (PRINTED.size() < MAX_LINES && PRINTED.add(line)) {
      String rest = PRINTED.size() == MAX_LINES ? " (further notices are not printed)" : "";
      System.err.println("txwatch: " + line.replaceAll("\\s+", " ") + rest);
    }
  }
}
