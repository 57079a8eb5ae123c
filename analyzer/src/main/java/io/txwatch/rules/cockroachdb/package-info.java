/** CockroachDB in the analysis. */
@NullMarked
package io.txwatch.rules.cockroachdb;

import org.jspecify.annotations.NullMarked;
