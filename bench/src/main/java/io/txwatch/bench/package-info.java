/**
 * What watching costs. {@code bench/run} runs it all and writes the tables of {@code
 * docs/measurements}; nothing here is part of the build's tests or of the jar.
 *
 * <p>Figures of a shared machine mean little by themselves, so everything is measured beside
 * something else: the driver alone, and the proxies that people use today.
 */
@NullMarked
package io.txwatch.bench;

import org.jspecify.annotations.NullMarked;
