package io.txwatch.bench.nested;

/**
 * What the transactions of a load do.
 *
 * @param onOneTable whether each query selects from one table, without a block within another
 * @param rows the rows of each table that are written: those with the least keys
 * @param values how many values K gets, and N, too, if {@code few}
 * @param few whether N gets one of few values instead of a number of its own. No query returns the
 *     version then, so that versions of a row are often equal in all that is read
 * @param unwatched whether one more client writes on a connection that is not watched
 * @param savepoints whether some updates are undone by a rollback to a savepoint
 * @param trigger whether a trigger writes a row of another table with each update of {@code ta}
 */
record LoadShape(
    boolean onOneTable,
    int rows,
    int values,
    boolean few,
    boolean unwatched,
    boolean savepoints,
    boolean trigger) {

  /** Nested queries, or queries on one table, and updates of one row each. */
  static LoadShape plain(boolean onOneTable) {
    return new LoadShape(
        onOneTable, AuditedTables.ROWS, Column.VALUES_OF_K, false, false, false, false);
  }

  /** Six rows with three values, and all that makes it difficult to know who wrote a version. */
  static LoadShape hot() {
    return new LoadShape(true, 2, 3, true, true, true, true);
  }
}
