/**
 * Versions by value: the keys and hashed values of the rows that a statement reads, and of those
 * that it states to write. Nothing is added to what the DBMS receives. Which versions they are, the
 * analyzer finds out, with the DBMS's own record of changes.
 *
 * <p>A {@link io.txwatch.jdbc.value.StatementValues} collects what one execution of a text shows,
 * as its {@link io.txwatch.plan.ValuePlan} states; a {@link io.txwatch.jdbc.value.ColumnReader}
 * reads one column of the driver's result.
 */
@NullMarked
package io.txwatch.jdbc.value;

import org.jspecify.annotations.NullMarked;
