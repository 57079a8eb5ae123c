/**
 * The dependency graph (DSG) of committed and active transactions, maintained edge by edge, and the
 * search for the worst and shortest cycle that a new edge closes.
 */
@NullMarked
package io.txwatch.graph;

import org.jspecify.annotations.NullMarked;
