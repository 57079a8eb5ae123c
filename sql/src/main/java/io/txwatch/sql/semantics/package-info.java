/**
 * Questions about a parsed statement that its text and a {@link io.txwatch.sql.semantics.Schema}
 * answer: which blocks, tables and common tables it has, and which columns it reads and writes.
 * Pure functions of the syntax tree; names are resolved as SQL:2016 does (7.6 and 7.16): a query
 * sees its own sources, then those of the queries around it.
 *
 * <p>Columns are the items of Adya's dependencies (1999, section 3.1): two statements that use
 * different columns of a row do not depend on each other. Where a name or a clause is not
 * understood, the answer is all columns, which is what rows as items would give.
 */
@NullMarked
package io.txwatch.sql.semantics;

import org.jspecify.annotations.NullMarked;
