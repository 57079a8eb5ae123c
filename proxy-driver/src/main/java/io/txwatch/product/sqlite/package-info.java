/** What is particular to SQLite. */
@NullMarked
package io.txwatch.product.sqlite;

import org.jspecify.annotations.NullMarked;
