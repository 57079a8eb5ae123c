/** Lists the DBMSs on which operations are interleaved. */
@NullMarked
package io.txwatch.interleave.product.registry;

import org.jspecify.annotations.NullMarked;
