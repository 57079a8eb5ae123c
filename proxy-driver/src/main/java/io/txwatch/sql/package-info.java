/**
 * The plans for SQL texts, as values: what a {@link io.txwatch.sql.Planner} is given (a text, a
 * {@link io.txwatch.sql.Catalog}, a {@link io.txwatch.sql.PlanRequest}) and the {@link
 * io.txwatch.sql.RewritePlan} that it returns.
 *
 * <p>A plan is a pure function: nothing in this package or below it speaks JDBC. The packages below
 * depend on each other in one direction: {@code dialect} and {@code syntax} (text to tree), {@code
 * semantics} (questions about the tree), {@code rewrite} (tree to plan).
 */
@NullMarked
package io.txwatch.sql;

import org.jspecify.annotations.NullMarked;
