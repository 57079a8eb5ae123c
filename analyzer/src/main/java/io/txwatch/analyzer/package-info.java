/** The analyzer as a whole: events in, anomalies and coverage out. */
@NullMarked
package io.txwatch.analyzer;

import org.jspecify.annotations.NullMarked;
