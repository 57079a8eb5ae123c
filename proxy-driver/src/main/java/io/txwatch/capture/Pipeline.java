package io.txwatch.capture;

import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Ids;
import io.txwatch.history.LazySink;
import io.txwatch.history.QueueSink;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The way of events out of the application's threads: a bounded queue and, behind it, the history's
 * file and the analyzer, as the settings ask for. One for all connections of the process that have
 * the same settings. Files are opened by the queue's thread, which may block on them; what cannot
 * be opened is reported once, in a line on standard error, and is done without.
 *
 * @param ids where ids of sessions and transactions come from
 * @param sink takes events; never blocks and never throws
 */
public record Pipeline(Ids ids, EventSink sink) {

  private static final Map<Settings, Pipeline> OPEN = new ConcurrentHashMap<>();

  /** Drops everything: for when nobody asks for events. */
  private static final EventSink NOBODY =
      new EventSink() {
        @Override
        public void accept(Event event) {}

        @Override
        public void close() {}
      };

  /** The pipeline for settings; opened at the first call, closed when the JVM ends. */
  public static Pipeline of(Settings settings) {
    return OPEN.computeIfAbsent(key(settings), key -> open(settings));
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

  private static Pipeline open(Settings settings) {
    int capacity = settings.number(Setting.QUEUE);
    ClassLoader application = Thread.currentThread().getContextClassLoader();
    List<EventSink> consumers = new ArrayList<>();
    if (!settings.get(Setting.HISTORY).isEmpty()) {
      consumers.add(
          new LazySink("no history is written", () -> openHistory(settings), Pipeline::say));
    }
    if (!settings.get(Setting.ANALYZER).equals("none")) {
      if (!consumers.isEmpty()) {
        // A disk that does not answer must not hold up the analysis.
        consumers.set(0, new QueueSink(capacity, consumers));
      }
      consumers.add(
          new LazySink(
              "nothing is analysed", () -> openAnalyzer(settings, application), Pipeline::say));
    }
    if (consumers.isEmpty()) {
      return new Pipeline(Ids.random(), NOBODY);
    }
    return new Pipeline(Ids.random(), new QueueSink(capacity, consumers).closeAtShutdown());
  }

  private static EventSink openHistory(Settings settings) throws IOException {
    long maxMebibytes = settings.number(Setting.HISTORY_MAX);
    return HistoryWriter.open(settings.path(Setting.HISTORY).orElseThrow(), maxMebibytes << 20);
  }

  private static EventSink openAnalyzer(Settings settings, @Nullable ClassLoader application)
      throws IOException {
    String wanted = settings.get(Setting.ANALYZER);
    int colon = wanted.indexOf(':');
    String name = colon < 0 ? wanted : wanted.substring(0, colon);
    for (EventSinkProvider provider :
        ServiceLoader.load(EventSinkProvider.class, Pipeline.class.getClassLoader())) {
      if (provider.name().equals(name)) {
        return provider.open(settings, application);
      }
    }
    throw new IOException("there is no analyzer " + name + " on the class path");
  }

  private static void say(String line) {
    System.err.println("txwatch: " + line.replaceAll("\\s+", " "));
  }
}
