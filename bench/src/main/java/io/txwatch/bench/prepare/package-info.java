/** What {@code prepare} costs an application that works on the table meanwhile. */
@NullMarked
package io.txwatch.bench.prepare;

import org.jspecify.annotations.NullMarked;
