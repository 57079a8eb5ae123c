package io.txwatch.junit;

import io.txwatch.agent.SelfAttachment;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.Map;

/** The agent in the JVM of the tests. The report is the failed test's. */
final class AttachedAgent {

  private static final Map<Setting, String> DEFAULTS = Map.of(Setting.LOG, "none");

  private AttachedAgent() {}

  /**
   * Attaches it once. An agent that runs already stays as it is.
   *
   * @throws IllegalStateException if this JVM accepts no agents
   */
  static void attach() {
    try {
      SelfAttachment.attach(Settings.agentArguments(DEFAULTS, Map.of()));
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          "txwatch: "
              + e.getMessage()
              + ". Start it with -javaagent:txwatch.jar and set "
              + TxWatchExtension.ATTACH
              + "=false.",
          e);
    }
  }
}
