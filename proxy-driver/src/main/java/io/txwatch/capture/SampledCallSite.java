package io.txwatch.capture;

import io.txwatch.history.CallSite;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The sampled call site of one SQL text; {@link CallSites} looks it up.
 *
 * <p>A stack walk costs several microseconds, more than all other work for a statement, and nearly
 * every text is executed at one place. So once {@value #MIN_LOOKUPS} lookups have found the same
 * place, only one random execution in {@value #SAMPLING_INTERVAL} is looked up; the others are
 * marked {@linkplain CallSite#usually (usually)}. A line without the mark was executed. Once a
 * second place is found, every execution is looked up.
 *
 * <p>Threads share it without a lock: a race can only lose the count of a lookup.
 */
public final class SampledCallSite {

  static final int MIN_LOOKUPS = 1000;
  static final int SAMPLING_INTERVAL = 256;

  private final boolean exact;
  private volatile String known = "";
  private volatile String usual = "";
  private volatile boolean several;
  private int equalLookups;

  /**
   * Creates the call site of a text that was not executed yet.
   *
   * @param exact true if every execution must be looked up
   */
  public SampledCallSite(boolean exact) {
    this.exact = exact;
  }

  /**
   * Returns the cached call site; empty if this execution must be looked up and the result passed
   * to {@link #found}.
   */
  public String usual() {
    String place = usual;
    return several || place.isEmpty() || ThreadLocalRandom.current().nextInt(SAMPLING_INTERVAL) == 0
        ? ""
        : place;
  }

  /** Records the result of a lookup and returns it. */
  public String found(String place) {
    if (exact || several) {
      return place;
    }
    String before = known;
    if (before.isEmpty()) {
      known = place;
    } else if (!before.equals(place)) {
      several = true;
    } else if (equalLookups < MIN_LOOKUPS && ++equalLookups == MIN_LOOKUPS) {
      usual = CallSite.usually(place);
    }
    return place;
  }
}
