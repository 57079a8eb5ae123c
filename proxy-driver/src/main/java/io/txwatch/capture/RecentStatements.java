package io.txwatch.capture;

/**
 * When the newest statements of a session were executed. Of a deadlock it is then certain which
 * statement was in it: the only one that was executing. Guarded by the session's lock.
 */
final class RecentStatements {

  private static final int SIZE = 4;

  /** When a statement was sent is not known: it may have been executing long before it returned. */
  private static final long UNKNOWN_NANOS = Long.MAX_VALUE / 4;

  private final long[] transactions = new long[SIZE];
  private final int[] numbers = new int[SIZE];
  private final long[] sent = new long[SIZE];
  private final long[] returned = new long[SIZE];
  private final boolean[] locks = new boolean[SIZE];
  private int count;

  /** A statement has ended. */
  void ended(Observation observation) {
    int at = count++ & SIZE - 1;
    transactions[at] = observation.transaction.id;
    numbers[at] = observation.number;
    returned[at] = observation.returnedAt();
    sent[at] = observation.hasBeenSent() ? observation.sentAt() : returned[at] - UNKNOWN_NANOS;
    locks[at] = observation.mayLock();
  }

  /**
   * The only statement that may have been executing when a deadlock ended.
   *
   * @param open the open transaction; null if there is none
   * @param from when the statement that failed was sent, by {@link System#nanoTime}
   * @param to when it had returned
   * @return null if there is none, or several
   */
  SessionTracker.@org.jspecify.annotations.Nullable Executing executing(
      SessionState.@org.jspecify.annotations.Nullable Transaction open, long from, long to) {
    SessionTracker.Executing found = null;
    int several = 0;
    for (int i = Math.max(0, count - SIZE); i < count; i++) {
      int at = i & SIZE - 1;
      if (sent[at] - to <= 0 && returned[at] - from >= 0) {
        several++;
        found =
            new SessionTracker.Executing(
                transactions[at], numbers[at], locks[at], returned[at] - to < 0);
      }
    }
    boolean mayLackSome = count > SIZE && several == SIZE;
    if (open != null) {
      for (Observation one : open.open) {
        boolean isSent = one.hasBeenSent();
        if (isSent && (one.sentAt() - to > 0 || one.returnedAt() - from < 0)) {
          continue;
        }
        several++;
        found =
            new SessionTracker.Executing(
                open.id, one.number, one.mayLock(), isSent && one.returnedAt() - to < 0);
      }
    }
    return several == 1 && !mayLackSome ? found : null;
  }
}
