/**
 * The driver behind {@code jdbc:txwatch:}, and final wrappers around the objects of the real one. A
 * wrapper does as little as can be: what has no hidden column and no bearing on transactions is the
 * vendor's own object.
 */
@NullMarked
package io.txwatch.jdbc;

import org.jspecify.annotations.NullMarked;
