/** MariaDB in the analysis. */
@NullMarked
package io.txwatch.rules.mariadb;

import org.jspecify.annotations.NullMarked;
