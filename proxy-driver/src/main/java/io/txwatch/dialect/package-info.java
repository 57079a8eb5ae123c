/**
 * What can be added to the statements of a DBMS ({@link io.txwatch.dialect.DialectSql}), and what
 * its JDBC driver does in its own way ({@link io.txwatch.dialect.DriverTraits}). What holds for one
 * DBMS alone has its source, the manual's section or the constant in the DBMS's own code, at the
 * method.
 */
@NullMarked
package io.txwatch.dialect;

import org.jspecify.annotations.NullMarked;
