/** Preparing, unpreparing and looking up tables, on every DBMS that can be had. */
@NullMarked
package io.txwatch.prepare;

import org.jspecify.annotations.NullMarked;
