package io.txwatch.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The values that hold after every place was read ({@link Setting} says which). Immutable. */
public final class Settings {

  private final Map<Setting, String> values;

  private Settings(Map<Setting, String> values) {
    this.values = values;
  }

  /** Settings in which each key that is not given has its default. Values are not checked. */
  public static Settings of(Map<Setting, String> given) {
    Map<Setting, String> all = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      all.put(setting, given.getOrDefault(setting, setting.defaultValue()));
    }
    return new Settings(all);
  }

  /**
   * What holds for an agent: its arguments, then system properties, environment and file.
   *
   * @param arguments what stood behind {@code -javaagent:txwatch.jar=}; empty if nothing
   * @throws SettingException if a key is unknown or a value is not one that its key takes
   */
  public static Settings ofAgentArguments(String arguments) {
    return ofProcess(SettingSource.agentArguments(arguments));
  }

  /**
   * What holds for a connection: its properties {@code txwatch.*}, then system properties,
   * environment and file.
   *
   * @throws SettingException if a key is unknown or a value is not one that its key takes
   */
  public static Settings ofUrlProperties(Properties properties) {
    return ofProcess(SettingSource.urlProperties(properties));
  }

  private static Settings ofProcess(SettingSource strongest) {
    return read(
        List.of(
            strongest,
            SettingSource.systemProperties(System.getProperties()),
            SettingSource.environment(System.getenv()),
            SettingSource.file(Path.of("txwatch.properties"))));
  }

  /**
   * What holds if these places are read, strongest first. Every place is checked, also where a
   * stronger one overrides it.
   *
   * @throws SettingException if a key is unknown or a value is not one that its key takes
   */
  public static Settings read(List<SettingSource> strongestFirst) {
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    for (SettingSource source : strongestFirst) {
      source
          .values()
          .forEach(
              (key, value) -> {
                Setting setting = Setting.ofKey(key, source.name());
                given.putIfAbsent(setting, setting.check(value, source.name()));
              });
    }
    return of(given);
  }

  /** These settings with one changed. The value is not checked. */
  public Settings with(Setting setting, String value) {
    Map<Setting, String> changed = new EnumMap<>(values);
    changed.put(setting, value);
    return new Settings(changed);
  }

  /** The value of a key; empty for "nothing". */
  public String get(Setting setting) {
    return values.getOrDefault(setting, "");
  }

  /** True if the value of a key is {@code true}. */
  public boolean isTrue(Setting setting) {
    return get(setting).equals("true");
  }

  /**
   * The value of a key that takes a number.
   *
   * @throws SettingException if it is none; that cannot be for settings that were read
   */
  public int number(Setting setting) {
    try {
      return Integer.parseInt(get(setting));
    } catch (NumberFormatException e) {
      throw new SettingException(setting.key() + ": expected a number");
    }
  }

  /**
   * The value of a key that takes a file; empty if nobody named one.
   *
   * @throws SettingException if the system knows no such path
   */
  public Optional<Path> path(Setting setting) {
    try {
      return get(setting).isEmpty() ? Optional.empty() : Optional.of(Path.of(get(setting)));
    } catch (InvalidPathException e) {
      throw new SettingException(
          setting.key() + "=" + Setting.oneLine(get(setting)) + ": not a file's name");
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Settings settings && values.equals(settings.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Every key with its value, as {@code key=value} separated by commas; secrets are not shown. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    values.forEach(
        (key, value) ->
            text.append(text.isEmpty() ? "" : ",")
                .append(key.key())
                .append('=')
                .append(key.isSecret() && !value.isEmpty() ? "***" : value));
    return text.toString();
  }
}
