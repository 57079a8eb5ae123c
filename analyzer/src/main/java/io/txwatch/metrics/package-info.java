/**
 * The figures of an analyzer for monitoring. {@link io.txwatch.metrics.Meter} is the one list of
 * them; {@link io.txwatch.metrics.PrometheusText} writes it for {@code /metrics}, {@link
 * io.txwatch.metrics.MeterBean} shows it over JMX, and {@code io.txwatch.TxWatchMeters} registers
 * it with Micrometer.
 *
 * <p>Names and units follow the conventions of Prometheus and OpenMetrics.
 */
@NullMarked
package io.txwatch.metrics;

import org.jspecify.annotations.NullMarked;
