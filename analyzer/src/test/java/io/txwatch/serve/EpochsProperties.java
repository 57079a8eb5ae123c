package io.txwatch.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares {@link Epochs} with the true order of events, for clients with arbitrary delays. */
class EpochsProperties {

  /** Some clients, and the analyzer. */
  private static final class World {

    /** The simulated time; later events have a higher one. */
    private int now;

    private final Epochs epochs = new Epochs(0);
    private final List<Modelled> modelled = new ArrayList<>();
    private final List<ClientState> expected = new ArrayList<>();

    /** The time of each event, in the order of arrival at the analyzer. */
    private final List<Integer> arrived = new ArrayList<>();

    /** The time of the newest event that may be discarded. */
    private int latest = -1;

    private int checked;

    private record Frame(List<Integer> events, long number, long acknowledged) {}

    private record PendingAcknowledgement(long epoch, long chunk) {}

    /** Models TcpSink and the queue before it. */
    private final class Modelled {
      final ClientState books;
      final List<Integer> queued = new ArrayList<>();
      final Deque<List<Integer>> chunks = new ArrayDeque<>();
      List<Integer> building = new ArrayList<>();
      final Deque<PendingAcknowledgement> pending = new ArrayDeque<>();
      final Deque<Frame> wire = new ArrayDeque<>();
      final Deque<Long> answers = new ArrayDeque<>();
      long last;
      long sent;
      long received;
      long before;
      long lastAcknowledged;

      Modelled(int id) {
        books = new ClientState(id);
        books.acknowledgedEpoch = epochs.newest();
        epochs.clientConnects(arrived.size());
      }

      void act(int what) {
        switch (what) {
          case 0 -> queued.add(now++);
          case 1 -> { // one event gets from the queue into a chunk
            if (!queued.isEmpty()) {
              building.add(queued.remove(0));
            }
          }
          case 2 -> {
            building.addAll(queued);
            queued.clear();
            if (before > lastAcknowledged) {
              lastAcknowledged = before;
              pending.add(new PendingAcknowledgement(before, building.isEmpty() ? last : last + 1));
            }
            before = received;
          }
          case 3 -> {
            if (!building.isEmpty()) {
              chunks.add(building);
              last++;
              building = new ArrayList<>();
            }
          }
          case 4 -> {
            List<Integer> next = chunks.poll();
            if (next != null) {
              sent++;
            }
            long acknowledged = 0;
            while (!pending.isEmpty() && pending.peek().chunk <= sent) {
              acknowledged = pending.remove().epoch;
            }
            wire.add(
                new Frame(next == null ? List.of() : next, next == null ? 0 : sent, acknowledged));
          }
          case 5 -> books.markComplete(last);
          case 6 -> receiveFrame();
          case 7 -> answers.add(epochs.begin(expected));
          default -> {
            Long answer = answers.poll();
            received = answer == null ? received : answer;
          }
        }
      }

      private void receiveFrame() {
        Frame frame = wire.poll();
        if (frame == null) {
          return;
        }
        if (frame.number > 0) {
          epochs.chunkArrives(books, frame.number, arrived.size());
          arrived.addAll(frame.events);
        }
        books.acknowledgedEpoch = Math.max(books.acknowledgedEpoch, frame.acknowledged);
      }

      /** The time of the oldest event that has not arrived. */
      int oldestPending() {
        int first = now;
        for (Frame frame : wire) {
          first = least(first, frame.events);
        }
        for (List<Integer> chunk : chunks) {
          first = least(first, chunk);
        }
        return least(least(first, building), queued);
      }

      private static int least(int first, List<Integer> events) {
        return Math.min(first, events.stream().mapToInt(i -> i).min().orElse(first));
      }
    }

    World(int clients) {
      for (int i = 0; i < clients; i++) {
        comesIn();
      }
    }

    void comesIn() {
      Modelled client = new Modelled(modelled.size());
      modelled.add(client);
      expected.add(client.books);
    }

    /** The number of arrived events whose transactions may be discarded. */
    int mayBeDiscarded() {
      int from = (int) epochs.retainFrom(expected, arrived.size());
      for (; checked < from; checked++) {
        latest = Math.max(latest, arrived.get(checked));
      }
      return from;
    }
  }

  @Property(tries = 100)
  void discardableTransactionsEndedBeforeAllPendingEvents(@ForAll long seed) {
    Random random = new Random(seed);
    World world = new World(1 + random.nextInt(3));
    int most = 0;
    for (int i = 0; i < 2_000; i++) {
      world.modelled.get(random.nextInt(world.modelled.size())).act(random.nextInt(9));
      if (i % 300 == 299) {
        world.comesIn();
      }
      most = Math.max(most, world.mayBeDiscarded());
      assertThat(world.modelled).allMatch(client -> world.latest < client.oldestPending());
    }
    assertThat(most).isPositive();
  }

  /** One client has a large backlog: once its chunks are complete, nothing is retained for them. */
  @Property(tries = 100)
  void backlogsDoNotPreventDiscarding(@ForAll @IntRange(min = 1, max = 50) int waits) {
    World world = new World(2);
    World.Modelled slow = world.modelled.get(0);
    World.Modelled quick = world.modelled.get(1);
    for (int i = 0; i < waits; i++) {
      List.of(0, 2, 3).forEach(slow::act);
    }
    for (int i = 0; i < 3; i++) { // received, acknowledged, processed
      for (World.Modelled client : List.of(slow, quick)) {
        List.of(5, 7, 8, 2, 2).forEach(client::act);
      }
    }
    for (int i = 0; i <= waits; i++) {
      List.of(4, 6).forEach(slow::act);
    }
    List.of(4, 6).forEach(quick::act);
    assertThat(world.mayBeDiscarded()).isEqualTo(waits);
  }
}
