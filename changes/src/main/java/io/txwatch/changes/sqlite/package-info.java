/**
 * The rows that a connection to SQLite changes, by their row ids, as the driver's update listener
 * gives them: rows of triggers, cascades and predicates, too.
 *
 * <p>Temporary triggers that call a registered function would give the values. But they name
 * columns: once another connection drops one of these, each write of this connection fails; and
 * they would have to be created on the connection of the application. A listener executes no SQL,
 * stores nothing, and cannot fail a statement. It gives no values; none for tables WITHOUT ROWID,
 * nor for a DELETE of all rows; after an UPDATE of a key only the new one; and REPLACE does not
 * give the rows that it takes away. But for the last, SQLite's own count of changes shows that rows
 * were not given. Connections that no one listens to, among them those of other processes, are not
 * seen.
 */
@NullMarked
package io.txwatch.changes.sqlite;

import org.jspecify.annotations.NullMarked;
