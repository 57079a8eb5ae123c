/**
 * An extension for JUnit 5 and 6: {@link io.txwatch.junit.WatchTransactions} on a test, a class or,
 * by a configuration parameter, on all tests.
 *
 * <p>{@link io.txwatch.junit.TxWatchExtension} notes the anomalies that are found between the
 * beginning and the end of a test, and waits at its end until everything that watched connections
 * did is analysed. The agent does the watching.
 */
@NullMarked
package io.txwatch.junit;

import org.jspecify.annotations.NullMarked;
