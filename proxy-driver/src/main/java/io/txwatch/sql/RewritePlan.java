package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import java.util.List;
import java.util.Optional;

/**
 * What to do with one SQL text. Immutable, cached by text, shared by all executions: the writer
 * token is a parameter of the prepared form and never changes it.
 *
 * <p>What is sent is always {@code preparedSql} or {@link #immediateSql}, whatever the other fields
 * say: where the auxiliary columns are visible, even a statement that carries nothing may have to
 * be put right ({@code SELECT DISTINCT *}, NATURAL JOIN, {@code INSERT INTO t VALUES (…)}).
 *
 * @param original the application's text
 * @param kind what kind of statement it is
 * @param control what it does to the transaction, if that is what it is for
 * @param passThrough why not every row that it touches can be seen; empty if the rewritten text
 *     returns all of them, or if it touches none. A statement of which only some tables can be seen
 *     is both rewritten and has a reason here: it is independent of {@link #isRewritten()}
 * @param passThroughDetail for people, empty if there is no reason
 * @param preparedSql the text for a PreparedStatement: every writer token and every row id is a
 *     {@code ?}; {@code original} if nothing is added
 * @param immediatePieces the text for a plain Statement, cut where the token literal (quotes are
 *     ours to add) or a row's id goes; one piece if it has none
 * @param immediateGaps what goes between two of them: 0 for the token, else the row, from 1, whose
 *     id it is
 * @param origins where the characters of the pieces come from
 * @param parameterCount how many {@code ?} the application's text has
 * @param parameterIndex (the identity if nothing was added) {@code parameterIndex[i]} is the place,
 *     from 1, in {@code preparedSql} of the application's {@code i+1}-th parameter
 * @param tokenParameters the places, from 1, in {@code preparedSql} of the writer token
 * @param rowIdParameters the places, from 1, in {@code preparedSql} of the ids of the new rows, in
 *     the rows' order: each gets an id of its own, of 64 bits
 * @param newRows the rows that an INSERT gives ids by {@code rowIdParameters}; what becomes of them
 * @param returns how the rewritten statement returns rows
 * @param appended the tables whose {@code txw_rid, txw_wl} were appended, a pair each, at the end
 *     of the select list or the RETURNING list, in this order
 * @param keys what it has to do with rows that are known by a key
 * @param sideReads reads of ours that are sent beside the statement, on the same connection, in
 *     this order; empty at level {@code inline}
 * @param carried what the rows of its result carry besides, behind the columns of {@code appended}
 * @param assumed what must hold of the session and of the parameters' values, or this text must not
 *     be sent
 * @param mayLeaveUnnamed true if the statement may make versions that do not bear its token
 *     although the text has one
 * @param starShowsAuxiliary true if the application's {@code *} makes columns named {@code txw_rid}
 *     and {@code txw_wl} appear besides the appended ones, wherever they stand: they are hidden,
 *     and are not read from
 * @param usesSystemColumns true if versions are read from the system columns of a table that it
 *     uses: then no table of the database has auxiliary columns
 * @param unwatched what is sent instead where nothing is observed
 */
public record RewritePlan(
    String original,
    StatementKind kind,
    TransactionControl control,
    Optional<GapReason> passThrough,
    String passThroughDetail,
    String preparedSql,
    List<String> immediatePieces,
    int[] immediateGaps,
    Origins origins,
    int parameterCount,
    int[] parameterIndex,
    int[] tokenParameters,
    int[] rowIdParameters,
    Optional<NewRows> newRows,
    Returns returns,
    List<String> appended,
    boolean starShowsAuxiliary,
    KeyedRow keys,
    List<SideRead> sideReads,
    Carried carried,
    Assumed assumed,
    boolean mayLeaveUnnamed,
    boolean usesSystemColumns,
    Unwatched unwatched) {

  /** How the rewritten statement returns rows. */
  public enum Returns {
    /**
     * Not at all beyond what the application's own text returns: an update count, or a result with
     * nothing appended to it but what it {@linkplain #carried carries}.
     */
    NOTHING,
    /** A query: the application's result with the appended columns at its end. */
    APPENDED_TO_RESULT,
    /**
     * A query whose rows stand for several rows of the tables (GROUP BY, an aggregate): the
     * application's result with one column for each table of {@code appended} at its end, which
     * holds the row versions behind the row in one text, {@code 2;17:wl,18:wl}: how many they are,
     * a semicolon, and for each {@code txw_rid}, a colon, {@code txw_wl}, with a comma between two
     * of them, in no order. A version may be listed twice.
     *
     * <p>If the list has fewer versions than the count says, the table has outgrown {@link
     * Catalog#SMALL_TABLE_ROWS} since the plan was made: what is listed was read, but not only that
     * ({@link GapReason#TOO_LARGE}), the last one listed may be cut and must not be believed, and
     * the plan is better made anew.
     */
    AGGREGATED_TO_RESULT,
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

  /**
   * A plan that sends the text as it is.
   *
   * @param reason why its rows are not seen; empty if it touches none
   */
  public static RewritePlan untouched(
      String sql,
      StatementKind kind,
      TransactionControl control,
      Optional<GapReason> reason,
      String detail,
      int parameterCount) {
    int[] identity = new int[parameterCount];
    for (int i = 0; i < parameterCount; i++) {
      identity[i] = i + 1;
    }
    return new RewritePlan(
        sql,
        kind,
        control,
        reason,
        detail,
        sql,
        List.of(sql),
        new int[0],
        Origins.SAME,
        parameterCount,
        identity,
        new int[0],
        new int[0],
        Optional.empty(),
        Returns.NOTHING,
        List.of(),
        false,
        withoutKeys(kind),
        List.of(),
        Carried.NONE,
        Assumed.NOTHING,
        false,
        false,
        Unwatched.asItIs(sql));
  }

  /** What a statement of which no more is known has to do with rows that are known by a key. */
  static KeyedRow withoutKeys(StatementKind kind) {
    return kind == StatementKind.SELECT || kind == StatementKind.LOCKING_SELECT
        ? KeyedRow.NONE
        : KeyedRow.ANY_MAY_MOVE;
  }

  /** The same plan with that flag. */
  RewritePlan withStarShowsAuxiliary(boolean shows) {
    return new RewritePlan(
        original,
        kind,
        control,
        passThrough,
        passThroughDetail,
        preparedSql,
        immediatePieces,
        immediateGaps,
        origins,
        parameterCount,
        parameterIndex,
        tokenParameters,
        rowIdParameters,
        newRows,
        returns,
        appended,
        shows,
        keys,
        sideReads,
        carried,
        assumed,
        mayLeaveUnnamed,
        usesSystemColumns,
        unwatched);
  }

  /**
   * The plan that sends the application's own text, with the reason why; where that would show the
   * auxiliary columns, what hides them stays in it.
   */
  public RewritePlan asItIs(GapReason reason, String detail) {
    RewritePlan untouched =
        untouched(original, kind, control, Optional.of(reason), detail, parameterCount);
    return new RewritePlan(
        untouched.original,
        untouched.kind,
        untouched.control,
        untouched.passThrough,
        untouched.passThroughDetail,
        unwatched.text(),
        List.of(unwatched.text()),
        untouched.immediateGaps,
        unwatched.origins(),
        untouched.parameterCount,
        untouched.parameterIndex,
        untouched.tokenParameters,
        untouched.rowIdParameters,
        untouched.newRows,
        untouched.returns,
        untouched.appended,
        // Where a star was written out, the application's own text has it still.
        starShowsAuxiliary || (isRewritten() && original.indexOf('*') >= 0),
        untouched.keys,
        List.of(),
        untouched.carried,
        untouched.assumed,
        untouched.mayLeaveUnnamed,
        usesSystemColumns,
        unwatched);
  }

  /** The same plan, with a reason why not every row that it touches can be seen. */
  public RewritePlan unseen(GapReason reason, String detail) {
    return new RewritePlan(
        original,
        kind,
        control,
        Optional.of(reason),
        detail,
        preparedSql,
        immediatePieces,
        immediateGaps,
        origins,
        parameterCount,
        parameterIndex,
        tokenParameters,
        rowIdParameters,
        newRows,
        returns,
        appended,
        starShowsAuxiliary,
        keys,
        sideReads,
        carried,
        assumed,
        mayLeaveUnnamed,
        usesSystemColumns,
        unwatched);
  }

  /**
   * The text for a plain Statement.
   *
   * @param firstRow the id of the first new row; those after it get the numbers after it
   */
  public String immediateSql(String token, long firstRow) {
    if (immediatePieces.size() == 1) {
      return immediatePieces.get(0);
    }
    StringBuilder sql = new StringBuilder(preparedSql.length() + 20 * immediateGaps.length);
    sql.append(immediatePieces.get(0));
    for (int i = 0; i < immediateGaps.length; i++) {
      if (immediateGaps[i] == 0) {
        sql.append('\'').append(token).append('\'');
      } else {
        sql.append(firstRow + immediateGaps[i] - 1);
      }
      sql.append(immediatePieces.get(i + 1));
    }
    return sql.toString();
  }

  /**
   * The offset in the application's text of a character of the text that was sent; of a character
   * that was put in, that of the one which it stands before.
   *
   * @param sent {@code preparedSql}, or what {@link #immediateSql} gave
   */
  public int originalOffset(int offset, String sent) {
    return origins.original(this, offset, sent);
  }

  /** How many parameters {@code preparedSql} has beside the application's. */
  public int addedParameters() {
    return tokenParameters.length + rowIdParameters.length + carried.places().length;
  }

  /** True if anything was added. */
  public boolean isRewritten() {
    return !original.equals(preparedSql);
  }
}
