/**
 * Reads besides a statement's own result: side reads of rows that it reads or writes (BWR, AWR),
 * and version sets of its predicates (VSR). {@link io.txwatch.jdbc.read.StatementReads} is the life
 * of all of them, and of the reads that the statement's own rows carry, for one execution.
 */
@NullMarked
package io.txwatch.jdbc.read;

import org.jspecify.annotations.NullMarked;
