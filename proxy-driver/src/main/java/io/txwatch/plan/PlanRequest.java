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
 */
public record PlanRequest(boolean mayReturnRows, boolean mayListVersions) {

  /** The usual request: everything is allowed. */
  public static final PlanRequest ANY = new PlanRequest(true, true);

  /** For a statement whose result must stay what it is. */
  public static final PlanRequest RETURNING_NOTHING = new PlanRequest(false, true);

  /** For an isolation level at which a subquery may read other versions than the statement. */
  public static final PlanRequest LISTING_NOTHING = new PlanRequest(true, false);
}
