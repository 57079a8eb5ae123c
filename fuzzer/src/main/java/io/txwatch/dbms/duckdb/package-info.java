/** What is particular to DuckDB. */
@NullMarked
package io.txwatch.dbms.duckdb;

import org.jspecify.annotations.NullMarked;
