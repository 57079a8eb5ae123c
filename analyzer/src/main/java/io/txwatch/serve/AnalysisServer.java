package io.txwatch.serve;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Coverage;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Origin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The analyzer that many processes share.
 *
 * <h2>What is acknowledged</h2>
 *
 * A chunk is acknowledged when it was analysed, what it led to was told, and, where a history is
 * written, it was handed to the operating system. So whatever kills this process, a client that
 * comes to the next one sends what that has not got; where in the history each client's chunks
 * stand tells it what it has ({@link Origin}). Without a history the next one begins with what was
 * not acknowledged.
 *
 * <h2>Clients that do not come back</h2>
 *
 * One that was cut off is waited for, then given up: its open transactions end with an unknown
 * outcome, neither committed nor aborted, each with a gap.
 *
 * <h2>What may be forgotten</h2>
 *
 * To the {@link Analyzer} time is the order in which events arrive. A slow link makes a transaction
 * late that overlapped with others, so nothing is forgotten that was over after the moment up to
 * which every client has told everything.
 */
public final class AnalysisServer implements AutoCloseable {

  private static final int MOST_CONNECTIONS = 256;
  private static final int MOST_CLIENTS = 10_000;
  private static final long TICK_MILLIS = 20;
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);

  /** What is on its way when a client's word arrives that it has told everything. */
  private static final long ON_ITS_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Events of a history between two looks at what may be forgotten. */
  private static final long REPLAYED_TOGETHER = 256;

  /**
   * How many events of a history are kept for clients that will go on from there: it does not say
   * how far behind the others each of them was.
   */
  private static final long LATEST_REPLAYED = 100_000;

  private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STOP_MILLIS = 10_000;

  private final ServerOptions options;
  private final ServerListener listener;
  private final RareLines lines;
  private final Analyzer analyzer;
  private final @Nullable HistoryWriter history;
  private final Intake intake;
  private final ServerSocket door;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final Thread thread;

  // Of the thread that analyses.
  private final Map<Long, Client> clients = new LinkedHashMap<>();
  private final Set<Client> toAcknowledge = new LinkedHashSet<>();
  private final Deque<long[]> clockBefore = new ArrayDeque<>();
  private boolean replaying;
  private long events;
  private long duplicates;
  private long anomalies;
  private long faults;
  private long ticked = System.nanoTime();
  private long published = ticked - STATUS_NANOS;
  private long suspected = ticked;

  private volatile Status status = new Status(List.of(), 0, 0, 0, 0, Coverage.NONE);
  private volatile boolean stopping;

  private AnalysisServer(ServerOptions options, ServerListener listener) throws IOException {
    this.options = options;
    this.listener = listener;
    this.lines = new RareLines(listener::say);
    this.analyzer = new Analyzer(options.judge(), this::found, options.memory());
    analyzer.onWithdrawn(listener::withdrawn);
    this.intake = new Intake(Runtime.getRuntime().maxMemory());
    this.door = new ServerSocket();
    try {
      door.setReuseAddress(true);
      door.bind(options.listen().socketAddress(), 64);
      this.history = openHistory();
    } catch (IOException | RuntimeException e) {
      door.close();
      throw e;
    }
    this.thread = new Thread(null, this::run, "txwatch-serve", 0, false);
  }

  /**
   * Opens a server. What its history holds is analysed before this returns; clients that come
   * meanwhile wait.
   *
   * @throws IOException if the address or the history is not to be had; the message says which
   */
  public static AnalysisServer open(ServerOptions options, ServerListener listener)
      throws IOException {
    AnalysisServer server = new AnalysisServer(options, listener);
    server.thread.setDaemon(true);
    server.thread.start();
    Thread doorkeeper = new Thread(null, server::letIn, "txwatch-door", 0, false);
    doorkeeper.setDaemon(true);
    doorkeeper.start();
    return server;
  }

  private @Nullable HistoryWriter openHistory() throws IOException {
    if (options.history().isEmpty()) {
      return null;
    }
    replaying = true;
    HistoryWriter opened =
        HistoryWriter.resume(
            options.history().get(),
            "txwatch serve, process " + ProcessHandle.current().pid(),
            line -> listener.say(line + "; the analysis goes on"),
            this::replay);
    replaying = false;
    long now = System.nanoTime();
    for (Client client : clients.values()) {
      client.awaited = !client.sessions.isEmpty();
      client.cutOff = now;
      client.heard = analyzer.clock() - LATEST_REPLAYED;
    }
    return opened;
  }

  private void replay(Event event, Origin origin) {
    analyzer.accept(event);
    if (!origin.isNobody()) {
      client(origin.client()).replayed(event, origin);
    }
    if (analyzer.clock() % REPLAYED_TOGETHER == 0) {
      analyzer.retain(analyzer.clock() - LATEST_REPLAYED);
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) door.getLocalSocketAddress();
  }

  /** How it was doing a moment ago. */
  public Status status() {
    return status;
  }

  /** Takes in what has come, and ends. What clients have not been acknowledged they keep. */
  @Override
  public void close() {
    stopping = true;
    try {
      door.close();
      connections.forEach(Connection::cut);
      thread.join(STOP_MILLIS);
    } catch (IOException e) {
      listener.say(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void letIn() {
    while (!stopping) {
      try {
        Socket socket = door.accept();
        if (connections.size() >= MOST_CONNECTIONS) {
          lines.say(MOST_CONNECTIONS + " connections are open, one more was closed");
          socket.close();
          continue;
        }
        Connection connection = new Connection(socket, intake, lines, connections::remove);
        connections.add(connection);
        connection.start(options);
        if (stopping) {
          connection.cut();
        }
      } catch (IOException e) {
        if (!stopping) {
          lines.say("cannot take a connection: " + e.getMessage());
          pause();
        }
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!stopping || !connections.isEmpty() || !intake.isEmpty()) {
        Message message = intake.poll(TICK_MILLIS);
        if (message != null) {
          take(message);
        }
        if (message == null || System.nanoTime() - ticked >= TICK_NANOS) {
          tick();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tick();
    analyzer.close();
    if (history != null) {
      history.close();
    }
    publish();
  }

  private void take(Message message) {
    if (message instanceof Message.Received received) {
      received(received);
      intake.release(received.weight());
    } else if (message instanceof Message.Heard heard) {
      heard(heard.connection());
    } else if (message instanceof Message.Arrived arrived) {
      arrived(arrived);
    } else if (message instanceof Message.Announced announced) {
      announced(announced);
      intake.release(announced.weight());
    } else if (message instanceof Message.Left left) {
      left(left);
    }
  }

  private Client client(long id) {
    Client client = clients.get(id);
    if (client == null) {
      client = new Client(id);
      if (clients.size() >= MOST_CLIENTS) {
        clients.values().stream()
            .filter(old -> old.connection == null && !old.awaited)
            .findFirst()
            .ifPresent(old -> clients.remove(old.id));
      }
      clients.put(id, client);
    }
    return client;
  }

  private void arrived(Message.Arrived arrived) {
    Client client = client(arrived.client());
    Connection before = client.connection;
    if (before != null) {
      before.cut();
    }
    boolean back = before != null || client.awaited;
    client.connection = arrived.connection();
    client.name = arrived.name();
    client.awaited = false;
    client.torn = false;
    if (!back) {
      client.heard = clockAWhileAgo();
    } // else what waited for the link while it was cut is still to come
    arrived.connection().client = client;
    if (history != null) {
      history.flush(); // the welcome acknowledges
    }
    arrived.connection().welcome(client.taken, client.sessions.isEmpty());
    lines.say(
        client.name
            + " "
            + (back ? "is back" : "is connected")
            + ", from "
            + arrived.connection().from());
  }

  /** The client has told everything. */
  private void heard(Connection connection) {
    Client client = connection.client;
    if (client != null) {
      client.heard = clockAWhileAgo();
    }
  }

  private void announced(Message.Announced announced) {
    Client client = announced.connection().client;
    if (client == null) {
      return;
    }
    from(client.own());
    for (Event event : announced.events()) {
      if (event instanceof Event.SessionOpened && !client.sessions.contains(event.session())) {
        feed(client, event);
      }
    }
  }

  private void received(Message.Received received) {
    Client client = received.connection().client;
    if (client == null) {
      return;
    }
    if (!received.more()) {
      heard(received.connection());
    }
    toAcknowledge.add(client);
    if (received.number() <= client.taken) {
      duplicates++;
      return;
    }
    long missing = received.number() - client.taken - 1;
    if (missing > 0 && client.taken > 0) {
      from(client.own());
      feed(
          client,
          new Event.Gap(
              0, 0, GapReason.CUT_OFF, "of " + client.name + " a part is missing", missing));
    }
    int ahead = missing == 0 ? Math.min(client.ahead, received.events().size()) : 0;
    from(new Origin(client.id, received.number(), ahead, received.events().size()));
    for (Event event : received.events().subList(ahead, received.events().size())) {
      feed(client, event);
    }
    client.taken = received.number();
    client.ahead = 0;
  }

  private void left(Message.Left left) {
    Client client = left.connection().client;
    if (client == null || client.connection != left.connection()) {
      return;
    }
    client.connection = null;
    if (left.bye()) {
      from(client.own());
      client.end(null, micros(), event -> feed(client, event));
      clients.remove(client.id);
      lines.say(client.name + " has ended");
    } else if (!stopping) {
      client.awaited = true;
      client.cutOff = System.nanoTime();
      client.torn = left.torn();
      lines.say(client.name + " is cut off, waited for " + options.grace().toSeconds() + " s");
    }
  }

  private void giveUp(Client client) {
    client.awaited = false;
    from(client.own());
    if (client.torn) {
      feed(
          client,
          new Event.Gap(
              0, 0, GapReason.TORN_RECORD, client.name + " was cut off within a record", 1));
    }
    int open = client.openTransactions();
    client.end(GapReason.CUT_OFF, micros(), event -> feed(client, event));
    lines.say(
        client.name
            + " did not come back; the outcome of "
            + open
            + " open transactions is unknown");
  }

  private static long micros() {
    return System.currentTimeMillis() * 1000;
  }

  private void from(Origin origin) {
    if (history != null) {
      history.from(origin);
    }
  }

  /** Analyses, then writes: what stands in the history was told. */
  private void feed(Client client, Event event) {
    events++;
    client.note(event);
    try {
      analyzer.accept(event);
    } catch (RuntimeException | StackOverflowError e) {
      fault(event, e);
    }
    if (history != null) {
      try {
        history.accept(event);
      } catch (RuntimeException e) {
        fault(event, e);
      }
    }
  }

  private void fault(Event event, Throwable e) {
    if (faults++ == 0) {
      listener.say("a fault of txwatch, please report it; the analysis goes on: " + e);
    }
    try {
      analyzer.accept(Event.Gap.ofFault(event));
    } catch (RuntimeException again) {
      faults++;
    }
  }

  private void found(Anomaly anomaly) {
    anomalies++;
    listener.found(anomaly, replaying);
  }

  private void tick() {
    long now = System.nanoTime();
    ticked = now;
    if (!toAcknowledge.isEmpty()) {
      if (history != null) {
        history.flush();
      }
      for (Client client : toAcknowledge) {
        Connection connection = client.connection;
        if (connection != null) {
          connection.acknowledge(client.taken);
        }
      }
      toAcknowledge.clear();
    }
    List<Client> late = new ArrayList<>();
    for (Client client : clients.values()) {
      if (client.awaited && !stopping && now - client.cutOff > options.grace().toNanos()) {
        late.add(client);
      }
    }
    late.forEach(this::giveUp);
    retain(now);
    if (now - suspected >= SUSPECT_NANOS) {
      suspected = now;
      analyzer.suspect();
    }
    lines.tick();
    listener.tick();
    if (now - published >= STATUS_NANOS) {
      published = now;
      publish();
    }
  }

  private void retain(long now) {
    clockBefore.addLast(new long[] {now, analyzer.clock()});
    while (clockBefore.size() > 1 && now - clockBefore.getFirst()[0] > ON_ITS_WAY_NANOS) {
      clockBefore.removeFirst();
    }
    long from = clockAWhileAgo();
    for (Client client : clients.values()) {
      if (client.connection != null || client.awaited) {
        from = Math.min(from, client.heard);
      }
    }
    analyzer.retain(from);
  }

  /** The analyzer's time when what arrives now set out, or before. */
  private long clockAWhileAgo() {
    long[] then = clockBefore.peekFirst();
    return then == null ? 0 : then[1];
  }

  private void publish() {
    List<Status.ClientStatus> known = new ArrayList<>();
    for (Client client : clients.values()) {
      if (client.connection != null || client.awaited) {
        known.add(
            new Status.ClientStatus(
                client.name,
                client.connection != null,
                client.sessions.size(),
                client.openTransactions()));
      }
    }
    status =
        new Status(
            known,
            events,
            duplicates,
            anomalies,
            history == null ? 0 : history.lost(),
            analyzer.coverage());
  }
}
