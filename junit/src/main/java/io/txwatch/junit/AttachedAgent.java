package io.txwatch.junit;

import io.txwatch.agent.TxWatchAgent;
import io.txwatch.settings.Setting;
import io.txwatch.settings.SettingSource;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;

/**
 * Attaches the agent to this JVM. A test database lives and dies with its test: so tables are
 * prepared at first sight unless {@code txwatch.prepare} is set.
 */
final class AttachedAgent {

  private static boolean attached;

  private AttachedAgent() {}

  /**
   * Attaches it once. An agent that runs already stays as it is.
   *
   * @throws IllegalStateException if this JVM accepts no agents
   */
  static synchronized void attach() {
    if (attached) {
      return;
    }
    attached = true;
    try {
      TxWatchAgent.agentmain(arguments(), ByteBuddyAgent.install());
    } catch (IllegalStateException | UnsupportedOperationException e) {
      throw new IllegalStateException(
          "txwatch: this JVM accepts no agents ("
              + e.getMessage()
              + "). Start it with"
              + " -javaagent:txwatch.jar and set "
              + TxWatchExtension.ATTACH
              + "=false.",
          e);
    }
  }

  /** What is not set elsewhere: the report is the failed test's. */
  private static String arguments() {
    StringBuilder arguments = new StringBuilder();
    addUnlessSet(arguments, Setting.PREPARE, "auto");
    addUnlessSet(arguments, Setting.LOG, "none");
    return arguments.toString();
  }

  private static void addUnlessSet(StringBuilder arguments, Setting setting, String value) {
    boolean set =
        List.of(
                SettingSource.systemProperties(System.getProperties()),
                SettingSource.environment(System.getenv()),
                SettingSource.file(Path.of("txwatch.properties")))
            .stream()
            .anyMatch(source -> source.values().containsKey(setting.key()));
    if (!set) {
      arguments
          .append(arguments.isEmpty() ? "" : ",")
          .append(setting.key())
          .append('=')
          .append(value);
    }
  }
}
