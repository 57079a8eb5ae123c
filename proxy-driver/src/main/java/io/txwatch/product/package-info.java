/**
 * The DBMSs that are watched: each has a package of its name, behind {@link
 * io.txwatch.product.WatchedProduct}.
 */
@NullMarked
package io.txwatch.product;

import org.jspecify.annotations.NullMarked;
