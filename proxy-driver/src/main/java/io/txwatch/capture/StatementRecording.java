package io.txwatch.capture;

import io.txwatch.history.Event;

/** What a statement was executed with and what it has returned so far. Thread-safe. */
public interface StatementRecording {

  /**
   * The event of what was recorded until now. What comes later is discarded.
   *
   * @param session the statement's session
   * @param transaction its transaction
   * @param statement its number there
   */
  Event.ValuesRecorded take(long session, long transaction, int statement);
}
