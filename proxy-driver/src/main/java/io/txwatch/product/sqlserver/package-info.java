/** What is particular to SQL Server. */
@NullMarked
package io.txwatch.product.sqlserver;

import org.jspecify.annotations.NullMarked;
