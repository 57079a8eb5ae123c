/**
 * The plans for SQL texts, as values: what a {@link io.txwatch.plan.Planner} is given (a text, a
 * {@link io.txwatch.plan.Catalog}, a {@link io.txwatch.plan.PlanRequest}) and the {@link
 * io.txwatch.plan.RewritePlan} that it returns.
 *
 * <p>A plan is a pure function: nothing in this package or below it speaks JDBC. The packages below
 * depend on each other in one direction: {@code dialect} and {@code syntax} (text to tree), {@code
 * semantics} (questions about the tree), {@code rewrite} (tree to plan).
 */
@NullMarked
package io.txwatch.plan;

import org.jspecify.annotations.NullMarked;
