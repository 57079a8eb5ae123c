package io.txwatch.corpus;

import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Collects the events of watched connections. Thread-safe. */
public final class EventCollector implements EventSink {

  private final List<Event> events = new CopyOnWriteArrayList<>();

  /** The events so far, in order; the list is live. */
  public List<Event> events() {
    return events;
  }

  @Override
  public void accept(Event event) {
    events.add(event);
  }

  @Override
  public void close() {}
}
