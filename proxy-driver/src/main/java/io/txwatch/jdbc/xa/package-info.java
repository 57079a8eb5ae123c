/**
 * Pooled connections and the branches of distributed transactions (X/Open, <i>The XA
 * Specification</i>, 1991). A session outlives the handles that the application takes one after
 * another.
 */
@NullMarked
package io.txwatch.jdbc.xa;

import org.jspecify.annotations.NullMarked;
