/** The list of the sources of row versions by value. */
@NullMarked
package io.txwatch.jdbc.changes.modes;

import org.jspecify.annotations.NullMarked;
