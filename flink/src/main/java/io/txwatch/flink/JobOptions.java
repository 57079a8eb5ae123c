package io.txwatch.flink;

import io.txwatch.changes.debezium.SchemaRegistry;
import io.txwatch.link.TopicAddress;
import io.txwatch.settings.Setting;
import io.txwatch.settings.SettingException;
import io.txwatch.settings.SettingSource;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job reads and writes.
 *
 * @param from the topic with histories
 * @param to where anomalies go: a topic's URL or a directory
 * @param endsAtPresent whether the job ends where the topic ended when it began
 * @param memory the bytes for the analyzer of a database; 0 for an eighth of the heap
 * @param kafkaConfig a file with settings of Kafka's client; empty if there is none
 * @param changes the prefix of Debezium's topics; null if no changes are joined
 * @param registry the URL of the registry of Avro's schemas; empty if there is none
 * @param valueKeyFile a file with {@code txwatch.value-key}; empty for the setting itself
 */
record JobOptions(
    TopicAddress from,
    String to,
    boolean endsAtPresent,
    long memory,
    String kafkaConfig,
    @Nullable TopicAddress changes,
    String registry,
    String valueKeyFile) {

  private static final Set<String> NAMES =
      Set.of(
          "--from",
          "--to",
          "--end",
          "--memory",
          "--kafka-config",
          "--changes",
          "--schema-registry",
          "--value-key-file");

  /**
   * Parses arguments.
   *
   * @throws IllegalArgumentException if they are not valid; the message states why
   */
  static JobOptions of(String... args) {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!NAMES.contains(args[i])) {
        throw new IllegalArgumentException("unknown option '" + args[i] + "'");
      } else if (i + 1 == args.length) {
        throw new IllegalArgumentException(args[i] + " needs a value");
      }
      given.put(args[i], args[i + 1]);
    }
    for (String option : List.of("--schema-registry", "--value-key-file")) {
      if (given.containsKey(option) && !given.containsKey("--changes")) {
        throw new IllegalArgumentException(option + " is for --changes, which is missing");
      }
    }
    String end = given.getOrDefault("--end", "never");
    if (!end.equals("never") && !end.equals("present")) {
      throw new IllegalArgumentException("--end: expected present or never, not '" + end + "'");
    }
    return new JobOptions(
        address("--from", required(given, "--from")),
        required(given, "--to"),
        end.equals("present"),
        memory(given.getOrDefault("--memory", "0")),
        given.getOrDefault("--kafka-config", ""),
        given.containsKey("--changes") ? address("--changes", given.get("--changes")) : null,
        registry(given.getOrDefault("--schema-registry", "")),
        given.getOrDefault("--value-key-file", ""));
  }

  /**
   * The key with which the histories were recorded.
   *
   * @throws IllegalArgumentException if it is not given or not valid; the message states why
   */
  String valueKey() {
    Settings settings;
    try {
      settings = Settings.ofUrlProperties(new Properties());
      if (!valueKeyFile.isEmpty()) {
        String key = Files.readString(Path.of(valueKeyFile)).lines().findFirst().orElse("");
        Map<String, String> given = Map.of(Setting.VALUE_KEY.key(), key.strip());
        settings = Settings.read(List.of(new SettingSource(valueKeyFile, given)));
      }
    } catch (IOException e) {
      throw unreadable("--value-key-file", valueKeyFile, e);
    } catch (SettingException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    String key = settings.get(Setting.VALUE_KEY);
    if (key.isEmpty()) {
      throw new IllegalArgumentException(
          "--changes: expected the key with which the histories were recorded: TXWATCH_VALUE_KEY"
              + " or --value-key-file");
    }
    return key;
  }

  /**
   * The settings of Kafka's client.
   *
   * @throws IllegalArgumentException if the file cannot be read
   */
  Properties client() {
    Properties client = new Properties();
    if (!kafkaConfig.isEmpty()) {
      try (InputStream in = Files.newInputStream(Path.of(kafkaConfig))) {
        client.load(in);
      } catch (IOException e) {
        throw unreadable("--kafka-config", kafkaConfig, e);
      }
    }
    return client;
  }

  private static IllegalArgumentException unreadable(String option, String file, IOException why) {
    String reason = why instanceof NoSuchFileException ? "there is no such file" : why.getMessage();
    return new IllegalArgumentException(option + " " + file + ": " + reason, why);
  }

  private static String required(Map<String, String> given, String name) {
    String value = given.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }

  private static String registry(String url) {
    if (!url.isEmpty() && SchemaRegistry.ofUrl(url).isEmpty()) {
      throw new IllegalArgumentException(
          "--schema-registry: expected http://HOST:PORT, maybe with a path, without a user");
    }
    return url;
  }

  private static long memory(String mib) {
    try {
      return Math.multiplyExact(Integer.parseUnsignedInt(mib), 1L << 20);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--memory: expected MiB, not '" + mib + "'", e);
    }
  }

  /** Parses a topic's URL. */
  static TopicAddress address(String option, String url) {
    return TopicAddress.ofUrl(url)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    option + ": expected kafka://HOST:PORT[,HOST:PORT]/TOPIC, not '" + url + "'"));
  }
}
