/**
 * Reads the DBMS's own record of changes while connections are watched with {@code
 * txwatch.versions=log}, or without a setting where the log can be read: one {@linkplain
 * io.txwatch.jdbc.changes.ChangeReader reader} a server, on connections of txwatch's own, started
 * with the first watched connection and closed after the last. What it lacks it states in one line;
 * the application never waits for it, except at most two seconds when the first connection is
 * opened.
 *
 * <p>On SQLite, which has no record, {@link io.txwatch.jdbc.changes.ListenedWrites} gives the rows
 * that a connection wrote.
 */
@NullMarked
package io.txwatch.jdbc.changes;

import org.jspecify.annotations.NullMarked;
