package io.txwatch.jdbc.log;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * What the user should know that is no {@linkplain Faults fault}: a line each, the same line once,
 * however many connections cause it. Thread-safe.
 */
public final class Notices {

  private static final int MAX_LINES = 20;

  private static final Notices ON_STANDARD_ERROR =
      new Notices(line -> System.err.println("txwatch: " + line));

  private final Set<String> printed = ConcurrentHashMap.newKeySet();
  private final Consumer<String> out;

  Notices(Consumer<String> out) {
    this.out = out;
  }

  /** Prints a line on standard error. */
  public static void print(String line) {
    ON_STANDARD_ERROR.add(line);
  }

  void add(String line) {
    if (printed.size() < MAX_LINES && printed.add(line)) {
      String rest = printed.size() == MAX_LINES ? " (further notices are not printed)" : "";
      out.accept(line.replaceAll("\\s+", " ") + rest);
    }
  }
}
