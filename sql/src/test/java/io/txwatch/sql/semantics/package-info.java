/** Statements and the columns that they read and write. */
@org.jspecify.annotations.NullMarked
package io.txwatch.sql.semantics;
