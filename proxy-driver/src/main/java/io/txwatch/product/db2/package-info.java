/** What is particular to Db2. */
@NullMarked
package io.txwatch.product.db2;

import org.jspecify.annotations.NullMarked;
