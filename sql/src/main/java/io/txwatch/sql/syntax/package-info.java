/**
 * SQL as text: tokens without loss, where a text of several statements is cut, and the tree of a
 * statement. Nothing here knows a table or changes a text.
 *
 * <p>{@link io.txwatch.sql.syntax.Tokenizer} cuts a text into {@link io.txwatch.sql.syntax.Tokens};
 * {@link io.txwatch.sql.syntax.StatementParser} makes an immutable {@link
 * io.txwatch.sql.syntax.Statement} of them, whose nodes know where they stand. The grammar is that
 * of all five dialects at once, as far as they do not contradict each other: it reads what a DBMS
 * accepts, and does not check it.
 */
@NullMarked
package io.txwatch.sql.syntax;

import org.jspecify.annotations.NullMarked;
