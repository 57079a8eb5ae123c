package io.txwatch.history;

/**
 * What a history's file says of itself.
 *
 * @param version the version of its format
 * @param node who wrote it, for people: host and process
 * @param startMicros when its writer opened it, microseconds since 1970
 */
public record HistoryHeader(int version, String node, long startMicros) {}
