/**
 * The values that an application has set on a prepared statement, kept to be set once more: on
 * another text of the same statement, and on reads beside it. JDBC does not state when a driver
 * takes over a value that the application changes afterwards; {@link
 * io.txwatch.jdbc.parameter.ChangingValue} does.
 */
@NullMarked
package io.txwatch.jdbc.parameter;

import org.jspecify.annotations.NullMarked;
