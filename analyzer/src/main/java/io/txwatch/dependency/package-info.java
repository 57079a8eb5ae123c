/**
 * Infers dependencies from events: IsoRel's Algorithm 1 (§3.3), one event at a time.
 *
 * <p>Each row has a chain of versions, learned from the writers' lists that reads and writes
 * return. A version's writer wr-precedes its readers. The writer of the next version ww-follows the
 * writer and rw-follows the readers. The result does not depend on how the events of sessions are
 * interleaved.
 */
@NullMarked
package io.txwatch.dependency;

import org.jspecify.annotations.NullMarked;
