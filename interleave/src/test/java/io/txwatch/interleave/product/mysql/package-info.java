/** Tests of the wait monitors of InnoDB that need no server. */
@NullMarked
package io.txwatch.interleave.product.mysql;

import org.jspecify.annotations.NullMarked;
