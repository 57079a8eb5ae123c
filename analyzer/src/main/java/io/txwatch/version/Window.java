package io.txwatch.version;

/**
 * The time in which the DBMS did something, in nanoseconds of a process's clock.
 *
 * @param sent when its execution was requested
 * @param returned when it had answered
 */
record Window(long sent, long returned) {

  /** At any time. */
  static final Window UNKNOWN = new Window(Long.MIN_VALUE, Long.MAX_VALUE);

  /** A window that is longer by this on either side: clocks of two processes differ. */
  Window widened(long nanos) {
    return new Window(minus(sent, nanos), plus(returned, nanos));
  }

  /** The shortest window that contains both. */
  Window with(Window other) {
    return new Window(Math.min(sent, other.sent), Math.max(returned, other.returned));
  }

  /** The sum; an unknown time stays unknown. */
  static long plus(long time, long nanos) {
    return time == Long.MAX_VALUE || time == Long.MIN_VALUE ? time : time + nanos;
  }

  /** The difference; an unknown time stays unknown. */
  static long minus(long time, long nanos) {
    return plus(time, -nanos);
  }
}
