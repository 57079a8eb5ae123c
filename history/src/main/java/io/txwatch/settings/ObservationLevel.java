package io.txwatch.settings;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The value of {@code txwatch.instrument} that was set while the process runs: by JMX, Spring
 * Actuator or {@code txwatch attach}. It applies to each connection that is opened afterwards,
 * whatever its own settings state; connections that are open keep theirs, because their statements
 * are planned for it.
 */
public final class ObservationLevel {

  private static volatile @Nullable String changed;

  private ObservationLevel() {}

  /**
   * Sets it.
   *
   * @return the value in canonical spelling
   * @throws SettingException if it is not a value of the setting
   */
  public static String change(String level) {
    String checked = Setting.INSTRUMENT.check(level, "at run time");
    changed = checked;
    return checked;
  }

  /** The value that was set; empty if each connection has that of its settings. */
  public static Optional<String> changed() {
    return Optional.ofNullable(changed);
  }

  /** True if connections that are opened now are not watched because of it. */
  public static boolean isOff() {
    return "off".equals(changed);
  }

  /** The settings of a connection that is opened now. */
  public static Settings applyTo(Settings settings) {
    String level = changed;
    return level == null ? settings : settings.with(Setting.INSTRUMENT, level);
  }

  /** Each connection has the value of its settings again. */
  public static void reset() {
    changed = null;
  }
}
