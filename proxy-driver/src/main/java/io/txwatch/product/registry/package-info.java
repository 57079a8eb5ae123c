/** The list of the DBMSs that are watched. */
@NullMarked
package io.txwatch.product.registry;

import org.jspecify.annotations.NullMarked;
