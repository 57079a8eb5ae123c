package io.txwatch.dependency;

/** The evidence for a dependency: a row or a predicate, and whether it is certain. */
public enum EdgeEvidence {
  /** A row that was read or written. */
  ITEM(false, false),
  /** A predicate whose matches certainly changed. */
  PREDICATE(true, false),
  /** A row that a side read returned, which may have read another snapshot. */
  POSSIBLE_ITEM(false, true),
  /**
   * A row that the predicate may have read and that was changed, inserted or deleted. It is unknown
   * whether its matches changed, or whether the DBMS read the row (TxCheck, section 3.2: version
   * sets over-count).
   */
  POSSIBLE_PREDICATE(true, true);

  private final boolean byPredicate;
  private final boolean possible;

  EdgeEvidence(boolean byPredicate, boolean possible) {
    this.byPredicate = byPredicate;
    this.possible = possible;
  }

  /** Whether it is a predicate dependency (Adya 1999, section 4.3). */
  public boolean byPredicate() {
    return byPredicate;
  }

  /** Whether the dependency may not exist. */
  public boolean possible() {
    return possible;
  }
}
