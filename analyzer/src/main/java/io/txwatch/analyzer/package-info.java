/** The analyzer: reads events, reports anomalies and coverage. */
@NullMarked
package io.txwatch.analyzer;

import org.jspecify.annotations.NullMarked;
