/**
 * Makes predicted races happen in a service under load: {@code txwatch.provoke}.
 *
 * <p>A gate learns what the transactions of this process execute, searches races that they may
 * form, and holds a transaction of such a race, for a bounded time, until another one has come to
 * the statement that the race needs.
 */
@NullMarked
package io.txwatch.interleave.provoke;

import org.jspecify.annotations.NullMarked;
