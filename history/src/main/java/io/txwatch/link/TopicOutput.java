package io.txwatch.link;

import java.io.IOException;

/** Writes records to a topic. Thread-safe. */
public interface TopicOutput {

  /** What became of a record. */
  enum Result {
    /** It is in the topic, once. */
    WRITTEN,
    /** It may not be in the topic: to be sent again, with those after it. */
    FAILED,
    /** The broker does not accept this record, however often it is sent. */
    REJECTED
  }

  /** Receives what became of a record, on any thread; must not block. */
  @FunctionalInterface
  interface Callback {
    /**
     * Called once for each record, in the order in which the records of a key were sent.
     *
     * @param message why it was not written; empty if it was
     */
    void done(Result result, String message);
  }

  /** Sends a record. May block, for a bounded time. */
  void send(TopicRecord next, Callback callback) throws IOException;

  /** Closes it at once; what was not written yet is lost. */
  void close();
}
