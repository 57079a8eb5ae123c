/**
 * What is sent for a text. A {@link io.txwatch.jdbc.plan.CachedPlan} is a {@link
 * io.txwatch.plan.RewritePlan} with what is learnt by executing it; a {@link
 * io.txwatch.jdbc.plan.PlanCache} holds those of a database, shared by its connections.
 */
@NullMarked
package io.txwatch.jdbc.plan;

import org.jspecify.annotations.NullMarked;
