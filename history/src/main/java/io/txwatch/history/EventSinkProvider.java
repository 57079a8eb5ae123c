package io.txwatch.history;

import io.txwatch.settings.Settings;
import java.util.function.Supplier;

/**
 * A {@link java.util.ServiceLoader} service by which the driver finds event consumers in modules
 * that it does not import. The analyzer provides {@code inprocess}.
 */
public interface EventSinkProvider {

  /**
   * The value of {@code txwatch.analyzer} that selects this provider, or its scheme: {@code
   * inprocess}, {@code tcp}.
   */
  String name();

  /**
   * Opens a sink that a single thread calls and that may block, because a bounded queue precedes
   * it.
   *
   * @throws java.io.IOException if the configured destination cannot be opened; the message states
   *     what to do
   */
  EventSink open(Settings settings) throws java.io.IOException;

  /**
   * Opens a sink for an application whose libraries are visible to the given class loader.
   *
   * @param application the context class loader of the thread that opened the first connection;
   *     null if it was unloaded. The sink references none of its classes after {@link
   *     EventSink#quiesce}, so that a web application can be unloaded
   */
  default EventSink open(
      Settings settings, Supplier<@org.jspecify.annotations.Nullable ClassLoader> application)
      throws java.io.IOException {
    return open(settings);
  }
}
