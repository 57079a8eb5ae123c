/**
 * Turns JDBC calls into events: the transaction of a session, the rows of a statement and its call
 * site; and delivers events to their sinks through a bounded queue that never blocks the
 * application.
 *
 * <p>Every thread that txwatch starts in an application is a daemon made by {@link
 * io.txwatch.history.BackgroundThreads}; there are no timers, and the agent starts none:
 *
 * <table>
 * <caption>Threads</caption>
 * <tr><th>name</th><th>from</th><th>until</th><th>wakes up while nothing comes</th></tr>
 * <tr><td>{@code txwatch-events}, one for each set of settings; a second one before a history's
 *     file if there is an analysis, too</td><td>the first connection</td><td>2 s after the last
 *     one was closed</td><td>no</td></tr>
 * <tr><td>{@code txwatch-report}</td><td>the first connection, or the next anomaly</td><td>with
 *     {@code txwatch-events}</td><td>no</td></tr>
 * <tr><td>{@code txwatch-link}, {@code txwatch-link-answers}</td><td>the first connection</td>
 *     <td>with {@code txwatch-events}</td><td>once a second: a sign of life to the shared
 *     analyzer, or the next attempt to reach it after up to 15 s</td></tr>
 * <tr><td>{@code txwatch-sql-parser}, two at most</td><td>a text that is parsed</td><td>2 s after
 *     the last one</td><td>no</td></tr>
 * <tr><td>{@code txwatch-prepare-lock-wait}</td><td>a MySQL statement of {@code prepare} that may
 *     wait for a lock</td><td>the end of that statement</td><td>no</td></tr>
 * <tr><td>{@code txwatch-connect}</td><td>{@code txwatch.prepare=auto} opens a connection to a
 *     server</td><td>it is open</td><td>no</td></tr>
 * <tr><td>{@code txwatch-changes}, {@code txwatch-binary-log}, {@code
 *     txwatch-binary-log-connection}, one of each a server</td><td>the first connection with {@code
 *     txwatch.versions=log}, or without a setting</td><td>1 s after the last one</td><td>the second and third: four times
 *     a second, on the server's sign of life; all: once a minute, if the log cannot be
 *     read</td></tr>
 * <tr><td>{@code txwatch-shutdown}</td><td>the end of the JVM; registered as long as there is
 *     {@code txwatch-events}</td><td>5 s at most</td><td>no</td></tr>
 * </table>
 *
 * <p>A connection that the application leaks without closing it counts as open.
 */
@NullMarked
package io.txwatch.capture;

import org.jspecify.annotations.NullMarked;
