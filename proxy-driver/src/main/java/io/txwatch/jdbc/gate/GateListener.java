package io.txwatch.jdbc.gate;

import io.txwatch.settings.Settings;
import java.util.function.Consumer;

/**
 * A {@link java.util.ServiceLoader} service that lets another process control the gate. The
 * interleaver, which the driver does not import, provides it.
 */
public interface GateListener {

  /**
   * Listens where {@code txwatch.gate} states, on a thread of its own. Never throws.
   *
   * @param log takes what the user must know, a line each
   */
  void open(Settings settings, Consumer<String> log);
}
