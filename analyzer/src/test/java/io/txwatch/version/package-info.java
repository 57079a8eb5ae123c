/** Histories by value, with what must be resolved and reported. */
@NullMarked
package io.txwatch.version;

import org.jspecify.annotations.NullMarked;
