package io.txwatch.capture;

import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Ids;
import io.txwatch.history.QueueSink;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way of events out of the application's threads: a bounded queue and, behind it, the history's
 * file and the analyzer, as the settings ask for. One for all connections of the process that have
 * the same settings. What cannot be opened is said once, in a line, and is done without.
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
        .with(Setting.PREPARE, "")
        .with(Setting.REDACT, "");
  }

  private static Pipeline open(Settings settings) {
    List<EventSink> consumers = new ArrayList<>();
    openHistory(settings).ifPresent(consumers::add);
    openAnalyzer(settings).ifPresent(consumers::add);
    if (consumers.isEmpty()) {
      return new Pipeline(Ids.random(), NOBODY);
    }
    QueueSink queue = new QueueSink(settings.number(Setting.QUEUE), consumers).closeAtShutdown();
    return new Pipeline(Ids.random(), queue);
  }

  private static Optional<EventSink> openHistory(Settings settings) {
    Optional<Path> file = settings.path(Setting.HISTORY);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(HistoryWriter.open(file.get()));
    } catch (IOException | RuntimeException e) {
      say("no history is written: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<EventSink> openAnalyzer(Settings settings) {
    String wanted = settings.get(Setting.ANALYZER);
    if (wanted.equals("none")) {
      return Optional.empty();
    }
    int colon = wanted.indexOf(':');
    String name = colon < 0 ? wanted : wanted.substring(0, colon);
    try {
      for (EventSinkProvider provider :
          ServiceLoader.load(EventSinkProvider.class, Pipeline.class.getClassLoader())) {
        if (provider.name().equals(name)) {
          return Optional.of(provider.open(settings));
        }
      }
      say("nothing is analysed: there is no analyzer " + name + " on the class path");
    } catch (IOException | RuntimeException | ServiceConfigurationError e) {
      say("nothing is analysed: " + e.getMessage());
    }
    return Optional.empty();
  }

  private static void say(String line) {
    System.err.println("txwatch: " + line.replaceAll("\\s+", " "));
  }
}
