package io.txwatch.prepare;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How patient a preparation is.
 *
 * @param lockWait how long one statement may wait for its locks, while others queue behind it
 * @param patience for how long a table that somebody else holds is tried again
 * @param progress takes lines for people
 */
public record RetryPolicy(Duration lockWait, Duration patience, Consumer<String> progress) {

  private static final Duration MAX_PAUSE = Duration.ofSeconds(3);

  /** One attempt only, and nothing is printed. */
  static RetryPolicy once(Duration lockWait) {
    return new RetryPolicy(lockWait, Duration.ZERO, line -> {});
  }

  /**
   * The pause before an attempt.
   *
   * @param attempts how many there were
   */
  static Duration pause(int attempts) {
    Duration pause = Duration.ofMillis(200L << Math.min(attempts - 1, 10));
    return pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE;
  }

  /** Sleeps; false if the thread was interrupted. */
  public static boolean sleep(Duration pause) {
    try {
      Thread.sleep(pause.toMillis());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
