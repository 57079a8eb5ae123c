/**
 * Measures how fast the fuzzer decides cases: a campaign on a test server, with all oracles and all
 * levels in turn.
 */
@NullMarked
package io.txwatch.bench.fuzz;

import org.jspecify.annotations.NullMarked;
