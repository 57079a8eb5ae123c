/**
 * The DBMSs whose SQL is read and rewritten, and in what they differ: for each a {@link
 * io.txwatch.sql.dialect.Grammar}, what its texts may contain, and a {@link
 * io.txwatch.sql.dialect.DialectSql}, what can be added to them. A statement that holds for one
 * DBMS alone has its source, the manual's section or the constant in the DBMS's own code, at the
 * method.
 */
@NullMarked
package io.txwatch.sql.dialect;

import org.jspecify.annotations.NullMarked;
