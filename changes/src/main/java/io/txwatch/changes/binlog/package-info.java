/**
 * The binary log of MySQL (5.7 and later) and MariaDB (10.3 and later) as a source of changes.
 *
 * <p>{@link io.txwatch.changes.binlog.BinaryLogSource} reads the log as a replica does, on one
 * daemon thread. The connector library carries the protocol alone (authentication, TLS, packets);
 * events are decoded here, because it discards the flag that ends a statement, turns temporal and
 * text values into other values than were stored, and does not know MariaDB's compressed events.
 * The layout of events is that of MySQL's {@code libbinlogevents} and MariaDB's {@code
 * log_event.cc}. The log states a table's column types, but not reliably their names, signs and
 * character sets: those come from {@code information_schema} on a connection of the source's own,
 * and transactions are held back until the log has passed the point at which the catalog was read,
 * so that no row is described by a later version of its table.
 */
@NullMarked
package io.txwatch.changes.binlog;

import org.jspecify.annotations.NullMarked;
