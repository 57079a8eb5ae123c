/** Tests of whole explorations on real databases. */
@NullMarked
package io.txwatch.interleave;

import org.jspecify.annotations.NullMarked;
