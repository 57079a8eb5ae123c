/**
 * SQL as text: tokens without loss, and where a text of several statements is cut. Nothing here
 * knows a table or changes a text.
 */
@NullMarked
package io.txwatch.sql.syntax;

import org.jspecify.annotations.NullMarked;
