package io.txwatch.agent;

import io.txwatch.settings.Setting;
import io.txwatch.settings.SettingSource;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.agent.ByteBuddyAgent;

/**
 * Attaches the agent to the JVM that calls, for users who add no {@code -javaagent} to its command
 * line: tests, and applications of a framework. Connections that are opened afterwards are watched.
 *
 * <p>The agent then has the class loader of this class, so that it also watches drivers that an
 * executable jar contains.
 */
public final class SelfAttachment {

  private static boolean attached;

  private SelfAttachment() {}

  /**
   * Attaches it once. An agent that runs already stays as it is.
   *
   * @param defaults values of settings that no system property, variable or file sets
   * @param settings further settings, with or without the prefix, as an agent's arguments; they
   *     take precedence over those
   * @throws IllegalStateException if this JVM accepts no agents
   */
  public static synchronized void attach(
      Map<Setting, String> defaults, Map<String, String> settings) {
    if (attached) {
      return;
    }
    attached = true;
    Map<String, String> arguments = new TreeMap<>();
    defaults.forEach(
        (setting, value) -> {
          if (!isSet(setting)) {
            arguments.put(setting.key(), value);
          }
        });
    arguments.putAll(settings);
    String text =
        arguments.entrySet().stream()
            .map(argument -> argument.getKey() + "=" + argument.getValue())
            .collect(Collectors.joining(","));
    try {
      TxWatchAgent.agentmain(text, ByteBuddyAgent.install());
    } catch (IllegalStateException | UnsupportedOperationException e) {
      throw new IllegalStateException("this JVM accepts no agents (" + e.getMessage() + ")", e);
    }
  }

  private static boolean isSet(Setting setting) {
    return Stream.of(
            SettingSource.systemProperties(System.getProperties()),
            SettingSource.environment(System.getenv()),
            SettingSource.file(Path.of("txwatch.properties")))
        .anyMatch(source -> source.values().containsKey(setting.key()));
  }
}
