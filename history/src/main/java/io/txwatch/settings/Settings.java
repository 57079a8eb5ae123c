package io.txwatch.settings;

import java.util.EnumMap;
import java.util.Map;

/** The values that hold. Immutable. */
public final class Settings {

  private final Map<Setting, String> values;

  private Settings(Map<Setting, String> values) {
    this.values = values;
  }

  /** Settings in which each key that is not given has its default. */
  public static Settings of(Map<Setting, String> given) {
    Map<Setting, String> all = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      all.put(setting, given.getOrDefault(setting, setting.defaultValue()));
    }
    return new Settings(all);
  }

  /** The value of a key; empty for "nothing". */
  public String get(Setting setting) {
    return values.getOrDefault(setting, "");
  }
}
