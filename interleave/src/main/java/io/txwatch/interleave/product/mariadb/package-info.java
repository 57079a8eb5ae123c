/** What is particular to MariaDB. */
@NullMarked
package io.txwatch.interleave.product.mariadb;

import org.jspecify.annotations.NullMarked;
