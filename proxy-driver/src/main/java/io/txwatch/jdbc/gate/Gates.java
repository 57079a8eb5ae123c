package io.txwatch.jdbc.gate;

import io.txwatch.settings.Setting;
import org.jspecify.annotations.Nullable;

/** The gate of this process. */
public final class Gates {

  private static volatile @Nullable Gate installed;

  private Gates() {}

  /** The gate that watched connections ask; null if there is none. */
  public static @Nullable Gate installed() {
    return installed;
  }

  /**
   * Installs a gate.
   *
   * @throws IllegalStateException if there is one
   */
  public static synchronized void install(Gate gate) {
    if (installed != null) {
      throw new IllegalStateException(
          "the calls of this process are held by something else: interleave in one place at a time,"
              + " and without "
              + Setting.PROVOKE.key());
    }
    installed = gate;
  }

  /** Removes the gate, if it is that one. Calls that it holds go on when it lets them. */
  public static synchronized void remove(Gate gate) {
    if (installed == gate) {
      installed = null;
    }
  }
}
