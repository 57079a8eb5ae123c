package io.txwatch.prepare;

/**
 * One step of changing a table.
 *
 * @param sql its statement; of a fill, the statement that all of its batches together amount to
 * @param work what the DBMS does for it
 */
public record PreparationStep(String sql, Work work) {

  /** How much a step has to do, and with that for how long it locks the table. */
  public enum Work {
    /** It changes the catalog alone, however many rows there are. */
    INSTANT,
    /** It rewrites every row in one statement. */
    REWRITE,
    /** It writes rows in batches, with pauses between them. */
    FILL
  }

  /** A step that changes the catalog alone. */
  public static PreparationStep instant(String sql) {
    return new PreparationStep(sql, Work.INSTANT);
  }

  /** A step that rewrites every row in one statement. */
  public static PreparationStep rewrite(String sql) {
    return new PreparationStep(sql, Work.REWRITE);
  }
}
