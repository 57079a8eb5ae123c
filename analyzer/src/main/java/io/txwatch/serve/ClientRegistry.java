package io.txwatch.serve;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The clients that are connected, that are awaited, and whose state is kept in case they reconnect.
 */
final class ClientRegistry {

  private static final int MAX_CLIENTS = 10_000;

  private final Map<Long, ClientState> clients = new LinkedHashMap<>();

  /** The client with that id, which may be new. */
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

  /** Awaits, after a restart, the clients that had sessions open. */
  void awaitReplayedClients() {
    long now = System.nanoTime();
    for (ClientState client : clients.values()) {
      client.awaited = !client.sessions.isEmpty();
      client.cutOffNanos = now;
    }
  }

  /** The clients awaited since before that time, as {@link System#nanoTime}. */
  List<ClientState> awaitedSince(long time) {
    List<ClientState> late = new ArrayList<>();
    for (ClientState client : clients.values()) {
      if (client.awaited && client.cutOffNanos - time < 0) {
        late.add(client);
      }
    }
    return late;
  }

  /** The clients that may send more events. */
  List<ClientState> expected() {
    return clients.values().stream().filter(ClientState::isExpected).toList();
  }

  /** Reads from each connection which chunks are complete. */
  void updateCompletedChunks() {
    for (ClientState client : clients.values()) {
      Connection connection = client.connection;
      if (connection != null) {
        client.markComplete(connection.complete());
      }
    }
  }

  List<ClientState> connected() {
    return clients.values().stream().filter(client -> client.connection != null).toList();
  }

  /** The status of each client that may send more events. */
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
