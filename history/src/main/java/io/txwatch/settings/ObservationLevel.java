package io.txwatch.settings;

import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The value of {@code txwatch.instrument} that was set while the process runs: by JMX, Spring
 * Actuator or {@code txwatch attach}. It applies to each connection, whatever its own settings
 * state: to one that is open from its next transaction on. The exception are connections that are
 * opened while it is {@code off}: the application has the driver's own, which stay unwatched, and
 * are {@linkplain #unwatched counted}.
 */
public final class ObservationLevel {

  private static final int MIN_UNWATCHED = 64;

  private static volatile @Nullable String changed;

  /** The connections that were opened while it was off. */
  private static final List<WeakReference<Connection>> UNWATCHED = new ArrayList<>();

  /** How many of them there are when closed ones are removed. */
  private static int mostUnwatched = MIN_UNWATCHED;

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

  /** The value that was set; null if each connection has that of its settings. */
  public static @Nullable String changedOrNull() {
    return changed;
  }

  /** The application was given the driver's own connection, because it is off. */
  public static void leftUnwatched(Connection real) {
    synchronized (UNWATCHED) {
      if (UNWATCHED.size() >= mostUnwatched) {
        UNWATCHED.removeIf(ObservationLevel::isOver);
        mostUnwatched = Math.max(MIN_UNWATCHED, 2 * UNWATCHED.size());
      }
      if (UNWATCHED.stream().noneMatch(opened -> opened.refersTo(real))) { // a data source's, too
        UNWATCHED.add(new WeakReference<>(real));
      }
    }
  }

  /** How many open connections are not watched because they were opened while it was off. */
  public static int unwatched() {
    synchronized (UNWATCHED) {
      UNWATCHED.removeIf(ObservationLevel::isOver);
      return UNWATCHED.size();
    }
  }

  private static boolean isOver(WeakReference<Connection> opened) {
    Connection connection = opened.get();
    try {
      return connection == null || connection.isClosed();
    } catch (SQLException | RuntimeException e) {
      return false;
    }
  }

  /** A line for the person who has changed it; empty if all connections follow it. */
  public static String exceptions() {
    int count = isOff() ? 0 : unwatched();
    return count == 0
        ? ""
        : count
            + (count == 1 ? " connection that was" : " connections that were")
            + " opened while it was off "
            + (count == 1 ? "is" : "are")
            + " not watched until the pool replaces "
            + (count == 1 ? "it" : "them");
  }

  /** True if connections that are opened now are not watched because of it. */
  public static boolean isOff() {
    return Setting.OFF.equals(changed);
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
