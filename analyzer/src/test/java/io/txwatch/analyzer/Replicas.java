package io.txwatch.analyzer;

import io.txwatch.history.Cluster;
import io.txwatch.history.Event;
import io.txwatch.history.RowShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Histories of {@link Notation} on a primary and a standby: transactions from 5 on are on the
 * standby, whose sessions are opened first.
 */
public final class Replicas {

  private static final int FIRST_ON_STANDBY = 5;

  private Replicas() {}

  /** All transactions are of one trace. */
  public static List<Event> events(List<Event> events) {
    return events(events, Map.of());
  }

  /**
   * The events.
   *
   * @param traces has the trace of each transaction that is not of trace A
   */
  public static List<Event> events(List<Event> events, Map<Long, String> traces) {
    List<Event> opened = new ArrayList<>();
    List<Event> others = new ArrayList<>();
    for (Event event : events) {
      if (event instanceof Event.SessionOpened e) {
        boolean isStandby = e.session() >= FIRST_ON_STANDBY;
        opened.add(
            new Event.SessionOpened(
                e.session(),
                e.name(),
                e.database()
                    .in(e.database().run() + (isStandby ? " standby" : " primary"))
                    .of(new Cluster("c", isStandby))));
      } else {
        others.add(event instanceof Event.TransactionBegan e ? traced(e, traces) : event);
      }
    }
    opened.addAll(others);
    return opened;
  }

  private static Event traced(Event.TransactionBegan event, Map<Long, String> traces) {
    return new Event.TransactionBegan(
        event.session(),
        event.transaction(),
        event.level(),
        event.micros(),
        event.name(),
        traces.getOrDefault(event.transaction(), "A"),
        RowShare.ALL);
  }
}
