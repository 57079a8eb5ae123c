/** What is particular to PostgreSQL. */
@NullMarked
package io.txwatch.product.postgresql;

import org.jspecify.annotations.NullMarked;
