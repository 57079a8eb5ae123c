/**
 * The checklist of what breaks when a driver rewrites SQL, a class for each theme, a test for each
 * row: the same application runs raw, on tables that nobody prepared, and watched, on prepared
 * ones, and everything that it can see is compared. The table itself is the resource {@code
 * hazards.md} beside these classes; {@link io.txwatch.hazard.ChecklistTest} holds the two together.
 *
 * <p>A test that says something else than its row does corrects the row.
 */
@NullMarked
package io.txwatch.hazard;

import org.jspecify.annotations.NullMarked;
