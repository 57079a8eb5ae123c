/**
 * From a statement to its plan (IsoRel, Table 1). {@link io.txwatch.rewrite.RewritePlanner} makes
 * the plan of a text, {@code StatementRewriter} the rewrite of one statement: what its kind needs
 * ({@code SelectRewriter}, {@code InsertRewriter}, {@code UpdateRewriter}, {@code DeleteRewriter},
 * {@code MergeRewriter}), then version sets.
 *
 * <p>Each of these is a function from a {@code RewriteContext} to a {@code Rewrite}: edits, columns
 * that are returned, reads, and why something is not seen. A {@code Rewrite} is immutable; two of
 * them are joined by {@code and}. {@code PlanAssembly} makes the plan of it. A text is never
 * printed from a tree: every character of the application's stays. Where versions come from, only
 * {@code VersionSource} knows.
 */
@NullMarked
package io.txwatch.rewrite;

import org.jspecify.annotations.NullMarked;
