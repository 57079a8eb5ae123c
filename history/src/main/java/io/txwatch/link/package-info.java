/**
 * The link between watched processes and a shared analyzer: {@code
 * txwatch.analyzer=tcp://host:port}.
 *
 * <p>It transfers numbered {@linkplain io.txwatch.history.Chunk chunks} of a history. They are kept
 * until acknowledged, sent again after a disconnect, and processed exactly once ({@code link.proto}
 * defines the protocol, docs/decisions/0013 explains it). Events beyond the buffer's bound are
 * dropped and reported as a gap, which can only weaken a verdict. A {@link
 * io.txwatch.history.QueueSink} keeps the application independent of the link.
 */
@NullMarked
package io.txwatch.link;

import org.jspecify.annotations.NullMarked;
