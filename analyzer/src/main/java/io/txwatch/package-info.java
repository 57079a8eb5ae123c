/**
 * The public API for applications and tests: {@link io.txwatch.TxWatch} returns what was found so
 * far in this JVM, and calls listeners.
 *
 * <p>Everything here is an immutable value in the terms of the JSON report. It works with the
 * driver, the data source and the agent, as long as this JVM analyses ({@code
 * txwatch.analyzer=inprocess}, the default). {@code docs/api.md} has an example.
 */
@NullMarked
package io.txwatch;

import org.jspecify.annotations.NullMarked;
