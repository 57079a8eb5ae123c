package io.txwatch.dependency;

/** What a dependency rests on: a row or a predicate, and whether that is certain. */
public enum EdgeEvidence {
  /** A row that was read or written. */
  ITEM(false, false),
  /** A predicate whose matches certainly changed. */
  PREDICATE(true, false),
  /** A row that a read beside the statement told of, which may have seen another snapshot. */
  POSSIBLE_ITEM(false, true),
  /**
   * A row that a predicate could choose from, and that was changed, inserted or deleted; whether
   * its matches changed is not known, nor whether the DBMS looked at the row (TxCheck, section 3.2:
   * version sets over-count).
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

  /** Whether it may not be one at all. */
  public boolean possible() {
    return possible;
  }
}
