package io.txwatch.serve;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The clients, and up to which moment all of them have told everything.
 *
 * <p>To the analyzer time is the order in which events arrive. A slow link makes a transaction late
 * that overlapped with others, so nothing is forgotten that was over after that moment.
 */
final class Clients {

  private static final int MOST = 10_000;

  /** What is on its way when a client's word arrives that it has told everything. */
  private static final long ON_ITS_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Map<Long, Client> clients = new LinkedHashMap<>();
  private final Deque<long[]> clockBefore = new ArrayDeque<>();

  /** The client of that id, which may be new. */
  Client client(long id) {
    Client client = clients.get(id);
    if (client == null) {
      client = new Client(id);
      if (clients.size() >= MOST) {
        clients.values().stream()
            .filter(old -> old.connection == null && !old.awaited)
            .findFirst()
            .ifPresent(old -> clients.remove(old.id));
      }
      clients.put(id, client);
    }
    return client;
  }

  void remove(Client client) {
    clients.remove(client.id);
  }

  /**
   * After a restart: those that had sessions open are waited for.
   *
   * @param heard the analyzer's time from which they may still tell something
   */
  void awaitThoseOfEarlier(long heard) {
    long now = System.nanoTime();
    for (Client client : clients.values()) {
      client.awaited = !client.sessions.isEmpty();
      client.cutOff = now;
      client.heard = heard;
    }
  }

  /** Those that were waited for since before that time, of {@link System#nanoTime}. */
  List<Client> awaitedSinceBefore(long time) {
    List<Client> late = new ArrayList<>();
    for (Client client : clients.values()) {
      if (client.awaited && client.cutOff - time < 0) {
        late.add(client);
      }
    }
    return late;
  }

  /** A client has told everything. */
  void heard(Client client) {
    client.heard = clockAWhileAgo();
  }

  /**
   * Up to which of the analyzer's times every client has told everything.
   *
   * @param clock the analyzer's time now
   */
  long toldUpTo(long clock) {
    long now = System.nanoTime();
    clockBefore.addLast(new long[] {now, clock});
    while (clockBefore.size() > 1 && now - clockBefore.getFirst()[0] > ON_ITS_WAY_NANOS) {
      clockBefore.removeFirst();
    }
    long upTo = clockAWhileAgo();
    for (Client client : clients.values()) {
      if (client.isExpected()) {
        upTo = Math.min(upTo, client.heard);
      }
    }
    return upTo;
  }

  /** The analyzer's time when what arrives now set out, or before. */
  private long clockAWhileAgo() {
    long[] then = clockBefore.peekFirst();
    return then == null ? 0 : then[1];
  }

  /** How each is doing of whom something may come. */
  List<Status.ClientStatus> statuses() {
    List<Status.ClientStatus> known = new ArrayList<>();
    for (Client client : clients.values()) {
      if (client.isExpected()) {
        known.add(
            new Status.ClientStatus(
                client.name,
                client.connection != null,
                client.sessions.size(),
                client.openTransactions()));
      }
    }
    return known;
  }
}
