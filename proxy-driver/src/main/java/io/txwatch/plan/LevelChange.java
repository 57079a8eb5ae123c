package io.txwatch.plan;

/**
 * What the execution of a text may do to isolation levels, or to settings that change what a level
 * guarantees, that the text does not show: {@code RESET ALL}, {@code SET … = DEFAULT}, a call of a
 * function. What it shows is its {@link TransactionControl}.
 */
public enum LevelChange {
  /** Nothing. */
  NONE,
  /** The level of the session's next transactions may be another. */
  SESSION,
  /** So may the level of the open transaction, or of the next one alone. */
  ANY;

  /** The one that includes both. */
  public LevelChange and(LevelChange other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
