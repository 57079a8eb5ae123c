package io.txwatch.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The effective values of all settings ({@link Setting} documents the sources). Immutable. */
public final class Settings {

  private static final Path FILE = Path.of("txwatch.properties");

  private final Map<Setting, String> values;

  private Settings(Map<Setting, String> values) {
    this.values = values;
  }

  /**
   * Creates settings in which keys that are not given have their defaults. Values are not
   * validated.
   */
  public static Settings of(Map<Setting, String> given) {
    Map<Setting, String> all = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      all.put(setting, given.getOrDefault(setting, setting.defaultValue()));
    }
    return new Settings(all);
  }

  /**
   * Reads the settings of an agent: its arguments, then system properties, environment and file.
   *
   * @param arguments the text after {@code -javaagent:txwatch.jar=}, possibly empty
   * @throws SettingException if a key is unknown or a value is invalid
   */
  public static Settings ofAgentArguments(String arguments) {
    return ofProcess(SettingSource.agentArguments(arguments));
  }

  /**
   * Reads the settings of a connection: its properties {@code txwatch.*}, then system properties,
   * environment and file.
   *
   * @throws SettingException if a key is unknown or a value is invalid
   */
  public static Settings ofUrlProperties(Properties properties) {
    return ofProcess(SettingSource.urlProperties(properties));
  }

  /**
   * True if {@code txwatch.strict} is on. Read also where other settings are not valid; a mistyped
   * key or value of this setting itself counts as on.
   *
   * @param arguments an agent's
   */
  public static boolean isStrict(String arguments) {
    Stream<Supplier<SettingSource>> ofAgent =
        Arrays.stream(arguments.split(",")).map(each -> () -> SettingSource.agentArguments(each));
    Stream<Supplier<SettingSource>> ofProcess =
        Stream.of(
            () -> SettingSource.systemProperties(System.getProperties()),
            () -> SettingSource.environment(System.getenv()),
            () -> SettingSource.file(FILE));
    return Stream.concat(ofAgent, ofProcess)
        .map(Settings::strictness)
        .flatMap(Optional::stream)
        .findFirst()
        .filter(value -> !value.equalsIgnoreCase(Setting.STRICT.defaultValue()))
        .isPresent();
  }

  private static Optional<String> strictness(Supplier<SettingSource> source) {
    try {
      return source.get().values().entrySet().stream()
          .filter(entry -> Setting.closest(entry.getKey()).equals(Optional.of(Setting.STRICT)))
          .map(Map.Entry::getValue)
          .findFirst();
    } catch (SettingException e) {
      return Optional.empty(); // reported where the settings are read
    }
  }

  /**
   * The value of {@code txwatch.instrument} in the arguments of an agent that runs already.
   *
   * @throws SettingException if they contain any other setting, or a value that is not valid
   */
  public static String changedLevel(String arguments) {
    SettingSource source = SettingSource.agentArguments(arguments);
    Settings.read(List.of(source)); // an unknown key or value first
    if (!source.values().keySet().equals(Set.of(Setting.INSTRUMENT.key()))) {
      throw new SettingException(
          "only instrument can be changed while the process runs, as instrument=off: start it again"
              + " to change other settings");
    }
    return Setting.INSTRUMENT.check(
        source.values().getOrDefault(Setting.INSTRUMENT.key(), ""), source.name());
  }

  /**
   * The arguments of an agent that is attached for an application.
   *
   * @param defaults values of settings that no system property, variable or file sets
   * @param more further settings, with or without the prefix; they take precedence over those
   */
  public static String agentArguments(Map<Setting, String> defaults, Map<String, String> more) {
    Map<String, String> arguments = new TreeMap<>();
    List<SettingSource> sources = ofProcess();
    defaults.forEach(
        (setting, value) -> {
          if (sources.stream().noneMatch(source -> source.values().containsKey(setting.key()))) {
            arguments.put(setting.key(), value);
          }
        });
    arguments.putAll(more);
    return arguments.entrySet().stream()
        .map(argument -> argument.getKey() + "=" + argument.getValue())
        .collect(Collectors.joining(","));
  }

  private static Settings ofProcess(SettingSource strongest) {
    List<SettingSource> sources = new ArrayList<>();
    sources.add(strongest);
    sources.addAll(ofProcess());
    return read(sources);
  }

  private static List<SettingSource> ofProcess() {
    return List.of(
        SettingSource.systemProperties(System.getProperties()),
        SettingSource.environment(System.getenv()),
        SettingSource.file(FILE));
  }

  /**
   * Reads settings from sources, in order of precedence. Every source is validated, also values
   * that a stronger one overrides.
   *
   * @throws SettingException if a key is unknown or a value is invalid
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

  /** Returns a copy with one value changed. The value is not validated. */
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
   * Returns the value of a numeric setting.
   *
   * @throws SettingException if it is not a number, which cannot happen for settings that were read
   */
  public int number(Setting setting) {
    try {
      return Integer.parseInt(get(setting));
    } catch (NumberFormatException e) {
      throw new SettingException(setting.key() + ": expected a number");
    }
  }

  /**
   * Returns the value of a file setting; empty if none is set.
   *
   * @throws SettingException if the path is invalid on this system
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

  /** Lists all settings as {@code key=value}, separated by commas; secrets are not shown. */
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
