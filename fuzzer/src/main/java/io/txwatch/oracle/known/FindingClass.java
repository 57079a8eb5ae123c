package io.txwatch.oracle.known;

/** What a violation is, by what is known about it. */
public enum FindingClass {
  /**
   * The manual of the DBMS describes the behaviour. Its tracker may have numbers all the same:
   * users expected something else.
   */
  BY_DESIGN,
  /** The manual does not describe it, and the tracker of the DBMS has a number for it. */
  KNOWN_BUG,
  /** Neither. */
  NEW;

  /** True if it is a fault, or may be one. */
  public boolean isFault() {
    return this != BY_DESIGN;
  }
}
