package io.txwatch.serve;

import io.txwatch.history.Event;
import java.util.List;

/** What connections tell the thread that analyses. */
sealed interface Message {

  /** Whose it is. */
  Connection connection();

  /** A client has proven that it may come in. */
  record ClientConnected(Connection connection, long client, String name) implements Message {}

  /** A client's open sessions. */
  record SessionsAnnounced(Connection connection, List<Event> events, int weight)
      implements Message {}

  /**
   * A chunk of a client's history; it weighs on the intake until it is taken in.
   *
   * @param told the epoch before which the client has nothing more to tell of
   */
  record ChunkReceived(
      Connection connection, long number, List<Event> events, long acknowledgedEpoch, int weight)
      implements Message {}

  /**
   * A client has nothing to say.
   *
   * @param told the epoch before which it has nothing more to tell of
   */
  record Heartbeat(Connection connection, long acknowledgedEpoch) implements Message {}

  /**
   * A connection is over.
   *
   * @param bye whether the client ended in order
   * @param torn whether it was cut in the middle of a frame
   */
  record Disconnected(Connection connection, boolean bye, boolean torn) implements Message {}
}
