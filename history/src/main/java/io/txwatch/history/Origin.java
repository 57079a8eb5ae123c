package io.txwatch.history;

/**
 * Whence a server had an event: it stands in the server's history, so that after a restart the
 * server knows what each client need not send again.
 *
 * @param client the client's number; 0 for nobody: the event is the history's own
 * @param chunk the number of the client's chunk that it came in
 * @param index how many of the chunk's events have come
 * @param events how many events the chunk has
 */
public record Origin(long client, long chunk, int index, int events) {

  /** Of no client. */
  public static final Origin NONE = new Origin(0, 0, 0, 0);

  static Origin of(io.txwatch.history.wire.Origin wire) {
    return new Origin(wire.getClient(), wire.getChunk(), wire.getIndex(), wire.getEvents());
  }

  /** True if it is of no client. */
  public boolean isNone() {
    return client == 0;
  }

  /** The same after one more event. */
  Origin next() {
    return isNone() ? this : new Origin(client, chunk, index + 1, events);
  }
}
