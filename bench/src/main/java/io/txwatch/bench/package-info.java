/**
 * Measures the overhead of watching. {@code bench/run} runs the benchmarks and writes the tables of
 * {@code docs/measurements}; they are not part of the build's tests or of the jar.
 *
 * <p>Absolute figures of a shared machine mean little, so each measurement is a comparison: with
 * the driver alone, and with widely used proxies.
 */
@NullMarked
package io.txwatch.bench;

import org.jspecify.annotations.NullMarked;
