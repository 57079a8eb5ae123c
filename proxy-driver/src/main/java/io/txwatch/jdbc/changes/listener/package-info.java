/**
 * {@code txwatch.versions=statements} on SQLite: the rows that its driver shows of a connection's
 * writes.
 */
@NullMarked
package io.txwatch.jdbc.changes.listener;

import org.jspecify.annotations.NullMarked;
