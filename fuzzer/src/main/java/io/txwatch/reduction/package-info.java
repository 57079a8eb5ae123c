/**
 * Reduction: a case that shows a violation becomes the smallest case that this oracle still reports
 * in the same way (delta debugging; Zeller and Hildebrandt, TSE 2002, on the tree of each
 * statement).
 *
 * <p>{@link io.txwatch.reduction.ShorterStatements} proposes shorter texts of one statement, {@link
 * io.txwatch.reduction.ShorterCases} cases with a part fewer; both are pure. {@link
 * io.txwatch.reduction.Reducer} executes proposals and keeps those that show the violation.
 */
@NullMarked
package io.txwatch.reduction;

import org.jspecify.annotations.NullMarked;
