package io.txwatch.capture;

import io.txwatch.history.AnalysisQueues;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Ids;
import io.txwatch.history.LazySink;
import io.txwatch.history.SharedQueue;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The way of events out of the application's threads: a bounded queue and, behind it, the history's
 * file and the analyzer, as the settings ask for. One for all connections of the process that have
 * the same settings. Files are opened by the queue's thread, which may block on them; what cannot
 * be opened is reported once, in a line on standard error, and is done without.
 *
 * <p>Each session {@linkplain #acquire acquires} it and {@linkplain #release releases} it. Threads,
 * the queue, files, network connections and the shutdown hook are there while a session is, and two
 * seconds longer ({@link SharedQueue}). What the analyzer knows and the ids stay, so a later
 * connection continues the same history and the same report.
 */
public final class Pipeline implements AutoCloseable {

  private static final Map<Settings, Pipeline> OPEN = new ConcurrentHashMap<>();

  /** Drops everything: for when nobody asks for events. */
  private static final EventSink NOBODY =
      new EventSink() {
        @Override
        public void accept(Event event) {}

        @Override
        public void close() {}
      };

  private final Ids ids;
  private final EventSink sink;
  private final @Nullable SharedQueue queue;

  /** Of the thread that has opened the first connection since there was none. */
  private volatile WeakReference<@Nullable ClassLoader> application = new WeakReference<>(null);

  private int sessions;

  /**
   * A pipeline into a sink, which may be called by many threads at once.
   *
   * @param ids where ids of sessions and transactions come from
   */
  public Pipeline(Ids ids, EventSink sink) {
    this.ids = ids;
    this.sink = sink;
    this.queue = null;
  }

  private Pipeline(Settings settings) {
    List<EventSink> consumers = consumers(settings);
    this.ids = Ids.random();
    this.sink = NOBODY;
    this.queue =
        consumers.isEmpty()
            ? null
            : new SharedQueue(settings.number(Setting.QUEUE), consumers, Pipeline::say, true);
    if (queue != null && isAnalyzed(settings)) {
      AnalysisQueues.add(queue);
    }
  }

  private static boolean isAnalyzed(Settings settings) {
    return !settings.get(Setting.ANALYZER).equals("none");
  }

  /** The pipeline for settings. Starts nothing. */
  public static Pipeline of(Settings settings) {
    return OPEN.computeIfAbsent(key(settings), Pipeline::new);
  }

  /** The settings that say where events go; the others may differ between connections. */
  private static Settings key(Settings settings) {
    return settings
        .with(Setting.INSTRUMENT, "")
        .with(Setting.CALL_SITES, "")
        .with(Setting.PACKAGES, "")
        .with(Setting.PREPARE, "")
        .with(Setting.REDACT, "");
  }

  private List<EventSink> consumers(Settings settings) {
    int capacity = settings.number(Setting.QUEUE);
    List<EventSink> consumers = new ArrayList<>();
    if (!settings.get(Setting.HISTORY).isEmpty()) {
      consumers.add(
          new LazySink("no history is written", () -> openHistory(settings), Pipeline::say));
    }
    if (isAnalyzed(settings)) {
      if (!consumers.isEmpty()) {
        // A disk that does not answer must not hold up the analysis.
        SharedQueue ofHistory = new SharedQueue(capacity, consumers, Pipeline::say, false);
        consumers.set(0, new LazySink("no history is written", ofHistory::acquire, Pipeline::say));
      }
      consumers.add(
          new LazySink("nothing is analysed", () -> openAnalyzer(settings), Pipeline::say));
    }
    return consumers;
  }

  /**
   * Ends at once what would end because no connection is open; waits a bounded time for it. For
   * when classes can soon be loaded no more.
   */
  public static void endUnused() {
    List<SharedQueue> queues =
        OPEN.values().stream().map(pipeline -> pipeline.queue).filter(Objects::nonNull).toList();
    SharedQueue.endUnused(queues);
  }

  /** Where ids of sessions and transactions come from. */
  public Ids ids() {
    return ids;
  }

  /**
   * Where a session puts its events, until it {@linkplain #release releases} it; never blocks and
   * never throws.
   */
  EventSink acquire() {
    if (queue == null) {
      return sink;
    }
    synchronized (this) {
      if (sessions++ == 0) {
        application = new WeakReference<>(Thread.currentThread().getContextClassLoader());
      }
    }
    return queue.acquire();
  }

  /** A session has put its last event. */
  void release(EventSink acquired) {
    if (queue != null) {
      synchronized (this) {
        sessions--;
      }
      queue.release(acquired);
    }
  }

  /**
   * Waits a bounded time until everything is delivered, and closes what the settings ask for. A
   * connection that is opened afterwards opens it again.
   */
  @Override
  public void close() {
    if (queue == null) {
      sink.close();
    } else {
      queue.close();
    }
  }

  private static EventSink openHistory(Settings settings) throws IOException {
    long maxMebibytes = settings.number(Setting.HISTORY_MAX);
    return HistoryWriter.open(settings.path(Setting.HISTORY).orElseThrow(), maxMebibytes << 20);
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

  private static void say(String line) {
    System.err.println("txwatch: " + line.replaceAll("\\s+", " "));
  }
}
