package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import java.util.List;
import java.util.Optional;

/**
 * What to do with one SQL text. Immutable, cached by text, shared by all executions: the writer
 * token is a parameter of the prepared form and never changes it.
 *
 * @param original the application's text
 * @param kind what kind of statement it is
 * @param control what it does to the transaction, if that is what it is for
 * @param passThrough why it is sent as it is although it touches rows; empty if it was rewritten,
 *     or touches no rows
 * @param passThroughDetail for people, empty if not passed through
 * @param preparedSql the text for a PreparedStatement: every writer token is a {@code ?}; {@code
 *     original} if nothing is added
 * @param immediatePieces the text for a plain Statement, cut where the token literal (quotes are
 *     ours to add) goes; one piece if it has none
 * @param parameterCount how many {@code ?} the application's text has
 * @param parameterIndex {@code parameterIndex[i]} is the place, from 1, in {@code preparedSql} of
 *     the application's {@code i+1}-th parameter
 * @param tokenParameters the places, from 1, in {@code preparedSql} of the writer token
 * @param returns how the rewritten statement tells of rows
 * @param appended the tables whose {@code txw_rid, txw_wl} were appended, a pair each, at the end
 *     of the select list or the RETURNING list, in this order
 * @param starShowsAuxiliary true if the application's {@code *} makes columns named {@code txw_rid}
 *     and {@code txw_wl} appear besides the appended ones, wherever they stand: they are hidden,
 *     and are not read from
 */
public record RewritePlan(
    String original,
    StatementKind kind,
    TransactionControl control,
    Optional<GapReason> passThrough,
    String passThroughDetail,
    String preparedSql,
    List<String> immediatePieces,
    int parameterCount,
    int[] parameterIndex,
    int[] tokenParameters,
    Returns returns,
    List<String> appended,
    boolean starShowsAuxiliary) {

  /** How the rewritten statement tells of rows. */
  public enum Returns {
    /**
     * Not at all beyond what the application's own text returns: an update count, or a result with
     * nothing hidden.
     */
    NOTHING,
    /** A query: the application's result with the appended columns at its end. */
    APPENDED_TO_RESULT,
    /**
     * A write that the application expects an update count from, made to return rows (RETURNING,
     * FINAL TABLE): run as a query, read to its end, the count of its rows is the update count.
     * {@code appended} holds its one target table, and its columns are just {@code txw_rid,
     * txw_wl}: the version after an UPDATE or INSERT, the version deleted by a DELETE.
     */
    WRITTEN_ROWS,
    /**
     * A write with the application's own RETURNING: its result with the appended columns at its
     * end.
     */
    WRITTEN_ROWS_APPENDED
  }

  /** The text for a plain Statement. */
  public String immediateSql(String token) {
    if (immediatePieces.size() == 1) {
      return immediatePieces.get(0);
    }
    return String.join("'" + token + "'", immediatePieces);
  }

  /** True if anything was added. */
  public boolean isRewritten() {
    return !original.equals(preparedSql);
  }
}
