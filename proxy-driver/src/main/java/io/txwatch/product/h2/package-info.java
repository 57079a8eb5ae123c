/** What is particular to H2. */
@NullMarked
package io.txwatch.product.h2;

import org.jspecify.annotations.NullMarked;
