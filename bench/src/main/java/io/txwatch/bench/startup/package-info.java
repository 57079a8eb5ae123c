/**
 * Measures the overhead of watching in a JVM that has just started: loading classes, planning each
 * text for the first time.
 */
@NullMarked
package io.txwatch.bench.startup;

import org.jspecify.annotations.NullMarked;
