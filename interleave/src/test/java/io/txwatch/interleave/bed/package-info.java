/** Pairs of operations whose verdicts are known, and the verdicts of the interleaver on them. */
@NullMarked
package io.txwatch.interleave.bed;

import org.jspecify.annotations.NullMarked;
