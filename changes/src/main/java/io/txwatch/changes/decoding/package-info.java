/**
 * Reads the write-ahead log of a PostgreSQL server by logical decoding: {@link
 * io.txwatch.changes.decoding.LogicalSlotSource} reads a slot of the plug-in {@code test_decoding}
 * with SQL, {@link io.txwatch.changes.decoding.DecodedLine} reads the texts that it returns.
 */
@NullMarked
package io.txwatch.changes.decoding;

import org.jspecify.annotations.NullMarked;
