/** What is particular to MySQL. */
@NullMarked
package io.txwatch.product.mysql;

import org.jspecify.annotations.NullMarked;
