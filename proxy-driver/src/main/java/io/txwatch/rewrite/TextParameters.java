package io.txwatch.rewrite;

/**
 * Where the parameters of a rewritten text are (hazard 30), by their numbers from 1.
 *
 * @param count how many the application's text has
 * @param index the number in the new text of each of the application's
 * @param writers those that take the writer token
 * @param rowIds those that take the ids of new rows, in the rows' order
 * @param again those that take one of the application's once more
 * @param againOf its number in the application's text
 */
record TextParameters(
    int count, int[] index, int[] writers, int[] rowIds, int[] again, int[] againOf) {}
