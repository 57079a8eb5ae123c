/**
 * How much of the history was seen: {@link io.txwatch.coverage.Coverage}, a figure of every report.
 */
@NullMarked
package io.txwatch.coverage;

import org.jspecify.annotations.NullMarked;
