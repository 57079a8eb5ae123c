/** What is particular to SQLite. */
@NullMarked
package io.txwatch.dbms.sqlite;

import org.jspecify.annotations.NullMarked;
