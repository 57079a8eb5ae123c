/** {@code txwatch.versions=log}: reads the binary log of MySQL and MariaDB. */
@NullMarked
package io.txwatch.jdbc.changes.log;

import org.jspecify.annotations.NullMarked;
