/**
 * Where what is written is known from while versions are known by value: one {@linkplain
 * io.txwatch.jdbc.changes.ChangesMode mode} a package below this one, and {@code modes} lists them.
 * A record of changes is read by one {@linkplain io.txwatch.jdbc.changes.ChangeReader reader} a
 * server, on connections of txwatch's own, started with the first watched connection and closed
 * after the last. What it lacks it states in one line; the application never waits for it, except
 * at most two seconds when the first connection is opened.
 */
@NullMarked
package io.txwatch.jdbc.changes;

import org.jspecify.annotations.NullMarked;
