package io.txwatch.dependency;

import io.txwatch.history.Event;
import io.txwatch.history.LoadShedding;
import io.txwatch.history.RowShare;
import io.txwatch.history.TransactionEvents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What would have been emitted of a history in a process whose queue filled and emptied again. */
public final class ShedHistory {

  private static final int CAPACITY = 64;

  /** A queue that is no longer filled than that, and does not become emptier, is an overload. */
  private static final int OVERLOADED = 52;

  private static final double MIN_FRACTION = 0.25;

  private final List<Event> out = new ArrayList<>();
  private final LoadShedding shedding = new LoadShedding();
  private final Map<Long, TransactionEvents> open = new HashMap<>();
  private long nanos;
  private long idleNanos;
  private long index;

  private ShedHistory() {}

  /** As if the queue filled or emptied at random, once in so many events on average. */
  public static List<Event> of(List<Event> history, Random random, int eventsPerChange) {
    ShedHistory shed = new ShedHistory();
    boolean isOverloadedAtFirst = random.nextBoolean();
    for (int i = 0; i < history.size(); i++) {
      if (random.nextInt(eventsPerChange) == 0 || i == 1 && isOverloadedAtFirst) {
        shed.change(random.nextBoolean(), history.get(i).session());
      } else if (random.nextInt(4) == 0) {
        shed.adjust(false, history.get(i).session());
      }
      shed.add(history.get(i));
    }
    return shed.out;
  }

  /** With a constant {@linkplain #share share}, which the queue has been full so often for. */
  public static List<Event> of(List<Event> history, int overloads) {
    ShedHistory shed = new ShedHistory();
    for (int i = 0; i < overloads; i++) {
      shed.change(true, history.get(0).session());
    }
    history.forEach(shed::add);
    return shed.out;
  }

  /** The share that was announced last. */
  public static RowShare share(List<Event> shed) {
    return shed.stream()
        .filter(Event.RowsShed.class::isInstance)
        .map(event -> ((Event.RowsShed) event).share())
        .reduce(RowShare.ALL, (earlier, later) -> later);
  }

  private void change(boolean smaller, long session) {
    if (!smaller) {
      nanos += TimeUnit.SECONDS.toNanos(1);
      idleNanos += TimeUnit.SECONDS.toNanos(1);
      adjust(false, session);
    } else if (share(out).fraction() > MIN_FRACTION) {
      adjust(true, session);
      adjust(true, session);
    }
  }

  private void adjust(boolean isOverloaded, long session) {
    index += CAPACITY;
    long produced = index + (isOverloaded ? OVERLOADED : 0);
    shedding.adjust(index, produced, 0, CAPACITY, nanos, idleNanos, session, out::add);
  }

  private void add(Event event) {
    if (event instanceof Event.TransactionBegan e) {
      open.put(
          e.transaction(),
          new TransactionEvents(
              shedding,
              out::add,
              e.session(),
              e.transaction(),
              e.level(),
              e.micros(),
              e.name(),
              e.traceId()));
    } else if (!open.containsKey(event.transaction())) {
      out.add(event);
    } else {
      add(open.get(event.transaction()), event);
    }
  }

  private void add(TransactionEvents transaction, Event event) {
    if (event instanceof Event.StatementExecuted e) {
      transaction.executed(e);
    } else if (event instanceof Event.StatementsUndone e) {
      transaction.undone(e);
    } else if (event instanceof Event.TransactionIdentified e) {
      transaction.identified(e);
    } else if (event instanceof Event.Gap e) {
      transaction.gap(e);
    } else if (event instanceof Event.TransactionEnded e) {
      transaction.ended(e.session(), e.transaction(), e.outcome(), e.micros());
      open.remove(e.transaction());
    }
  }
}
