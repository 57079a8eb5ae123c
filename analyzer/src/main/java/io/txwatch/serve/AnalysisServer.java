package io.txwatch.serve;

import io.txwatch.coverage.Coverage;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Origin;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The analyzer that many processes share.
 *
 * <h2>Acknowledgement</h2>
 *
 * A chunk is acknowledged once it was analyzed, its anomalies were reported, and, if a history is
 * written, it was handed to the operating system. Whatever kills this process, a client that
 * connects to the next one resends what that one does not have: the position of each client's
 * chunks in the history ({@link Origin}) shows what it has. Without a history, the next process
 * starts with the chunks that were not acknowledged.
 *
 * <h2>Clients that do not come back</h2>
 *
 * A client that was cut off is awaited for a grace period and then removed. Its open transactions
 * end with an unknown outcome, each with a gap.
 */
public final class AnalysisServer implements AutoCloseable {

  private static final long POLL_INTERVAL_MILLIS = 20;
  private static final long POLL_INTERVAL_NANOS =
      TimeUnit.MILLISECONDS.toNanos(POLL_INTERVAL_MILLIS);
  private static final long STATUS_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long EPOCH_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SUSPECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STOP_TIMEOUT_MILLIS = 10_000;

  private final ServerOptions options;
  private final ServerListener listener;
  private final RateLimitedLog log;
  private final BoundedInbox inbox = new BoundedInbox();
  private final Acceptor acceptor;
  private final Thread thread;

  // Confined to the analysis thread.
  private final ClientRegistry clients = new ClientRegistry();
  private final SharedAnalysis analysis;
  private final Epochs epochs;
  private final Set<ClientState> unacknowledged = new LinkedHashSet<>();
  private long duplicates;
  private long lastTickNanos = System.nanoTime();
  private long lastStatusNanos = lastTickNanos - STATUS_INTERVAL_NANOS;
  private long lastSuspectNanos = lastTickNanos;
  private long lastEpochNanos = lastTickNanos;

  private volatile Status status = new Status(List.of(), 0, 0, 0, 0, 0, Coverage.NONE);
  private volatile boolean stopping;

  private AnalysisServer(ServerOptions options, ServerListener listener) throws IOException {
    this.options = options;
    this.listener = listener;
    this.log = new RateLimitedLog(listener::log);
    this.acceptor = new Acceptor(options, inbox, log);
    try {
      this.analysis = new SharedAnalysis(options, listener, clients);
    } catch (IOException | RuntimeException e) {
      acceptor.close();
      throw e;
    }
    this.epochs = new Epochs(analysis.retainFrom());
    this.thread = new Thread(null, this::run, "txwatch-serve", 0, false);
  }

  /**
   * Opens a server. The events of its history are analyzed before this returns; clients that
   * connect meanwhile wait.
   *
   * @throws IOException if the address or the history is not available; the message names it
   */
  public static AnalysisServer open(ServerOptions options, ServerListener listener)
      throws IOException {
    AnalysisServer server = new AnalysisServer(options, listener);
    server.thread.setDaemon(true);
    server.thread.start();
    server.acceptor.open();
    return server;
  }

  public InetSocketAddress address() {
    return acceptor.address();
  }

  public Status status() {
    return status;
  }

  /** What its page shows. */
  public LiveSource liveSource() {
    return new SharedSource();
  }

  private final class SharedSource implements LiveSource {

    @Override
    public String name() {
      List<Status.ClientStatus> clients = status.clients();
      return clients.isEmpty()
          ? "without watched processes"
          : clients.stream()
              .map(Status.ClientStatus::name)
              .collect(Collectors.joining(", ", "of ", ""));
    }

    @Override
    public List<Group> anomalies() {
      return analysis.results().groups();
    }

    @Override
    public Figures figures() {
      Status now = status;
      return new Figures(
          now.coverage(), now.anomalies(), now.sessions(), now.graphBytes(), now.dropped());
    }

    @Override
    public Optional<String> statusJson() {
      return Optional.of(status.json());
    }
  }

  /** Analyzes what has arrived, and stops. Clients keep the chunks that were not acknowledged. */
  @Override
  public void close() {
    stopping = true;
    try {
      acceptor.close();
      thread.join(STOP_TIMEOUT_MILLIS);
    } catch (IOException e) {
      listener.log(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    tick(); // before the first event, so that nothing is discarded that a client not yet known
    // overlaps with
    try {
      while (!stopping || !acceptor.isQuiet() || !inbox.isEmpty()) {
        Message message = inbox.poll(POLL_INTERVAL_MILLIS);
        try {
          if (message != null) {
            handle(message);
          }
          if (message == null || System.nanoTime() - lastTickNanos >= POLL_INTERVAL_NANOS) {
            tick();
          }
        } catch (RuntimeException | Error e) {
          handleFault(message, e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tick();
    analysis.close();
    status = analysis.status(clients, duplicates);
  }

  /**
   * Cuts off a client whose message could not be analyzed: it reconnects and sends the message
   * again.
   */
  private void handleFault(@Nullable Message message, Throwable e) {
    if (message != null) {
      message.connection().cut();
    }
    log.log("a fault of txwatch, please report it: " + e);
  }

  private void handle(Message message) {
    if (message instanceof Message.ChunkReceived chunkReceived) {
      try {
        chunkReceived(chunkReceived);
        epochAcknowledged(chunkReceived.connection(), chunkReceived.acknowledgedEpoch());
      } finally {
        inbox.release(chunkReceived.weight());
      }
    } else if (message instanceof Message.Heartbeat heartbeat) {
      epochAcknowledged(heartbeat.connection(), heartbeat.acknowledgedEpoch());
    } else if (message instanceof Message.ClientConnected connected) {
      connected(connected);
    } else if (message instanceof Message.SessionsAnnounced sessionsAnnounced) {
      try {
        sessionsAnnounced(sessionsAnnounced);
      } finally {
        inbox.release(sessionsAnnounced.weight());
      }
    } else if (message instanceof Message.Disconnected disconnected) {
      disconnected(disconnected);
    }
  }

  private void connected(Message.ClientConnected connected) {
    ClientState client = clients.client(connected.client());
    Connection before = client.connection;
    if (before != null) {
      before.cut();
    }
    boolean back = before != null || client.awaited;
    client.connection = connected.connection();
    client.name = connected.name();
    client.awaited = false;
    client.torn = false;
    if (!back) {
      client.acknowledgedEpoch = epochs.newest();
      epochs.clientConnects(analysis.clock());
    } // else the client still sends what it buffered while the link was cut
    connected.connection().client = client;
    analysis.flush(); // since the welcome acknowledges
    connected.connection().welcome(client.lastChunk, client.sessions.isEmpty());
    log.log(
        client.name
            + " "
            + (back ? "is back" : "is connected")
            + ", from "
            + connected.connection().address());
  }

  /** Notes that a client will send no event from before an epoch. */
  private static void epochAcknowledged(Connection connection, long epoch) {
    ClientState client = connection.client;
    if (client != null && epoch <= client.sentEpoch) {
      client.acknowledgedEpoch = Math.max(client.acknowledgedEpoch, epoch);
    }
  }

  private void sessionsAnnounced(Message.SessionsAnnounced sessionsAnnounced) {
    ClientState client = sessionsAnnounced.connection().client;
    if (client == null) {
      return;
    }
    analysis.setOrigin(client.ownOrigin());
    for (Event event : sessionsAnnounced.events()) {
      if (event instanceof Event.SessionOpened && !client.sessions.contains(event.session())) {
        analyze(client, event);
      }
    }
  }

  private void chunkReceived(Message.ChunkReceived chunkReceived) {
    ClientState client = chunkReceived.connection().client;
    if (client == null) {
      return;
    }
    unacknowledged.add(client);
    if (chunkReceived.number() <= client.lastChunk) {
      duplicates++;
      return;
    }
    epochs.chunkArrives(client, chunkReceived.number(), analysis.clock());
    long missing = chunkReceived.number() - client.lastChunk - 1;
    if (missing > 0 && client.lastChunk > 0) {
      analysis.setOrigin(client.ownOrigin());
      analyze(
          client,
          new Event.Gap(
              0, 0, GapReason.CUT_OFF, "of " + client.name + " a part is missing", missing));
    }
    int takenOfNextChunk =
        missing == 0 ? Math.min(client.takenOfNextChunk, chunkReceived.events().size()) : 0;
    analysis.setOrigin(
        new Origin(
            client.id, chunkReceived.number(), takenOfNextChunk, chunkReceived.events().size()));
    for (Event event :
        chunkReceived.events().subList(takenOfNextChunk, chunkReceived.events().size())) {
      analyze(client, event);
    }
    client.lastChunk = chunkReceived.number();
    client.takenOfNextChunk = 0;
  }

  private void disconnected(Message.Disconnected disconnected) {
    ClientState client = disconnected.connection().client;
    if (client == null || client.connection != disconnected.connection()) {
      return;
    }
    client.markComplete(disconnected.connection().complete());
    client.connection = null;
    if (disconnected.end() == Message.End.IN_ORDER) {
      epochs.clientLeaves(client, analysis.clock());
      analysis.setOrigin(client.ownOrigin());
      client.closeAll(null, micros(), event -> analyze(client, event));
      clients.remove(client);
      log.log(client.name + " has ended");
    } else if (!stopping) {
      client.awaited = true;
      client.cutOffNanos = System.nanoTime();
      client.torn = disconnected.end() == Message.End.CUT_WITHIN_FRAME;
      log.log(client.name + " is cut off, waited for " + options.grace().toSeconds() + " s");
    }
  }

  private void giveUp(ClientState client) {
    client.awaited = false;
    epochs.clientLeaves(client, analysis.clock());
    analysis.setOrigin(client.ownOrigin());
    if (client.torn) {
      analyze(
          client,
          new Event.Gap(
              0, 0, GapReason.TORN_RECORD, client.name + " was cut off within a record", 1));
    }
    int open = client.openTransactions();
    client.closeAll(GapReason.CUT_OFF, micros(), event -> analyze(client, event));
    log.log(
        client.name
            + " did not come back; the outcome of "
            + open
            + " open transactions is unknown");
  }

  private static long micros() {
    return System.currentTimeMillis() * 1000;
  }

  private void analyze(ClientState client, Event event) {
    client.track(event);
    analysis.accept(event);
  }

  private void tick() {
    long now = System.nanoTime();
    lastTickNanos = now;
    if (now - lastEpochNanos >= EPOCH_INTERVAL_NANOS) {
      lastEpochNanos = now;
      unacknowledged.addAll(
          clients.connected()); // clients without events acknowledge the epoch, too
    }
    acknowledge();
    if (!stopping) {
      clients.awaitedSince(now - options.grace().toNanos()).forEach(this::giveUp);
    }
    analysis.retain(epochs.retainFrom(clients.expected(), analysis.clock()));
    if (now - lastSuspectNanos >= SUSPECT_INTERVAL_NANOS) {
      lastSuspectNanos = now;
      analysis.suspect();
    }
    log.tick();
    listener.tick();
    if (now - lastStatusNanos >= STATUS_INTERVAL_NANOS) {
      lastStatusNanos = now;
      status = analysis.status(clients, duplicates);
    }
  }

  private void acknowledge() {
    if (unacknowledged.isEmpty()) {
      return;
    }
    analysis.flush();
    clients.updateCompletedChunks();
    long epoch = epochs.begin(clients.expected());
    for (ClientState client : unacknowledged) {
      Connection connection = client.connection;
      if (connection != null) {
        client.sentEpoch = epoch;
        connection.acknowledge(client.lastChunk, epoch);
      }
    }
    unacknowledged.clear();
  }
}
