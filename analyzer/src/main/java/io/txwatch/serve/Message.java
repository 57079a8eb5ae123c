package io.txwatch.serve;

import io.txwatch.history.Event;
import java.util.List;

/** A message from a connection to the analysis thread. */
sealed interface Message {

  Connection connection();

  /** A client has completed the handshake. */
  record ClientConnected(Connection connection, long client, String name) implements Message {}

  record SessionsAnnounced(Connection connection, List<Event> events, int weight)
      implements Message {}

  /**
   * A chunk of a client's history; its weight counts in the inbox until it is analyzed.
   *
   * @param acknowledgedEpoch the epoch from before which the client has no more events to send
   */
  record ChunkReceived(
      Connection connection, long number, List<Event> events, long acknowledgedEpoch, int weight)
      implements Message {}

  /**
   * A client without new events.
   *
   * @param acknowledgedEpoch the epoch from before which it has no more events to send
   */
  record Heartbeat(Connection connection, long acknowledgedEpoch) implements Message {}

  enum End {
    IN_ORDER,
    CUT,
    CUT_WITHIN_FRAME
  }

  record Disconnected(Connection connection, End end) implements Message {}
}
