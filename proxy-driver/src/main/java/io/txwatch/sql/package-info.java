/**
 * SQL as text: a lossless tokenizer for each dialect, the shape of a statement, and the plan that
 * splices the auxiliary columns into it. Every byte that is not ours stays as it was; nothing is
 * ever printed from a parse tree.
 *
 * <p>Pure functions of values: a {@link io.txwatch.sql.Catalog} describes the tables, nothing here
 * speaks JDBC. What is rewritten how follows IsoRel, Table 1, where that does not change the
 * meaning; what would, passes through with its reason.
 */
@NullMarked
package io.txwatch.sql;

import org.jspecify.annotations.NullMarked;
