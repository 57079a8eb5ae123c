/** What is particular to PostgreSQL. */
@NullMarked
package io.txwatch.interleave.product.postgresql;

import org.jspecify.annotations.NullMarked;
