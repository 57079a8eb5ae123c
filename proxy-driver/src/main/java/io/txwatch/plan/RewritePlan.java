package io.txwatch.plan;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;

/**
 * What to do with one SQL text. Immutable, cached by text, shared by all executions: the writer
 * token is a parameter of the prepared form and never changes it.
 *
 * <p>What is sent is always {@link #preparedSql} or {@link #immediateSql}, whatever the other
 * fields state: on H2, even a statement that carries nothing may have to be put right (MERGE).
 *
 * @param original the application's text
 * @param kind what kind of statement it is
 * @param control what it does to the transaction, if that is what it is for
 * @param passThrough why not every row that it touches can be seen; empty if the rewritten text
 *     returns all of them, or if it touches none. A statement of which only some tables can be seen
 *     is both rewritten and has a reason here: it is independent of {@link #isRewritten()}
 * @param passThroughDetail for people, empty if there is no reason
 * @param text what is sent
 * @param rows how the rows that it reads and writes are observed
 * @param mayLeaveUnnamed true if the statement may make versions that do not bear its token
 *     although the text has one
 * @param starShowsAuxiliary true if the application's {@code *} makes columns named {@code txw_rid}
 *     and {@code txw_wl} appear besides the appended ones, wherever they stand: they are hidden,
 *     and are not read from
 * @param usesSystemColumns true if versions are read from the system columns of a table that it
 *     uses: then no table of the database has auxiliary columns
 */
public record RewritePlan(
    String original,
    StatementKind kind,
    TransactionControl control,
    Optional<GapReason> passThrough,
    String passThroughDetail,
    RewrittenText text,
    ObservedRows rows,
    boolean mayLeaveUnnamed,
    boolean starShowsAuxiliary,
    boolean usesSystemColumns) {

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
     * <p>If the list has fewer versions than the count states, the table has outgrown {@link
     * Catalog#SMALL_TABLE_ROWS} since the plan was made: what is listed was read, but not only that
     * ({@link GapReason#TOO_LARGE}), the last one listed may be cut and must not be believed, and
     * the plan is better made again.
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
    return new RewritePlan(
        sql,
        kind,
        control,
        reason,
        detail,
        RewrittenText.plain(sql, parameterCount),
        ObservedRows.none(withoutKeys(kind)),
        false,
        false,
        false);
  }

  /** What a statement of which no more is known has to do with rows that are known by a key. */
  public static KeyedRow withoutKeys(StatementKind kind) {
    return kind == StatementKind.SELECT || kind == StatementKind.LOCKING_SELECT
        ? KeyedRow.NONE
        : KeyedRow.ANY_MAY_MOVE;
  }

  /** The same plan of a text that is sent as it is, whose rows are known by their values. */
  public RewritePlan withValues(ValuePlan values) {
    return observed(passThrough, passThroughDetail, ObservedRows.byValue(keys(), values));
  }

  /**
   * The plan for a text that is sent as it is, by the plan for its shape.
   *
   * @param tokens those of the text
   */
  public RewritePlan in(Tokens tokens) {
    String sql = tokens.text();
    ObservedRows inText =
        values().map(plan -> ObservedRows.byValue(keys(), plan.withLiterals(tokens))).orElse(rows);
    return copy(sql, passThrough, passThroughDetail, text.unchanged(sql), inText);
  }

  /** The same plan, with a reason why not every row that it touches can be seen. */
  public RewritePlan unseen(GapReason reason, String detail) {
    return observed(Optional.of(reason), detail, rows);
  }

  /** The same plan with other reads beside the statement, which leave nothing unseen. */
  public RewritePlan withSideReads(List<SideRead> reads) {
    ObservedRows with =
        new ObservedRows(
            returns(), appended(), carried(), List.copyOf(reads), newRows(), keys(), names());
    return observed(Optional.empty(), "", with);
  }

  private RewritePlan observed(Optional<GapReason> reason, String detail, ObservedRows how) {
    return copy(original, reason, detail, text, how);
  }

  private RewritePlan copy(
      String sql, Optional<GapReason> reason, String detail, RewrittenText sent, ObservedRows how) {
    return new RewritePlan(
        sql,
        kind,
        control,
        reason,
        detail,
        sent,
        how,
        mayLeaveUnnamed,
        starShowsAuxiliary,
        usesSystemColumns);
  }

  /** The plan that sends the application's own text, with the reason why. */
  public RewritePlan asItIs(GapReason reason, String detail) {
    return new RewritePlan(
        original,
        kind,
        control,
        Optional.of(reason),
        detail,
        RewrittenText.plain(original, parameterCount()),
        ObservedRows.none(withoutKeys(kind)),
        false,
        false,
        usesSystemColumns);
  }

  // ---------------------------------------------------------------- the text

  /** {@link RewrittenText#preparedSql}. */
  public String preparedSql() {
    return text.preparedSql();
  }

  /** {@link RewrittenText#immediatePieces}. */
  public List<String> immediatePieces() {
    return text.immediatePieces();
  }

  /** {@link RewrittenText#immediateGaps}. */
  public int[] immediateGaps() {
    return text.immediateGaps();
  }

  /** {@link RewrittenText#parameterCount}. */
  public int parameterCount() {
    return text.parameterCount();
  }

  /** {@link RewrittenText#parameterIndex}. */
  public int[] parameterIndex() {
    return text.parameterIndex();
  }

  /** {@link RewrittenText#tokenParameters}. */
  public int[] tokenParameters() {
    return text.tokenParameters();
  }

  /** {@link RewrittenText#rowIdParameters}. */
  public int[] rowIdParameters() {
    return text.rowIdParameters();
  }

  /**
   * The text for a plain Statement.
   *
   * @param firstRow the id of the first new row; those after it get the numbers after it
   */
  public String immediateSql(String token, long firstRow) {
    return text.immediateSql(token, firstRow);
  }

  /**
   * The offset in the application's text of a character of the text that was sent; of a character
   * that was put in, that of the one which it stands before.
   *
   * @param sent {@code preparedSql}, or what {@link #immediateSql} gave
   */
  public int originalOffset(int offset, String sent) {
    return text.origins().original(this, offset, sent);
  }

  /** How many parameters {@code preparedSql} has beside the application's. */
  public int addedParameters() {
    return tokenParameters().length + rowIdParameters().length + carried().places().length;
  }

  /** True if anything was added. */
  public boolean isRewritten() {
    return !original.equals(preparedSql());
  }

  // ---------------------------------------------------------------- the rows

  /** {@link ObservedRows#returns}. */
  public Returns returns() {
    return rows.returns();
  }

  /** {@link ObservedRows#appended}. */
  public List<String> appended() {
    return rows.appended();
  }

  /** {@link ObservedRows#carried}. */
  public Carried carried() {
    return rows.carried();
  }

  /** {@link ObservedRows#sideReads}. */
  public List<SideRead> sideReads() {
    return rows.sideReads();
  }

  /** {@link ObservedRows#newRows}. */
  public Optional<NewRows> newRows() {
    return rows.newRows();
  }

  /** {@link ObservedRows#keys}. */
  public KeyedRow keys() {
    return rows.keys();
  }

  /** {@link ObservedRows#values}. */
  public Optional<ValuePlan> values() {
    return rows.values();
  }

  /** {@link ObservedRows#names}. */
  public RowNaming.OfStatement names() {
    return rows.names();
  }
}
