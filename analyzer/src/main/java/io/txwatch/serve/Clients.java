package io.txwatch.serve;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The clients, and up to which moment all of them have told everything.
 *
 * <p>To the analyzer time is the order in which events arrive. A slow link makes a transaction late
 * that overlapped with others, so nothing is forgotten that was over after that moment. Each client
 * is told the analyzer's time and sends it back with the last of what had happened by then, so that
 * is known for certain, however slow the link. A client that is new begins with the time at which
 * it was let in.
 */
final class Clients {

  private static final int MOST = 10_000;

  private final Map<Long, Client> clients = new LinkedHashMap<>();

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
   * @param told the analyzer's time from which they may still tell something
   */
  void awaitThoseOfEarlier(long told) {
    long now = System.nanoTime();
    for (Client client : clients.values()) {
      client.awaited = !client.sessions.isEmpty();
      client.cutOff = now;
      client.told = told;
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

  /**
   * Up to which of the analyzer's times every client has told everything.
   *
   * @param clock the analyzer's time now
   */
  long toldUpTo(long clock) {
    long upTo = clock;
    for (Client client : clients.values()) {
      if (client.isExpected()) {
        upTo = Math.min(upTo, client.told);
      }
    }
    return upTo;
  }

  /** Those that are connected. */
  List<Client> connected() {
    return clients.values().stream().filter(client -> client.connection != null).toList();
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
