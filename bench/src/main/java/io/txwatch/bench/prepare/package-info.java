/** Measures the effect of {@code prepare} on an application that uses the table. */
@NullMarked
package io.txwatch.bench.prepare;

import org.jspecify.annotations.NullMarked;
