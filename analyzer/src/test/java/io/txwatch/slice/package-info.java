/** Tests of slices: what is saved of an anomaly shows it again. */
@NullMarked
package io.txwatch.slice;

import org.jspecify.annotations.NullMarked;
