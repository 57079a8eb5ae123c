/**
 * The two auxiliary columns on live tables: the catalog as JDBC tells it, the plan that adds or
 * removes the columns, and its execution, all or nothing for each table.
 */
@NullMarked
package io.txwatch.prepare;

import org.jspecify.annotations.NullMarked;
