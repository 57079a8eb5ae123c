/** What is particular to HSQLDB. */
@NullMarked
package io.txwatch.product.hsqldb;

import org.jspecify.annotations.NullMarked;
