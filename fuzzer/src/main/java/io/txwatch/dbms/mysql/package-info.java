/** What is particular to MySQL and the DBMSs with its protocol. */
@NullMarked
package io.txwatch.dbms.mysql;

import org.jspecify.annotations.NullMarked;
