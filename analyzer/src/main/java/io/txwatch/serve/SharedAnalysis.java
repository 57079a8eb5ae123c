package io.txwatch.serve;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.FaultTolerantAnalyzer;
import io.txwatch.analyzer.FoundAnomalies;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Origin;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The analyzer of all clients, and the history that records its events. */
final class SharedAnalysis {

  /** The replayed events between two rounds of discarding. */
  private static final long EVENTS_PER_DISCARD = 256;

  /**
   * The last events of a history are retained for clients that continue from there: the history
   * does not record how far each of them lagged behind the others.
   */
  private static final long RETAINED_REPLAYED_EVENTS = 100_000;

  private final ServerListener listener;
  private final FaultTolerantAnalyzer analyzer;
  private final @Nullable HistoryWriter history;
  private final FoundAnomalies results;
  private final long retainFrom;
  private boolean replaying;
  private long events;
  private long anomalies;
  private long faults;

  /**
   * Resumes from the history, if there is one, and restores the clients' state from it.
   *
   * @throws IOException if the history is not available; the message contains the reason
   */
  SharedAnalysis(ServerOptions options, ServerListener listener, ClientRegistry clients)
      throws IOException {
    this.listener = listener;
    this.results = new FoundAnomalies(options.baseline());
    Analyzer analysis =
        new Analyzer(
            options.judge(), this::found, options.memory(), Set.of(), options.granularity());
    analysis.across(options.across());
    analysis.shared();
    analysis.onWithdrawn(this::withdrawn);
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
            line -> listener.log(line + "; the analysis continues"),
            (event, origin) -> replay(event, origin, clients));
    replaying = false;
    clients.awaitReplayedClients();
    return opened;
  }

  private void replay(Event event, Origin origin, ClientRegistry clients) {
    analyzer.accept(event);
    if (!origin.isNone()) {
      clients.client(origin.client()).replayed(event, origin);
    }
    if (analyzer.clock() % EVENTS_PER_DISCARD == 0) {
      analyzer.retain(analyzer.clock() - RETAINED_REPLAYED_EVENTS);
    }
  }

  /** Sets the origin of the events that follow. */
  void setOrigin(Origin origin) {
    if (history != null) {
      history.from(origin);
    }
  }

  /** Analyzes an event, then writes it: every event in the history has been reported. */
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

  private void withdrawn(Anomaly anomaly) {
    results.withdraw(anomaly);
    listener.withdrawn(anomaly);
  }

  /** The anomalies found so far. Thread-safe. */
  FoundAnomalies results() {
    return results;
  }

  private void found(Anomaly anomaly) {
    anomalies++;
    results.add(anomaly);
    listener.found(anomaly, replaying);
  }

  /** Hands written events to the operating system, so that they may be acknowledged. */
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
   * The time, at the start, from which on ended transactions may overlap with events of clients.
   */
  long retainFrom() {
    return retainFrom;
  }

  /** Retains the transactions that ended at that time or later. */
  void retain(long time) {
    analyzer.retain(time);
  }

  /** To be called periodically. */
  void suspect() {
    analyzer.tick(System.nanoTime());
    analyzer.suspect();
  }

  /** Ends the analysis and closes the history. */
  void close() {
    analyzer.close();
    if (history != null) {
      history.close();
    }
  }

  /**
   * The current status.
   *
   * @param duplicates chunks that were received again
   */
  Status status(ClientRegistry clients, long duplicates) {
    return new Status(
        clients.statuses(),
        events,
        duplicates,
        anomalies,
        history == null ? 0 : history.lost(),
        analyzer.bytes(),
        analyzer.coverage());
  }
}
