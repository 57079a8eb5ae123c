/**
 * The link between watched processes and an analyzer that they share: {@code
 * txwatch.analyzer=tcp://host:port}.
 *
 * <p>What goes over it are {@linkplain io.txwatch.history.Chunk chunks} of a history, numbered,
 * kept until they are acknowledged, sent again after a cut, and taken in once ({@code link.proto}
 * is the protocol, docs/decisions/0013 weighs it). What cannot be kept within its bound is dropped
 * and told as a gap, so that a lost event weakens what is said and never adds to it. The
 * application notices none of this: {@link io.txwatch.history.QueueSink} stands between.
 */
@NullMarked
package io.txwatch.link;

import org.jspecify.annotations.NullMarked;
