package io.txwatch.history;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The isolation level that a transaction requested, by the names that users type; {@code RU},
 * {@code RC}, … are their abbreviations.
 */
public enum IsolationLevel {
  /**
   * Not known: a statement may have changed the session's level, and the DBMS has not been queried
   * since. It promises nothing, so no anomaly is a violation of it. Weaker than every other one.
   */
  UNKNOWN("?"),
  READ_UNCOMMITTED("RU"),
  READ_COMMITTED("RC"),
  /** SQL's REPEATABLE READ, whose guarantees differ between DBMSs. */
  REPEATABLE_READ("RR"),
  /** Snapshot isolation under its own name (H2, SQL Server). */
  SNAPSHOT("SI"),
  SERIALIZABLE("SER");

  private static final List<IsolationLevel> KNOWN =
      List.of(READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SNAPSHOT, SERIALIZABLE);

  private final String shortName;

  IsolationLevel(String shortName) {
    this.shortName = shortName;
  }

  /** The short form that users may type, but for {@link #UNKNOWN}. */
  public String shortName() {
    return shortName;
  }

  /** All levels but {@link #UNKNOWN}, weakest first. */
  public static List<IsolationLevel> known() {
    return KNOWN;
  }

  /** False for {@link #UNKNOWN}. */
  public boolean isKnown() {
    return this != UNKNOWN;
  }

  /** As people write it: {@code READ COMMITTED}; {@code an unknown level}. */
  public String words() {
    return isKnown() ? name().replace('_', ' ') : "an unknown level";
  }

  /**
   * Parses a name or abbreviation, ignoring case, with spaces, dashes or underscores between the
   * words.
   */
  public static Optional<IsolationLevel> parse(String name) {
    String wanted = name.strip().toUpperCase(Locale.ROOT).replace(' ', '_').replace('-', '_');
    for (IsolationLevel level : known()) {
      if (level.name().equals(wanted) || level.shortName.equals(wanted)) {
        return Optional.of(level);
      }
    }
    return Optional.empty();
  }
}
