package io.txwatch.plan;

/**
 * The rows of an INSERT's VALUES, which the driver gives their ids. So it knows them without a
 * query the DBMS for anything (no RETURNING, no round trip): all that is left to find out is which
 * of them were written, and that the update count states.
 *
 * @param table the table's name as histories show it
 * @param count how many rows VALUES has; 0 for an upsert of what a query gives, whose rows have
 *     their ids from the column's default
 * @param fate what may become of a row
 */
public record NewRows(String table, int count, Fate fate) {

  /** Why a REPLACE is not seen completely. */
  public static final String TAKEN_AWAY = "the rows that REPLACE takes away are not seen";

  /** What may become of a row of VALUES if the statement succeeds. */
  public enum Fate {
    /** It is written. */
    WRITTEN,
    /** It is written or left out (INSERT IGNORE, ON CONFLICT DO NOTHING, a trigger's word). */
    MAY_BE_LEFT_OUT,
    /** It is written, and rows in its way are deleted, each counted as one more but on SQLite. */
    REPLACES,
    /** It is written, or a row that is in its way is updated, or neither. */
    MAY_UPDATE_ANOTHER
  }

  /** What an update count states of the rows. */
  public enum Verdict {
    /** All were written, and no other row was. */
    ALL,
    /** All were written, and rows that are not known were deleted. */
    ALL_AND_OTHERS,
    /** No row was written. */
    NONE,
    /** All were written unless a trigger had its way. */
    LIKELY_ALL,
    /** Nothing is known. */
    UNKNOWN
  }

  /**
   * What an update count states of the rows.
   *
   * @param updateCount the statement's; {@link java.sql.Statement#SUCCESS_NO_INFO} for an item of a
   *     batch that the driver sent together with others
   * @param triggersMayLeaveOut true if a trigger can keep a row from being written without an error
   */
  public Verdict verdict(long updateCount, boolean triggersMayLeaveOut) {
    if (updateCount == 0) {
      return Verdict.NONE;
    }
    if (fate == Fate.MAY_UPDATE_ANOTHER) {
      return Verdict.UNKNOWN;
    }
    if (updateCount == count) {
      return Verdict.ALL;
    }
    if (fate == Fate.REPLACES && updateCount > count) {
      return Verdict.ALL_AND_OTHERS;
    }
    boolean uncounted = updateCount == java.sql.Statement.SUCCESS_NO_INFO;
    if (uncounted && fate == Fate.WRITTEN) {
      return triggersMayLeaveOut ? Verdict.LIKELY_ALL : Verdict.ALL;
    }
    return Verdict.UNKNOWN;
  }
}
