package io.txwatch.link;

import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Follows the streams of a topic: passes each event on once, and detects what is missing. Not
 * thread-safe.
 */
public final class TopicStreams {

  private final Map<Long, Stream> streams = new LinkedHashMap<>();

  private static final class Stream {
    final String service;
    long last;
    boolean ended;
    final Set<Long> sessions = new HashSet<>();

    Stream(String service) {
      this.service = service;
    }
  }

  /**
   * Takes the next record of a stream.
   *
   * @param events the events in its value
   * @param consumer receives the events that were not received yet and whose session is known
   * @param loss receives a description of what is missing before them
   */
  public void accept(
      TopicRecord next,
      List<Event> events,
      Consumer<? super Event> consumer,
      Consumer<String> loss) {
    Stream stream = streams.computeIfAbsent(next.client(), id -> new Stream(next.service()));
    boolean isOfEvents = next.kind() == TopicRecord.Kind.EVENTS;
    if (isOfEvents && next.number() <= stream.last) {
      return; // sent again
    }
    long missing = next.number() - stream.last - (isOfEvents ? 1 : 0);
    if (missing > 0) {
      loss.accept("of " + next.service() + " " + missing + " records are missing");
    }
    stream.last = Math.max(stream.last, next.number());
    stream.ended |= next.kind() == TopicRecord.Kind.END;
    for (Event event : events) {
      if (isNew(stream, event)) {
        consumer.accept(event);
      }
    }
  }

  /** A session is known once; events of an unknown one were lost with its opening. */
  private static boolean isNew(Stream stream, Event event) {
    if (event instanceof Event.SessionOpened) {
      return stream.sessions.add(event.session());
    } else if (event instanceof Event.SessionClosed) {
      return stream.sessions.remove(event.session());
    }
    return event.session() == 0 || stream.sessions.contains(event.session());
  }

  /**
   * How far a stream was followed.
   *
   * @param client the stream's random number
   * @param service the name of its process
   * @param last the number of its last record
   * @param ended whether it was closed
   * @param sessions those that are open
   */
  public record Progress(
      long client, String service, long last, boolean ended, Set<Long> sessions) {

    public Progress {
      sessions = Set.copyOf(sessions);
    }
  }

  /** How far each stream was followed. */
  public List<Progress> progress() {
    List<Progress> all = new ArrayList<>();
    streams.forEach(
        (client, stream) ->
            all.add(
                new Progress(client, stream.service, stream.last, stream.ended, stream.sessions)));
    return all;
  }

  /** Continues a stream from where another instance has followed it to. */
  public void resume(Progress from) {
    Stream stream = new Stream(from.service());
    stream.last = from.last();
    stream.ended = from.ended();
    stream.sessions.addAll(from.sessions());
    streams.put(from.client(), stream);
  }

  /** Closes the sessions of a stream that is taken for ended; if it continues, it is a new one. */
  public void forget(long client, Consumer<? super Event> consumer) {
    Stream stream = streams.remove(client);
    if (stream != null) {
      stream.sessions.forEach(session -> consumer.accept(new Event.SessionClosed(session)));
    }
  }

  /** The names of the processes that have not closed their streams. */
  public List<String> running() {
    return streams.values().stream()
        .filter(stream -> !stream.ended)
        .map(stream -> stream.service)
        .toList();
  }
}
