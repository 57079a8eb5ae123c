package io.txwatch.history;

import java.util.Locale;
import java.util.Optional;

/**
 * The isolation level that a transaction requested, by the names that users type; {@code RU},
 * {@code RC}, … are their abbreviations.
 */
public enum IsolationLevel {
  READ_UNCOMMITTED("RU"),
  READ_COMMITTED("RC"),
  /** SQL's REPEATABLE READ, whose guarantees differ between DBMSs. */
  REPEATABLE_READ("RR"),
  /** Snapshot isolation under its own name (H2, SQL Server). */
  SNAPSHOT("SI"),
  SERIALIZABLE("SER");

  private final String shortName;

  IsolationLevel(String shortName) {
    this.shortName = shortName;
  }

  /** The short form that users may type. */
  public String shortName() {
    return shortName;
  }

  /**
   * Parses a name or abbreviation, ignoring case, with spaces, dashes or underscores between the
   * words.
   */
  public static Optional<IsolationLevel> parse(String name) {
    String wanted = name.strip().toUpperCase(Locale.ROOT).replace(' ', '_').replace('-', '_');
    for (IsolationLevel level : values()) {
      if (level.name().equals(wanted) || level.shortName.equals(wanted)) {
        return Optional.of(level);
      }
    }
    return Optional.empty();
  }
}
