/** What is particular to Apache Derby. */
@NullMarked
package io.txwatch.product.derby;

import org.jspecify.annotations.NullMarked;
