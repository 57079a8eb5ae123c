package io.txwatch.capture;

import io.txwatch.history.Event;
import org.jspecify.annotations.Nullable;

/** What one execution of a statement shows of its rows, by keys and values. Thread-safe. */
public interface ObservedValues {

  /**
   * The event of what was shown until now. What is shown later is discarded.
   *
   * @param session the statement's session
   * @param transaction its transaction
   * @param statement its number there
   * @return null if the statement does not concern rows
   */
  Event.@Nullable ValuesObserved take(long session, long transaction, int statement);

  /** When the statement was sent: {@link System#nanoTime}. */
  long sentAt();

  /** When the DBMS had executed it; now, if that was not noted. */
  long returnedAt();

  /** When the DBMS had executed it; now, if it has not returned yet. Unlike the former, no note. */
  long returnedSoFar();
}
