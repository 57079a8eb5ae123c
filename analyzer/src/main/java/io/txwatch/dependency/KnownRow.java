package io.txwatch.dependency;

import io.txwatch.history.RowAccess;
import java.util.Optional;

/**
 * A row of a statement that became known after the statement's event.
 *
 * @param access what the statement did to which version
 * @param bound what is known of the version that a read returned; {@link Bound#EXACT} for writes
 * @param columns the columns that were used, as {@code StatementExecuted.columns}, if not those
 *     that the statement names: a trigger or a cascade may have written the row, or another
 *     statement. Empty if they are those
 * @hidden
 */
public record KnownRow(RowAccess access, Bound bound, Optional<String> columns) {

  /**
   * How the version that was read relates to the one that is named.
   *
   * @hidden
   */
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

  /** A row of which the statement used the columns that it names. */
  public KnownRow(RowAccess access, Bound bound) {
    this(access, bound, Optional.empty());
  }
}
