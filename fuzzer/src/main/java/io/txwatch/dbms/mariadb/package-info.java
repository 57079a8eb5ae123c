/** What is particular to MariaDB, besides what it shares with MySQL. */
@NullMarked
package io.txwatch.dbms.mariadb;

import org.jspecify.annotations.NullMarked;
