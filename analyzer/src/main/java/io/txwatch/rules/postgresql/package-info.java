/** PostgreSQL in the analysis. */
@NullMarked
package io.txwatch.rules.postgresql;

import org.jspecify.annotations.NullMarked;
