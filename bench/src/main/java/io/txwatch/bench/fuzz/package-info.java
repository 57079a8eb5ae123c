/**
 * How fast cases are decided: a campaign of the fuzzer on a server of the tests, all oracles, all
 * levels in turn.
 */
@NullMarked
package io.txwatch.bench.fuzz;

import org.jspecify.annotations.NullMarked;
