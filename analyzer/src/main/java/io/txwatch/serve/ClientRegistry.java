package io.txwatch.serve;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The clients that are connected, that are waited for, and whose books are kept in case they come
 * again.
 */
final class ClientRegistry {

  private static final int MAX_CLIENTS = 10_000;

  private final Map<Long, ClientState> clients = new LinkedHashMap<>();

  /** The client of that id, which may be new. */
  ClientState client(long id) {
    ClientState client = clients.get(id);
    if (client == null) {
      client = new ClientState(id);
      if (clients.size() >= MAX_CLIENTS) {
        clients.values().stream()
            .filter(old -> old.connection == null && !old.awaited)
            .findFirst()
            .ifPresent(old -> clients.remove(old.id));
      }
      clients.put(id, client);
    }
    return client;
  }

  void remove(ClientState client) {
    clients.remove(client.id);
  }

  /** After a restart: those that had sessions open are waited for. */
  void awaitReplayedClients() {
    long now = System.nanoTime();
    for (ClientState client : clients.values()) {
      client.awaited = !client.sessions.isEmpty();
      client.cutOffNanos = now;
    }
  }

  /** Those that were waited for since before that time, of {@link System#nanoTime}. */
  List<ClientState> awaitedSince(long time) {
    List<ClientState> late = new ArrayList<>();
    for (ClientState client : clients.values()) {
      if (client.awaited && client.cutOffNanos - time < 0) {
        late.add(client);
      }
    }
    return late;
  }

  /** Those of whom something may come. */
  List<ClientState> expected() {
    return clients.values().stream().filter(ClientState::isExpected).toList();
  }

  /** Takes note of which chunks each has said to be complete. */
  void updateCompletedChunks() {
    for (ClientState client : clients.values()) {
      Connection connection = client.connection;
      if (connection != null) {
        client.markComplete(connection.complete());
      }
    }
  }

  /** Those that are connected. */
  List<ClientState> connected() {
    return clients.values().stream().filter(client -> client.connection != null).toList();
  }

  /** How each is doing of whom something may come. */
  List<Status.ClientStatus> statuses() {
    List<Status.ClientStatus> known = new ArrayList<>();
    for (ClientState client : expected()) {
      known.add(
          new Status.ClientStatus(
              client.name,
              client.connection != null,
              client.sessions.size(),
              client.openTransactions()));
    }
    return known;
  }
}
