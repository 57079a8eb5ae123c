package io.txwatch.stale;

import java.util.Locale;
import java.util.Optional;

/** Which transactions belong together: the later ones may use what the earlier ones read. */
public enum Across {
  /** None: stale writes are not searched. */
  OFF,
  /** Those of one trace; a transaction without a trace id belongs to none. */
  TRACE,
  /** Those of one session, which is a physical connection. A pool lends it to many requests. */
  SESSION;

  /** The value of a name, in any case; empty if there is none. */
  public static Optional<Across> parse(String name) {
    for (Across across : values()) {
      if (across.term().equals(name.toLowerCase(Locale.ROOT))) {
        return Optional.of(across);
      }
    }
    return Optional.empty();
  }

  /** The name that users type. */
  public String term() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Identifies the transactions that belong together; empty for one that belongs to none. */
  String group(long session, String traceId) {
    return switch (this) {
      case OFF -> "";
      case TRACE -> traceId;
      case SESSION -> Long.toString(session);
    };
  }
}
