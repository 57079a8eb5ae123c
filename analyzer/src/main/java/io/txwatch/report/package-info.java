/**
 * How anomalies are told: a block for people, a line of JSON for tools. Everything that came from
 * SQL is escaped.
 */
@NullMarked
package io.txwatch.report;

import org.jspecify.annotations.NullMarked;
