package io.txwatch.jdbc.log;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What the user should know that is no {@linkplain Faults fault}: a line each, the same line once,
 * however many connections cause it, or once a minute. Thread-safe.
 */
public final class Notices {

  private static final int MAX_LINES = 20;

  private static final Notices ON_STANDARD_ERROR =
      new Notices(line -> System.err.println("txwatch: " + line));

  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Set<String> printed = ConcurrentHashMap.newKeySet();

  /** Of lines of which the first one of a kind is printed. */
  private final Set<String> kinds = ConcurrentHashMap.newKeySet();

  /** When lines were printed that are printed again. */
  private final Map<String, Long> printedAt = new HashMap<>();

  private final Consumer<String> out;

  Notices(Consumer<String> out) {
    this.out = out;
  }

  /** Prints a line on standard error. */
  public static void print(String line) {
    ON_STANDARD_ERROR.add(line);
  }

  /**
   * Prints a line on standard error if it is the first one of its kind, about what is the same for
   * each of many databases. These lines leave room for all others.
   */
  public static void printFirst(String kind, String line) {
    ON_STANDARD_ERROR.addFirst(kind, line);
  }

  /**
   * Prints a line on standard error about something that may happen again: the same line at most
   * once a minute.
   *
   * @return false if it is not printed
   */
  public static boolean printAgain(String line) {
    return ON_STANDARD_ERROR.addAgain(line, System.nanoTime());
  }

  boolean addAgain(String line, long nanos) {
    synchronized (printedAt) {
      printedAt.values().removeIf(at -> nanos - at >= AGAIN_NANOS);
      if (printedAt.size() >= MAX_LINES || printedAt.putIfAbsent(line, nanos) != null) {
        return false;
      }
    }
    out.accept(line.replaceAll("\\s+", " "));
    return true;
  }

  void add(String line) {
    add(printed, line, line);
  }

  void addFirst(String kind, String line) {
    add(kinds, kind, line);
  }

  private void add(Set<String> known, String key, String line) {
    if (known.size() < MAX_LINES && known.add(key)) {
      String rest = known.size() == MAX_LINES ? " (further notices are not printed)" : "";
      out.accept(line.replaceAll("\\s+", " ") + rest);
    }
  }
}
