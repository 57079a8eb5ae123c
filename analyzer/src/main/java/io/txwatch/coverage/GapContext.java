package io.txwatch.coverage;

/**
 * What the advice on gaps depends on, beside their number.
 *
 * @param prepares true if a table without the auxiliary columns was used on a DBMS that needs them
 * @param unprepares true if one was used where system columns would do: on PostgreSQL 14 or later,
 *     when other tables have the auxiliary columns or a setting asks for them
 * @param notUnderstood a statement that was not understood, as histories contain it; empty if none
 * @param phantomsUnseen true if rows were queried and inserted, and no version set was read or
 *     asked for: what a query did not find is known to no statement
 */
public record GapContext(
    boolean prepares, boolean unprepares, String notUnderstood, boolean phantomsUnseen) {

  public static final GapContext UNKNOWN = new GapContext(false, false, "", false);

  GapContext plus(GapContext other) {
    return new GapContext(
        prepares || other.prepares,
        unprepares || other.unprepares,
        notUnderstood.isEmpty() ? other.notUnderstood : notUnderstood,
        phantomsUnseen || other.phantomsUnseen);
  }

  GapContext with(boolean unseenPhantoms) {
    return new GapContext(prepares, unprepares, notUnderstood, unseenPhantoms);
  }
}
