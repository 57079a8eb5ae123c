package io.txwatch.history;

import io.txwatch.settings.Settings;
import java.util.function.Supplier;

/**
 * How the driver finds a consumer of events that lives in a module it may not import: a {@link
 * java.util.ServiceLoader} service. The analyzer provides {@code inprocess}.
 */
public interface EventSinkProvider {

  /**
   * The value of {@code txwatch.analyzer} that asks for this provider, or its scheme: {@code
   * inprocess}, {@code tcp}.
   */
  String name();

  /**
   * Opens a sink that is called by one thread only, which may block (the bounded queue stands
   * before it).
   *
   * @throws java.io.IOException if what the settings name cannot be opened; the message says what
   *     to do
   */
  EventSink open(Settings settings) throws java.io.IOException;

  /**
   * The same for an application whose own libraries are found through a class loader.
   *
   * @param application the context class loader of the thread that has opened the first connection
   *     since there was none; null if it is gone. The sink holds none of its classes after {@link
   *     EventSink#quiesce}, so that a web application can be unloaded
   */
  default EventSink open(
      Settings settings, Supplier<@org.jspecify.annotations.Nullable ClassLoader> application)
      throws java.io.IOException {
    return open(settings);
  }
}
