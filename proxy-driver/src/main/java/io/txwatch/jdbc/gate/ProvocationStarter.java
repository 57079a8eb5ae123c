package io.txwatch.jdbc.gate;

import io.txwatch.history.Database;
import io.txwatch.settings.Settings;
import java.util.function.Consumer;

/**
 * A {@link java.util.ServiceLoader} service that installs the gate of {@code txwatch.provoke}. The
 * interleaver, which the driver does not import, provides it.
 */
public interface ProvocationStarter {

  /**
   * Lets the gate hold calls to a database, unless it is not one for tests. Called when a
   * connection is opened. Never throws.
   *
   * @param log takes what the user must know, a line each
   */
  void start(Settings settings, Database database, Consumer<String> log);
}
