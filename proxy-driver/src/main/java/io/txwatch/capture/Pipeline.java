package io.txwatch.capture;

import io.txwatch.history.AnalysisQueues;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Ids;
import io.txwatch.history.LazySink;
import io.txwatch.history.LoadShedding;
import io.txwatch.history.SharedQueue;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Delivers events from the application's threads to the configured consumers: a bounded queue,
 * followed by the history file and the analyzer. All connections of the process with the same
 * settings share one pipeline. The queue's thread opens files, since that may block; a destination
 * that cannot be opened is reported once on standard error and skipped.
 *
 * <p>Each session {@linkplain #acquire acquires} and {@linkplain #release releases} it. Threads,
 * the queue, files, network connections and the shutdown hook exist while a session is open, and
 * two seconds longer ({@link SharedQueue}). The analyzer's state and the ids are kept, so a later
 * connection continues the same history and report.
 */
public final class Pipeline implements AutoCloseable {

  private static final Map<Settings, Pipeline> OPEN = new ConcurrentHashMap<>();

  /** Drops every event; used when no consumer is configured. */
  private static final EventSink DISCARD =
      new EventSink() {
        @Override
        public void accept(Event event) {}

        @Override
        public void close() {}
      };

  private final Ids ids;
  private final EventSink sink;
  private final @Nullable SharedQueue queue;

  /** The context class loader of the thread that opened the first connection. */
  private volatile WeakReference<@Nullable ClassLoader> application = new WeakReference<>(null);

  private final RecordedRowNames recordedRowNames = new RecordedRowNames();
  private final List<Runnable> catchUps = new CopyOnWriteArrayList<>();
  private int sessions;

  /**
   * Creates a pipeline into a thread-safe sink.
   *
   * @param ids the source of ids of sessions and transactions
   */
  public Pipeline(Ids ids, EventSink sink) {
    this.ids = ids;
    this.sink = sink;
    this.queue = null;
  }

  private Pipeline(Settings settings) {
    List<EventSink> consumers = consumers(settings);
    this.ids = Ids.random();
    this.sink = DISCARD;
    this.queue =
        consumers.isEmpty()
            ? null
            : new SharedQueue(settings.number(Setting.QUEUE), consumers, Pipeline::report, true);
    if (queue != null) {
      queue.setCatchUp(this::catchUp);
      if (isAnalyzed(settings)) {
        AnalysisQueues.add(queue);
      }
    }
  }

  private static boolean isAnalyzed(Settings settings) {
    return !settings.get(Setting.ANALYZER).equals("none");
  }

  /** Returns the pipeline for settings. Starts nothing. */
  public static Pipeline of(Settings settings) {
    return OPEN.computeIfAbsent(key(settings), Pipeline::new);
  }

  /**
   * Returns the settings that determine the destinations of events; the others may differ between
   * connections.
   */
  private static Settings key(Settings settings) {
    return settings
        .with(Setting.INSTRUMENT, "")
        .with(Setting.CALL_SITES, "")
        .with(Setting.PACKAGES, "")
        .with(Setting.PREPARE, "")
        .with(Setting.REDACT, "")
        .with(Setting.LOG_USER, "")
        .with(Setting.LOG_PASSWORD, "")
        .with(Setting.VALUE_KEY, "");
  }

  private List<EventSink> consumers(Settings settings) {
    int capacity = settings.number(Setting.QUEUE);
    List<EventSink> consumers = new ArrayList<>();
    if (!settings.get(Setting.HISTORY).isEmpty()) {
      consumers.add(
          new LazySink("no history is written", () -> openHistory(settings), Pipeline::report));
    }
    if (isAnalyzed(settings)) {
      if (!consumers.isEmpty()) {
        // A blocked disk must not delay the analysis.
        SharedQueue ofHistory = new SharedQueue(capacity, consumers, Pipeline::report, false);
        consumers.set(
            0, new LazySink("no history is written", ofHistory::acquire, Pipeline::report));
      }
      consumers.add(
          new LazySink("nothing is analysed", () -> openAnalyzer(settings), Pipeline::report));
    }
    return consumers;
  }

  /**
   * Ends all pipelines at once, waiting a bounded time. Used when classes will soon no longer be
   * loadable: connections that are open then are not observed any further.
   */
  public static void endAll() {
    OPEN.values().forEach(Pipeline::catchUp);
    List<SharedQueue> queues =
        OPEN.values().stream().map(pipeline -> pipeline.queue).filter(Objects::nonNull).toList();
    SharedQueue.endAll(queues);
  }

  /**
   * Adds what emits, within a bounded time, the events that are still to be read somewhere; called
   * before events are awaited, and before the pipeline ends. It must not throw.
   */
  public void addCatchUp(Runnable catchUp) {
    catchUps.add(catchUp);
  }

  /** Removes what was added. */
  public void removeCatchUp(Runnable catchUp) {
    catchUps.remove(catchUp);
  }

  private void catchUp() {
    catchUps.forEach(Runnable::run);
  }

  /**
   * Notes the key of a row.
   *
   * @param bits equal for equal keys of a table
   * @return true if the row is to be named: its key is not recorded yet
   */
  public boolean isNewKey(Database database, String table, long row, long bits) {
    return recordedRowNames.add(database.place(), table, row, bits);
  }

  /** The rows whose keys were recorded. */
  RecordedRowNames recordedRowNames() {
    return recordedRowNames;
  }

  /** The source of ids of sessions and transactions. */
  public Ids ids() {
    return ids;
  }

  /**
   * Returns the sink for a session's events, until it {@linkplain #release releases} it. The sink
   * never blocks and never throws.
   */
  public EventSink acquire() {
    if (queue == null) {
      return sink;
    }
    synchronized (this) {
      if (sessions++ == 0) {
        application = new WeakReference<>(Thread.currentThread().getContextClassLoader());
        recordedRowNames.clear(); // a new file may begin
      }
    }
    return queue.acquire();
  }

  /** Decides what share of the rows a session's transactions emit. */
  LoadShedding shedding() {
    return queue == null ? sink.shedding() : queue.shedding();
  }

  /** Releases the sink after a session's last event. */
  public void release(EventSink acquired) {
    if (queue != null) {
      synchronized (this) {
        sessions--;
      }
      queue.release(acquired);
    }
  }

  /**
   * Waits a bounded time until everything is delivered, and closes the consumers. A later
   * connection opens them again.
   */
  @Override
  public void close() {
    catchUp();
    if (queue == null) {
      sink.close();
    } else {
      queue.close();
    }
  }

  private static EventSink openHistory(Settings settings) throws IOException {
    long maxMebibytes = settings.number(Setting.HISTORY_MAX);
    Path file = settings.path(Setting.HISTORY).orElseThrow();
    HistoryWriter history = HistoryWriter.open(file, maxMebibytes << 20);
    return settings.get(Setting.PREDICT).equals("on") && !settings.get(Setting.LOG).equals("none")
        ? new PredictableHistory(history, file, Pipeline::report)
        : history;
  }

  private EventSink openAnalyzer(Settings settings) throws IOException {
    String wanted = settings.get(Setting.ANALYZER);
    int colon = wanted.indexOf(':');
    String name = colon < 0 ? wanted : wanted.substring(0, colon);
    for (EventSinkProvider provider :
        ServiceLoader.load(EventSinkProvider.class, Pipeline.class.getClassLoader())) {
      if (provider.name().equals(name)) {
        return provider.open(settings, () -> application.get());
      }
    }
    throw new IOException("there is no analyzer " + name + " on the class path");
  }

  private static void report(String line) {
    System.err.println("txwatch: " + line.replaceAll("\\s+", " "));
  }
}
