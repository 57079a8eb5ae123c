/**
 * The driver behind {@code jdbc:txwatch:}, and wrappers around the objects of the real one. Their
 * delegating halves are written by the build; what stands here is only what they change.
 *
 * <p>{@link io.txwatch.jdbc.Watch} is the one way in. A statement's text is looked up in the {@link
 * io.txwatch.jdbc.PlanCache}, sent as its plan says, and reported by an {@link
 * io.txwatch.jdbc.Execution}; the hidden columns of a result are read as the application steps
 * through it. What has no way back to the connection is the vendor's own object: arrays, blobs,
 * savepoints. {@code java.sql} does not say what may be null, so neither do the generated halves.
 */
@NullMarked
package io.txwatch.jdbc;

import org.jspecify.annotations.NullMarked;
