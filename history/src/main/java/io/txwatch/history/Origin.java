package io.txwatch.history;

/**
 * The client from which a server received an event. The server records it in its history, so that
 * after a restart it knows what each client need not send again.
 *
 * @param client the client's number; 0 if the event has no client
 * @param chunk the number of the client's chunk that contained it
 * @param index the number of the chunk's events received so far
 * @param events the number of events in the chunk
 */
public record Origin(long client, long chunk, int index, int events) {

  /** The origin of events without a client. */
  public static final Origin NONE = new Origin(0, 0, 0, 0);

  static Origin of(io.txwatch.history.wire.Origin wire) {
    return new Origin(wire.getClient(), wire.getChunk(), wire.getIndex(), wire.getEvents());
  }

  public boolean isNone() {
    return client == 0;
  }

  /** Returns the origin after one more event. */
  Origin next() {
    return isNone() ? this : new Origin(client, chunk, index + 1, events);
  }
}
