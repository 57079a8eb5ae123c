/**
 * What txwatch prints on standard error: its own faults and notices, few lines of each. The
 * application's output has no line of a kind that repeats with each statement.
 */
@NullMarked
package io.txwatch.jdbc.log;

import org.jspecify.annotations.NullMarked;
