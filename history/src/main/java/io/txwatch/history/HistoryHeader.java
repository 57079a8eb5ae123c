package io.txwatch.history;

/**
 * The header of a history file.
 *
 * @param version the format version
 * @param node its writer, for display: host and process
 * @param startMicros when its writer opened it, microseconds since 1970
 */
public record HistoryHeader(int version, String node, long startMicros) {}
