package io.txwatch.changes;

import java.io.IOException;

/**
 * A DBMS's own record of changes, read in commit order. Thread-safe.
 *
 * <p>A source never makes anything wait but itself: it reads on a daemon thread of its own, and
 * while its listener is busy the record waits at the DBMS. It holds a bounded number of rows.
 */
public interface ChangeSource extends AutoCloseable {

  /** What a source is doing. */
  enum State {
    /** Not started. */
    NEW,
    /** Connecting, for the first time or again; failures are repeated with growing pauses. */
    CONNECTING,
    /** Reading the record. */
    READING,
    /** Closed. */
    CLOSED
  }

  /**
   * Starts to read at the present end of the record, on a thread of its own, and returns once that
   * end is known: each transaction that commits afterwards is delivered or is in a reported gap.
   *
   * @param listener called on the thread of the source, one call at a time
   * @throws IOException if the DBMS cannot be reached, or lacks what the source needs
   * @throws IllegalStateException if it was started before
   */
  void start(ChangeListener listener) throws IOException;

  /** What it is doing now. */
  State state();

  /** Why it is not reading, in one line; empty while it reads. */
  String problem();

  /** Up to here all transactions have been delivered. */
  LogPosition position();

  /**
   * The present end of the record, queried from the DBMS: all transactions that have committed
   * before the call end at or before it.
   *
   * @throws IOException if the DBMS cannot be queried
   */
  LogPosition endOfLog() throws IOException;

  /** Counts since the start. */
  ChangeStatistics statistics();

  /** Stops the thread and closes all connections. The second call does nothing. */
  @Override
  void close();
}
