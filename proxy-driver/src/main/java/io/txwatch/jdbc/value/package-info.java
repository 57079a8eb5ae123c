/**
 * Versions by value: the keys and hashed values of the rows that a statement reads, and of those
 * that it states to write. Nothing is added to what the DBMS receives. Which versions they are, the
 * analyzer finds out, with the DBMS's own record of changes.
 *
 * <p>A {@link io.txwatch.jdbc.value.ValueLayout} is what a text's {@link io.txwatch.sql.ValuePlan}
 * comes to with a driver's result; a {@link io.txwatch.jdbc.value.StatementValues} collects what
 * one execution shows.
 */
@NullMarked
package io.txwatch.jdbc.value;

import org.jspecify.annotations.NullMarked;
