package io.txwatch.settings;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * A source of settings, with keys in the form {@code txwatch.instrument}.
 *
 * @param name its display name: "agent argument"
 * @param values the keys with txwatch's prefix, known or not
 */
public record SettingSource(String name, Map<String, String> values) {

  private static final String PREFIX = "txwatch.";
  private static final String ENVIRONMENT_PREFIX = "TXWATCH_";

  /**
   * Variables and system properties (without prefix) of txwatch's commands, of its starter for
   * Spring Boot and of its tests that are not settings.
   */
  private static final Set<String> NOT_SETTINGS =
      Set.of("enabled", "password", "user", "home", "jar", "java", "maven", "version");

  /** The settings whose values contain commas. */
  private static final Set<String> LISTS =
      Set.of(
          Setting.PACKAGES.key(),
          Setting.INCLUDE.key(),
          Setting.EXCLUDE.key(),
          Setting.ANALYZER.key());

  private static final Set<String> NOT_SETTINGS_PREFIXES =
      Set.of("test", "bench", "servers", "demo", "junit", "internal");

  public SettingSource {
    values = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /**
   * {@code key=value,key=value}, as in {@code -javaagent:txwatch.jar=}. The prefix is optional, and
   * spaces around keys and values are ignored. A part without a key continues the list of {@code
   * txwatch.packages}, {@code txwatch.include} or {@code txwatch.exclude}, or the brokers of {@code
   * txwatch.analyzer}.
   *
   * @throws SettingException if a part is not {@code key=value}
   */
  public static SettingSource agentArguments(String arguments) {
    Map<String, String> values = new LinkedHashMap<>();
    String last = "";
    for (String piece : arguments.split(",")) {
      if (piece.isBlank()) {
        continue;
      }
      int equals = piece.indexOf('=');
      if (equals < 0 && LISTS.contains(last)) {
        values.merge(last, piece.strip(), (some, more) -> some + "," + more);
        continue;
      }
      if (equals <= 0 && Setting.find(last).filter(Setting::isSecret).isPresent()) {
        throw new SettingException(
            "agent argument "
                + last
                + ": expected a value without a comma; give it in the environment");
      }
      if (equals <= 0) {
        throw new SettingException(
            "agent argument " + Setting.quote(piece.strip()) + ": expected key=value,key=value");
      }
      last = prefixed(piece.substring(0, equals));
      values.put(last, piece.substring(equals + 1).strip());
    }
    return new SettingSource("agent argument", values);
  }

  /**
   * The properties {@code txwatch.*} of a JDBC URL or connection; others are left to the driver.
   */
  public static SettingSource urlProperties(Properties properties) {
    return prefixedOf("URL property", properties);
  }

  /** The system properties {@code txwatch.*}. */
  public static SettingSource systemProperties(Properties properties) {
    return prefixedOf("system property", properties);
  }

  /** The variables {@code TXWATCH_*}: {@code TXWATCH_JUDGE_BY} is {@code txwatch.judge-by}. */
  public static SettingSource environment(Map<String, String> environment) {
    Map<String, String> values = new LinkedHashMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(ENVIRONMENT_PREFIX)) {
            String rest = name.substring(ENVIRONMENT_PREFIX.length()).toLowerCase(Locale.ROOT);
            if (isSetting(rest.replace('_', '.'))) {
              values.put(PREFIX + rest.replace('_', '-'), value);
            }
          }
        });
    return new SettingSource("environment", values);
  }

  /**
   * A properties file in UTF-8, all of whose keys are settings; empty if it does not exist. The
   * prefix is optional.
   *
   * @throws SettingException if the file exists and cannot be read
   */
  public static SettingSource file(Path file) {
    Map<String, String> values = new LinkedHashMap<>();
    if (Files.exists(file)) {
      Properties properties = new Properties();
      try {
        properties.load(new StringReader(Files.readString(file, StandardCharsets.UTF_8)));
      } catch (IOException | IllegalArgumentException e) {
        throw new SettingException(
            file + ": cannot be read: " + Setting.oneLine(String.valueOf(e.getMessage())));
      }
      for (String key : properties.stringPropertyNames()) {
        values.put(prefixed(key), properties.getProperty(key).strip());
      }
    }
    return new SettingSource(file.toString(), values);
  }

  private static SettingSource prefixedOf(String name, Properties properties) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(PREFIX) && isSetting(key.substring(PREFIX.length()))) {
        values.put(key, properties.getProperty(key).strip());
      }
    }
    return new SettingSource(name, values);
  }

  private static boolean isSetting(String rest) {
    int dot = rest.indexOf('.');
    return !NOT_SETTINGS.contains(rest)
        && !NOT_SETTINGS_PREFIXES.contains(dot < 0 ? rest : rest.substring(0, dot));
  }

  private static String prefixed(String key) {
    String stripped = key.strip();
    return stripped.startsWith(PREFIX) ? stripped : PREFIX + stripped;
  }
}
