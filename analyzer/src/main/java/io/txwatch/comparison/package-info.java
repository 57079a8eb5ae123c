/**
 * What differs between runs: which kinds of anomalies are new, gone, or more frequent, and whether
 * the runs can be compared at all.
 */
@NullMarked
package io.txwatch.comparison;

import org.jspecify.annotations.NullMarked;
