package io.txwatch.report;

import java.util.Locale;

/** Numbers with their nouns: {@code 1 transaction}, {@code 1,234 transactions}. */
public final class Counted {

  private Counted() {}

  /** A number of things whose plural ends in s. */
  public static String of(long count, String noun) {
    return of(count, noun, noun + "s");
  }

  /** A number of things. */
  public static String of(long count, String one, String many) {
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : many);
  }
}
