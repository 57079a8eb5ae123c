/**
 * Resolves reads to versions by key, value and time, where statements are sent unchanged. The
 * writes are shown by the DBMS's own record of changes, or else by the statements, as far as they
 * state them.
 *
 * <p>A read returned a version whose values are those that were read, whose writer's COMMIT had
 * been sent before the read returned, and whose successor's COMMIT had not returned before the read
 * was sent. One such version is certain. Of several, the first and the last bound what was read.
 * None is guessed. Leopard (ICDE 2023) verifies isolation levels from such intervals.
 */
@NullMarked
package io.txwatch.version;

import org.jspecify.annotations.NullMarked;
