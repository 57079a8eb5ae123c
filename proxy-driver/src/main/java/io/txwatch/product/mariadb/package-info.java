/** What is particular to MariaDB. */
@NullMarked
package io.txwatch.product.mariadb;

import org.jspecify.annotations.NullMarked;
