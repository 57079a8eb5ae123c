/** What is particular to PostgreSQL and the DBMSs with its protocol. */
@NullMarked
package io.txwatch.dbms.postgresql;

import org.jspecify.annotations.NullMarked;
