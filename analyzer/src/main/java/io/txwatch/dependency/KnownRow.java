package io.txwatch.dependency;

import io.txwatch.history.RowAccess;

/**
 * A row of a statement that became known after the statement's event.
 *
 * @param access what the statement did to which version
 * @param bound what is known of the version that a read returned; {@link Bound#EXACT} for writes
 */
public record KnownRow(RowAccess access, Bound bound) {

  /** How the version that was read relates to the one that is named. */
  public enum Bound {
    /** It is that version. */
    EXACT,
    /** It is that version or a later one: its writer precedes the reader. */
    LOWER,
    /** It is that version or an earlier one: the writer of the next version follows the reader. */
    UPPER
  }

  /** A row whose version is known. */
  public KnownRow(RowAccess access) {
    this(access, Bound.EXACT);
  }
}
