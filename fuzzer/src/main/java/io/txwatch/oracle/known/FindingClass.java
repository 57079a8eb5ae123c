package io.txwatch.oracle.known;

/** What a violation is, by what is known about it. */
public enum FindingClass {
  /** The manual of the DBMS describes the behaviour. */
  BY_DESIGN,
  /** The tracker of the DBMS has a number for it. */
  KNOWN_BUG,
  /** Neither. */
  NEW;

  /** True if it is a fault, or may be one. */
  public boolean isFault() {
    return this != BY_DESIGN;
  }
}
