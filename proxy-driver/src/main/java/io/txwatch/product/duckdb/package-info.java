/** What is particular to DuckDB. */
@NullMarked
package io.txwatch.product.duckdb;

import org.jspecify.annotations.NullMarked;
