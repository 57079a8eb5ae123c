package io.txwatch.plan;

/**
 * What a plan may do, beside what the planner's level decides. The usual plan may do everything;
 * the others are for executions in which something of it would be wrong.
 *
 * @param mayReturnRows false if the statement's result must stay what it is, because it will be an
 *     item of a batch, or requests generated keys, or is cut by {@code setMaxRows}: the writer is
 *     appended to what it writes, but nothing to a result, so {@link RewritePlan#returns()} is
 *     NOTHING
 * @param mayListVersions false if no column may list the versions of many rows: no hidden aggregate
 *     and nothing {@linkplain RewritePlan#carried carried}
 * @param mayAssume the most that the text may {@linkplain RewritePlan#assumed assume}
 */
public record PlanRequest(boolean mayReturnRows, boolean mayListVersions, Assuming mayAssume) {

  /** How much a text may assume; each includes the one before. */
  public enum Assuming {
    /** It is right in any session, for any values. */
    NOTHING,
    /** How the session stores values, and of which kinds the parameters' values are. */
    VALUES,
    /** That the statement is a transaction of its own, too. */
    AUTOCOMMIT
  }

  /** The usual request: everything is allowed. */
  public static final PlanRequest ANY = new PlanRequest(true, true, Assuming.AUTOCOMMIT);

  /** For a statement whose result must stay what it is. */
  public static final PlanRequest RETURNING_NOTHING =
      new PlanRequest(false, true, Assuming.AUTOCOMMIT);

  /** For an isolation level at which a subquery may read other versions than the statement. */
  public static final PlanRequest LISTING_NOTHING = new PlanRequest(true, false, Assuming.NOTHING);

  /** For a statement of a longer transaction. */
  public static final PlanRequest IN_TRANSACTION = new PlanRequest(true, true, Assuming.VALUES);

  /** For any session and any values. */
  public static final PlanRequest ASSUMING_NOTHING = new PlanRequest(true, true, Assuming.NOTHING);

  /** True if the text may assume so much. */
  public boolean mayAssume(Assuming what) {
    return mayAssume.compareTo(what) >= 0;
  }
}
