package io.txwatch.analyzer;

import io.txwatch.history.Event;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Passes the events of the analyzers in this process to listeners, on the analyzers' threads: what
 * a listener does delays the analysis. Thread-safe.
 */
public final class EventListeners {

  /** The listeners of this process. */
  public static final EventListeners INSTANCE =
      new EventListeners(line -> System.err.println("txwatch: " + line));

  private static final int MAX_SESSIONS = 10_000;

  private final Consumer<String> warnings;
  private final List<Consumer<Event>> listeners = new CopyOnWriteArrayList<>();
  private final Map<Long, Event.SessionOpened> open = new ConcurrentHashMap<>();

  /**
   * Starts without listeners.
   *
   * @param warnings receives warnings, one line each
   */
  EventListeners(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Adds a listener, which is called for the openings of the sessions that are open, and then for
   * each event; by several threads if there are several analyzers. One that throws is removed.
   *
   * @return removes the listener
   */
  public Runnable add(Consumer<Event> listener) {
    listeners.add(listener);
    open.values().forEach(listener); // some twice rather than one never
    return () -> listeners.remove(listener);
  }

  void accept(Event event) {
    if (event instanceof Event.SessionOpened opened && open.size() < MAX_SESSIONS) {
      open.put(opened.session(), opened);
    } else if (event instanceof Event.SessionClosed) {
      open.remove(event.session());
    }
    for (Consumer<Event> listener : listeners) {
      try {
        listener.accept(event);
      } catch (RuntimeException | LinkageError e) {
        listeners.remove(listener);
        warnings.accept("a listener of events threw " + e + " and is called no more");
      }
    }
  }
}
