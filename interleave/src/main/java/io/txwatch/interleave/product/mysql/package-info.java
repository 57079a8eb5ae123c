/** What is particular to MySQL and MariaDB. */
@NullMarked
package io.txwatch.interleave.product.mysql;

import org.jspecify.annotations.NullMarked;
