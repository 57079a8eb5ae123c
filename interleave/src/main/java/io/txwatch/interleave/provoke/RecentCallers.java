package io.txwatch.interleave.provoke;

/** Which threads have used a database last. Guarded by the gate's lock. */
final class RecentCallers {

  private record Caller(long thread, long nanos) {}

  private final long activeNanos;
  private Caller last = new Caller(0, 0);
  private Caller lastOther = last;

  /**
   * No thread yet.
   *
   * @param activeNanos for how long after a call a thread is expected to make the next one
   */
  RecentCallers(long activeNanos) {
    this.activeNanos = activeNanos;
  }

  /** A thread makes a call. */
  void called(long thread, long now) {
    if (thread != last.thread) {
      lastOther = last;
    }
    last = new Caller(thread, now);
  }

  /** True if a thread other than the last one is expected to make a call. */
  boolean isAnotherActive(long now) {
    return lastOther.thread != 0 && now - lastOther.nanos < activeNanos;
  }
}
