/**
 * The DBMSs whose SQL is read, and what their texts may contain: a {@link
 * io.txwatch.sql.dialect.Grammar} for each. What holds for one DBMS alone has its source, the
 * manual's section or the constant in the DBMS's own code, at the constant.
 */
@NullMarked
package io.txwatch.sql.dialect;

import org.jspecify.annotations.NullMarked;
