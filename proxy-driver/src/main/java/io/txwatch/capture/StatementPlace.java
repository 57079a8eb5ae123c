package io.txwatch.capture;

import io.txwatch.history.CallSite;
import java.util.concurrent.ThreadLocalRandom;

/**
 * From where in the application one SQL text is executed, as {@link CallSites} finds it.
 *
 * <p>To walk the stack costs several microseconds, more than all else that is done for a statement
 * together, and nearly every text is executed at one place of the application's code. So once it
 * was looked up {@value #SURE} times, and was the same each time, it is looked up for one execution
 * of {@value #ONE_IN} only, at random; the others are told with the word that says that this is
 * where the text is executed {@linkplain CallSite#usually usually}. A line that is told without it
 * has run. A text that was met at a second place is looked up each time from then on.
 *
 * <p>Threads share it without a lock: what is lost by that is a look-up that does not count.
 */
public final class StatementPlace {

  static final int SURE = 1000;
  static final int ONE_IN = 256;

  private final boolean exact;
  private volatile String known = "";
  private volatile String usual = "";
  private volatile boolean several;
  private int agreed;

  /**
   * A text that was not executed yet.
   *
   * @param exact true if it is to be looked up each time
   */
  public StatementPlace(boolean exact) {
    this.exact = exact;
  }

  /**
   * Where this execution of the text comes from, if that need not be looked up; empty if it must
   * be, and the result to be {@linkplain #found told}.
   */
  public String usual() {
    String place = usual;
    return several || place.isEmpty() || ThreadLocalRandom.current().nextInt(ONE_IN) == 0
        ? ""
        : place;
  }

  /** It was looked up for this execution; gives what was found. */
  public String found(String place) {
    if (exact || several) {
      return place;
    }
    String before = known;
    if (before.isEmpty()) {
      known = place;
    } else if (!before.equals(place)) {
      several = true;
    } else if (agreed < SURE && ++agreed == SURE) {
      usual = CallSite.usually(place);
    }
    return place;
  }
}
