package io.txwatch.serve;

import io.txwatch.coverage.Coverage;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Origin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
 */
public final class AnalysisServer implements AutoCloseable {

  private static final long TICK_MILLIS = 20;
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
  private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long EPOCH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STOP_MILLIS = 10_000;

  private final ServerOptions options;
  private final ServerListener listener;
  private final RareLines lines;
  private final Intake intake = new Intake();
  private final Door door;
  private final Thread thread;

  // Of the thread that analyses.
  private final Clients clients = new Clients();
  private final SharedAnalysis analysis;
  private final Epochs epochs;
  private final Set<Client> toAcknowledge = new LinkedHashSet<>();
  private long duplicates;
  private long ticked = System.nanoTime();
  private long published = ticked - STATUS_NANOS;
  private long suspected = ticked;
  private long epochSent = ticked;

  private volatile Status status = new Status(List.of(), 0, 0, 0, 0, Coverage.NONE);
  private volatile boolean stopping;

  private AnalysisServer(ServerOptions options, ServerListener listener) throws IOException {
    this.options = options;
    this.listener = listener;
    this.lines = new RareLines(listener::say);
    this.door = new Door(options, intake, lines);
    try {
      this.analysis = new SharedAnalysis(options, listener, clients);
    } catch (IOException | RuntimeException e) {
      door.close();
      throw e;
    }
    this.epochs = new Epochs(analysis.retainFrom());
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
    server.door.open();
    return server;
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return door.address();
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
      thread.join(STOP_MILLIS);
    } catch (IOException e) {
      listener.say(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    tick(); // before the first event, so that nobody is forgotten of whom it is not known
    try {
      while (!stopping || !door.isQuiet() || !intake.isEmpty()) {
        Message message = intake.poll(TICK_MILLIS);
        try {
          if (message != null) {
            take(message);
          }
          if (message == null || System.nanoTime() - ticked >= TICK_NANOS) {
            tick();
          }
        } catch (RuntimeException | Error e) {
          fault(message, e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tick();
    analysis.close();
    status = analysis.status(clients, duplicates);
  }

  /** A client whose message could not be taken in is cut off: it comes back and sends it again. */
  private void fault(@Nullable Message message, Throwable e) {
    if (message != null) {
      message.connection().cut();
    }
    lines.say("a fault of txwatch, please report it: " + e);
  }

  private void take(Message message) {
    if (message instanceof Message.Received received) {
      try {
        received(received);
        told(received.connection(), received.told());
      } finally {
        intake.release(received.weight());
      }
    } else if (message instanceof Message.Heard heard) {
      told(heard.connection(), heard.told());
    } else if (message instanceof Message.Arrived arrived) {
      arrived(arrived);
    } else if (message instanceof Message.Announced announced) {
      try {
        announced(announced);
      } finally {
        intake.release(announced.weight());
      }
    } else if (message instanceof Message.Left left) {
      left(left);
    }
  }

  private void arrived(Message.Arrived arrived) {
    Client client = clients.client(arrived.client());
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
      client.told = epochs.newest();
      epochs.arrives(analysis.clock());
    } // else what waited for the link while it was cut is still to come
    arrived.connection().client = client;
    analysis.flush(); // the welcome acknowledges
    arrived.connection().welcome(client.taken, client.sessions.isEmpty());
    lines.say(
        client.name
            + " "
            + (back ? "is back" : "is connected")
            + ", from "
            + arrived.connection().from());
  }

  /** The client has nothing more to tell of before that epoch, which it has from us. */
  private static void told(Connection connection, long epoch) {
    Client client = connection.client;
    if (client != null && epoch <= client.epochSent) {
      client.told = Math.max(client.told, epoch);
    }
  }

  private void announced(Message.Announced announced) {
    Client client = announced.connection().client;
    if (client == null) {
      return;
    }
    analysis.from(client.own());
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
    toAcknowledge.add(client);
    if (received.number() <= client.taken) {
      duplicates++;
      return;
    }
    epochs.comes(client, received.number(), analysis.clock());
    long missing = received.number() - client.taken - 1;
    if (missing > 0 && client.taken > 0) {
      analysis.from(client.own());
      feed(
          client,
          new Event.Gap(
              0, 0, GapReason.CUT_OFF, "of " + client.name + " a part is missing", missing));
    }
    int ahead = missing == 0 ? Math.min(client.ahead, received.events().size()) : 0;
    analysis.from(new Origin(client.id, received.number(), ahead, received.events().size()));
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
    client.completed(left.connection().complete());
    client.connection = null;
    if (left.bye()) {
      epochs.leaves(client, analysis.clock());
      analysis.from(client.own());
      client.end(null, micros(), event -> feed(client, event));
      clients.remove(client);
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
    epochs.leaves(client, analysis.clock());
    analysis.from(client.own());
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

  private void feed(Client client, Event event) {
    client.note(event);
    analysis.accept(event);
  }

  private void tick() {
    long now = System.nanoTime();
    ticked = now;
    if (now - epochSent >= EPOCH_NANOS) {
      epochSent = now;
      toAcknowledge.addAll(clients.connected()); // who has nothing to say tells the epoch, too
    }
    acknowledge();
    if (!stopping) {
      clients.awaitedSinceBefore(now - options.grace().toNanos()).forEach(this::giveUp);
    }
    analysis.retain(epochs.retainFrom(clients.expected(), analysis.clock()));
    if (now - suspected >= SUSPECT_NANOS) {
      suspected = now;
      analysis.suspect();
    }
    lines.tick();
    listener.tick();
    if (now - published >= STATUS_NANOS) {
      published = now;
      status = analysis.status(clients, duplicates);
    }
  }

  private void acknowledge() {
    if (toAcknowledge.isEmpty()) {
      return;
    }
    analysis.flush();
    clients.lookWhatIsComplete();
    long epoch = epochs.begin(clients.expected());
    for (Client client : toAcknowledge) {
      Connection connection = client.connection;
      if (connection != null) {
        client.epochSent = epoch;
        connection.acknowledge(client.taken, epoch);
      }
    }
    toAcknowledge.clear();
  }
}
