/** What is particular to H2. */
@NullMarked
package io.txwatch.interleave.product.h2;

import org.jspecify.annotations.NullMarked;
