package io.txwatch.predict;

import io.txwatch.history.RecordedValue;

/**
 * A value in the text of a statement: a parameter, or a literal.
 *
 * @param column the column that it is compared with, assigned to or inserted in, in lower case;
 *     empty if that is not evident
 * @param use what is done with it
 * @param value the value that it had
 * @param literal its text, if it was a literal; empty for a parameter
 */
public record ValuePlace(String column, Use use, RecordedValue value, String literal) {

  /** What a statement does with a value. */
  public enum Use {
    /** Its column is compared with it. */
    COMPARED,
    /** It is assigned to its column in a row that exists. */
    ASSIGNED,
    /** It becomes its column's value in a new row. */
    INSERTED,
    /** Something else. */
    OTHER
  }
}
