/**
 * From events to dependencies: IsoRel's Algorithm 1 (§3.3), one event at a time.
 *
 * <p>Each row has a chain of versions, learnt from the writers' lists that came with reads and
 * writes. A version's writer wr-precedes its readers; the writer of the next version ww-follows the
 * writer and rw-follows the readers. Sessions may be interleaved in any way: the edges that come
 * out are the same.
 */
@NullMarked
package io.txwatch.dependency;

import org.jspecify.annotations.NullMarked;
