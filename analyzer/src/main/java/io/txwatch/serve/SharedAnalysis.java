package io.txwatch.serve;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.FaultTolerantAnalyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Origin;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The analyzer of all clients, and the history that is written of what it was given. */
final class SharedAnalysis {

  /** Events of a history between two looks at what may be discarded. */
  private static final long EVENTS_PER_DISCARD = 256;

  /**
   * How many events of a history are kept for clients that will go on from there: it does not say
   * how far behind the others each of them was.
   */
  private static final long RETAINED_REPLAYED_EVENTS = 100_000;

  private final ServerListener listener;
  private final FaultTolerantAnalyzer analyzer;
  private final @Nullable HistoryWriter history;
  private final long retainFrom;
  private boolean replaying;
  private long events;
  private long anomalies;
  private long faults;

  /**
   * Goes on from the history, if there is one, and has clients told what it says of them.
   *
   * @throws IOException if the history is not to be had; the message says which
   */
  SharedAnalysis(ServerOptions options, ServerListener listener, ClientRegistry clients)
      throws IOException {
    this.listener = listener;
    Analyzer analysis = new Analyzer(options.judge(), this::found, options.memory());
    analysis.onWithdrawn(listener::withdrawn);
    this.analyzer = new FaultTolerantAnalyzer(analysis, listener::log);
    this.history = options.history().isEmpty() ? null : open(options, clients);
    this.retainFrom = Math.max(0, analyzer.clock() - RETAINED_REPLAYED_EVENTS);
  }

  private HistoryWriter open(ServerOptions options, ClientRegistry clients) throws IOException {
    replaying = true;
    HistoryWriter opened =
        HistoryWriter.resume(
            options.history().orElseThrow(),
            "txwatch serve, process " + ProcessHandle.current().pid(),
            options.historyMaxBytes(),
            line -> listener.log(line + "; the analysis goes on"),
            (event, origin) -> replay(event, origin, clients));
    replaying = false;
    clients.awaitReplayedClients();
    return opened;
  }

  private void replay(Event event, Origin origin, ClientRegistry clients) {
    analyzer.accept(event);
    if (!origin.isNobody()) {
      clients.client(origin.client()).replayed(event, origin);
    }
    if (analyzer.clock() % EVENTS_PER_DISCARD == 0) {
      analyzer.retain(analyzer.clock() - RETAINED_REPLAYED_EVENTS);
    }
  }

  /** Where the events come from that come next. */
  void setOrigin(Origin origin) {
    if (history != null) {
      history.from(origin);
    }
  }

  /** Analyses, then writes: what stands in the history was told. */
  void accept(Event event) {
    events++;
    analyzer.accept(event);
    if (history != null) {
      try {
        history.accept(event);
      } catch (RuntimeException | Error e) {
        if (faults++ == 0) {
          listener.log("a fault of txwatch, please report it; the history misses an event: " + e);
        }
      }
    }
  }

  private void found(Anomaly anomaly) {
    anomalies++;
    listener.found(anomaly, replaying);
  }

  /** Hands what was written to the operating system: then it may be acknowledged. */
  void flush() {
    if (history != null) {
      history.flush();
    }
  }

  /** The analyzer's time. */
  long clock() {
    return analyzer.clock();
  }

  /**
   * Since when something was over at the beginning that may overlap with what clients will tell.
   */
  long retainFrom() {
    return retainFrom;
  }

  /** Has nobody discarded who was over at that time or later. */
  void retain(long time) {
    analyzer.retain(time);
  }

  /** Looks what would be an anomaly if what is open committed. */
  void suspect() {
    analyzer.suspect();
  }

  /** Nothing more will come. */
  void close() {
    analyzer.close();
    if (history != null) {
      history.close();
    }
  }

  /**
   * How it is doing.
   *
   * @param duplicates chunks that came again
   */
  Status status(ClientRegistry clients, long duplicates) {
    return new Status(
        clients.statuses(),
        events,
        duplicates,
        anomalies,
        history == null ? 0 : history.lost(),
        analyzer.coverage());
  }
}
