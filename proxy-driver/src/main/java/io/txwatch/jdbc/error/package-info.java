/**
 * Errors and descriptions of drivers, shown as they are of the application's own text. A rewritten
 * text has more columns, more parameters and other positions; {@link
 * io.txwatch.jdbc.error.SentText} maps them back. Class, SQLState and vendor code of an error are
 * never changed.
 */
@NullMarked
package io.txwatch.jdbc.error;

import org.jspecify.annotations.NullMarked;
