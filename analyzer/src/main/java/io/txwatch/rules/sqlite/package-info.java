/** SQLite in the analysis. */
@NullMarked
package io.txwatch.rules.sqlite;

import org.jspecify.annotations.NullMarked;
