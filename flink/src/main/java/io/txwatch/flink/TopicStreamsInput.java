package io.txwatch.flink;

import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.link.TopicRecord;
import io.txwatch.link.TopicStreams;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** Passes records to streams, and what is missing on as gaps. */
final class TopicStreamsInput {

  private TopicStreamsInput() {}

  /** Takes a record; {@code consumer} receives its events and a gap for what is missing. */
  static void accept(TopicStreams streams, TopicRecord next, Consumer<? super Event> consumer) {
    List<Event> events;
    try {
      events = Chunk.decode(next.value());
    } catch (IOException e) {
      consumer.accept(gap("of " + next.service() + ": " + e.getMessage()));
      return;
    }
    streams.accept(next, events, consumer, what -> consumer.accept(gap(what)));
  }

  /** Events of any transaction may be missing. */
  static Event gap(String what) {
    return new Event.Gap(0, 0, GapReason.CUT_OFF, what, 1);
  }
}
