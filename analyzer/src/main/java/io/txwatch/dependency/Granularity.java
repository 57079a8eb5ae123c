package io.txwatch.dependency;

import java.util.Locale;
import java.util.Optional;

/** What counts as an item, of which two transactions depend on each other (Adya 1999, 3.1). */
public enum Granularity {
  /** A row: a write of it concerns every read of it. */
  ROW,
  /** A column of a row: a write of it concerns the reads of that column. */
  COLUMN;

  /** The one that counts unless users choose another. */
  public static final Granularity DEFAULT = COLUMN;

  /** The granularity of a name, in any case; empty if there is none. */
  public static Optional<Granularity> parse(String name) {
    for (Granularity granularity : values()) {
      if (granularity.term().equals(name.toLowerCase(Locale.ROOT))) {
        return Optional.of(granularity);
      }
    }
    return Optional.empty();
  }

  /** The name that users type. */
  public String term() {
    return name().toLowerCase(Locale.ROOT);
  }
}
