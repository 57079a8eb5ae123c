package io.txwatch.dependency;

import io.txwatch.history.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Other orders in which the same sessions' events may arrive. */
public final class Interleavings {

  private Interleavings() {}

  /** A random interleaving that keeps the order within each session. */
  public static List<Event> reordered(List<Event> history, Random random) {
    Map<Long, Deque<Event>> sessions = new LinkedHashMap<>();
    history.forEach(
        event -> sessions.computeIfAbsent(event.session(), s -> new ArrayDeque<>()).add(event));
    List<Deque<Event>> left = new ArrayList<>(sessions.values());
    List<Event> reordered = new ArrayList<>();
    while (!left.isEmpty()) {
      int at = random.nextInt(left.size());
      Deque<Event> session = left.get(at);
      reordered.add(session.removeFirst());
      if (session.isEmpty()) {
        left.remove(at);
      }
    }
    return reordered;
  }
}
