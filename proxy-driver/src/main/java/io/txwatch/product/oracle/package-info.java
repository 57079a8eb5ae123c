/** What is particular to Oracle Database. */
@NullMarked
package io.txwatch.product.oracle;

import org.jspecify.annotations.NullMarked;
