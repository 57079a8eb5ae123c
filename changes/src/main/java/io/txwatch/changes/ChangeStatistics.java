package io.txwatch.changes;

/**
 * Counts since a source was started.
 *
 * @param bytes of the record
 * @param events of the record
 * @param transactions delivered
 * @param rows delivered
 * @param gaps reported
 * @param reconnects after the first connection
 * @param latencies how many transactions the latencies below were measured of: those whose commit
 *     time is known in microseconds
 * @param meanLatencyMicros from the commit, by the server's clock, to the delivery, by the clock of
 *     this machine
 * @param p50LatencyMicros half of them took at most this, to within a quarter
 * @param p99LatencyMicros 99 of 100 took at most this, to within a quarter
 */
public record ChangeStatistics(
    long bytes,
    long events,
    long transactions,
    long rows,
    long gaps,
    long reconnects,
    long latencies,
    long meanLatencyMicros,
    long p50LatencyMicros,
    long p99LatencyMicros) {}
