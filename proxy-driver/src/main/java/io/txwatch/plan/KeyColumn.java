package io.txwatch.plan;

/**
 * A column of the key that rows of a table are named by in reports.
 *
 * @param name in lower case
 * @param kind how its values are read and shown
 * @param comparesExactly true if a value of the kind's own type that is compared equal to the
 *     column's value is the same value: false for a collation that ignores case or trailing blanks
 */
public record KeyColumn(String name, Kind kind, boolean comparesExactly) {

  /** How a value is read and shown. */
  public enum Kind {
    /** An integer of 64 bits at most. */
    INTEGER,
    /** A number that is read as text: with digits behind the point, or more than 63 bits. */
    NUMBER,
    /** A UUID, in whichever letters it is written. */
    UUID,
    /** Text. */
    TEXT,
    /** Text whose trailing blanks do not matter. */
    PADDED_TEXT,
    /** Something else whose text does not depend on the session: a date. */
    OTHER;

    /** True for text, of whichever length. */
    public boolean isText() {
      return this == TEXT || this == PADDED_TEXT;
    }
  }
}
