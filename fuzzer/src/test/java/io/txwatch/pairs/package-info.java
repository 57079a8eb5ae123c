/**
 * Pairs of operations of which it is known where they race, and the verdicts of the interleaver on
 * them.
 */
@NullMarked
package io.txwatch.pairs;

import org.jspecify.annotations.NullMarked;
