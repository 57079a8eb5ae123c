package io.txwatch.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.StatementKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Every event arrives once and in order, or its loss is reported, whatever the link does. */
class BacklogProperties {

  /** A receiver that takes each chunk once, over connections that are cut anywhere. */
  private static final class Receiver {

    long taken;
    final List<Event> events = new ArrayList<>();

    void take(Backlog.NumberedChunk next) throws IOException {
      if (next.number() == taken + 1) {
        taken++;
        events.addAll(Chunk.decode(next.chunk().bytes()));
      } else {
        assertThat(next.number()).isLessThanOrEqualTo(taken);
      }
    }
  }

  private final List<Event> sent = new ArrayList<>();

  private void run(Random random, int steps, long bound, Receiver receiver) throws Exception {
    Backlog backlog = new Backlog(bound, "test");
    Map<Integer, long[]> running = new HashMap<>();
    Set<Integer> open = new HashSet<>();
    long transactions = 0;
    long atSender = 0;
    for (int i = 0; i < steps; i++) {
      int session = 1 + random.nextInt(4);
      long[] transaction = running.get(session);
      if (random.nextInt(3) == 0) {
        Optional<Backlog.NumberedChunk> next = backlog.after(atSender, 0, random.nextBoolean());
        if (next.isPresent()) {
          atSender = next.get().number();
          receiver.take(next.get());
        }
        if (random.nextInt(4) == 0) {
          backlog.acknowledged(receiver.taken);
        }
        if (random.nextInt(10) == 0) { // cut, and reconnected
          backlog.acknowledged(random.nextBoolean() ? receiver.taken : 0);
          atSender = backlog.base();
        }
      } else if (!open.contains(session)) {
        open.add(session);
        send(
            backlog,
            new Event.SessionOpened(session, "s", new Database(new Product("H2", "2"), Map.of())));
      } else if (transaction == null && random.nextInt(6) == 0) {
        open.remove(session);
        send(backlog, new Event.SessionClosed(session));
      } else if (transaction == null) {
        running.put(session, new long[] {++transactions, 1});
        send(
            backlog, new Event.TransactionBegan(session, transactions, IsolationLevel.SNAPSHOT, 0));
      } else if (random.nextInt(3) == 0) {
        running.remove(session);
        send(
            backlog,
            new Event.TransactionEnded(
                session, transaction[0], Outcome.COMMITTED, 0, (int) transaction[1]));
      } else {
        transaction[1]++;
        send(
            backlog,
            new Event.StatementExecuted(
                session,
                transaction[0],
                (int) transaction[1] - 1,
                StatementKind.SELECT,
                "SELECT " + random.nextInt(5) + " ".repeat(random.nextInt(300)),
                "",
                List.of(),
                true,
                null));
      }
    }
    while (!backlog.isEmpty()) {
      for (Optional<Backlog.NumberedChunk> next = backlog.after(atSender, 0, true);
          next.isPresent();
          next = backlog.after(atSender, 0, true)) {
        atSender = next.get().number();
        receiver.take(next.get());
      }
      backlog.acknowledged(receiver.taken);
    }
  }

  private void send(Backlog backlog, Event event) {
    sent.add(event);
    backlog.add(event);
  }

  @Property(tries = 100, shrinking = net.jqwik.api.ShrinkingMode.OFF)
  void everyEventArrivesOnceWithinTheBound(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 2_000) int steps) throws Exception {
    sent.clear();
    Receiver receiver = new Receiver();
    run(new Random(seed), steps, 1 << 24, receiver);
    assertThat(receiver.events).isEqualTo(sent);
  }

  @Property(tries = 100, shrinking = net.jqwik.api.ShrinkingMode.OFF)
  void droppedEventsAreCountedAndDetected(
      @ForAll long seed, @ForAll @IntRange(min = 500, max = 3_000) int steps) throws Exception {
    sent.clear();
    Receiver receiver = new Receiver();
    run(new Random(seed), steps, 8_000, receiver);

    long reported = 0;
    Map<Long, List<Event>> arrived = new LinkedHashMap<>();
    Map<Long, Long> counts = new HashMap<>();
    for (Event event : receiver.events) {
      if (event instanceof Event.Gap gap) {
        assertThat(gap.reason()).isEqualTo(GapReason.OVERFLOW);
        reported += gap.count();
        continue;
      }
      arrived.computeIfAbsent(event.session(), session -> new ArrayList<>()).add(event);
      if (event instanceof Event.TransactionEnded ended) {
        // The count at its end distinguishes a complete transaction from one that lost events.
        boolean whole =
            sent.stream().filter(e -> e.transaction() == ended.transaction()).count()
                == counts.getOrDefault(ended.transaction(), 0L) + 1;
        assertThat(counts.getOrDefault(ended.transaction(), 0L) == ended.events()).isEqualTo(whole);
      } else if (event.transaction() != 0) {
        counts.merge(event.transaction(), 1L, Long::sum);
      }
    }
    // Every session's events arrive in order, none twice, and one that is open is known to be.
    arrived.forEach((session, events) -> assertThat(isSubsequence(events, of(session))).isTrue());
    assertThat(openSessions(receiver.events)).isEqualTo(openSessions(sent));
    long notSession =
        sent.stream().filter(e -> e.transaction() != 0).count()
            - receiver.events.stream().filter(e -> e.transaction() != 0).count();
    assertThat(reported).isEqualTo(notSession);
  }

  private List<Event> of(long session) {
    return sent.stream().filter(event -> event.session() == session).toList();
  }

  private static Set<Long> openSessions(List<Event> events) {
    Set<Long> open = new HashSet<>();
    for (Event event : events) {
      if (event instanceof Event.SessionOpened) {
        open.add(event.session());
      } else if (event instanceof Event.SessionClosed) {
        open.remove(event.session());
      }
    }
    return open;
  }

  private static boolean isSubsequence(List<Event> part, List<Event> whole) {
    int at = 0;
    for (Event event : part) {
      while (at < whole.size() && !whole.get(at).equals(event)) {
        at++;
      }
      if (at++ == whole.size()) {
        return false;
      }
    }
    return true;
  }
}
