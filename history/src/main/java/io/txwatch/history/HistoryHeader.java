package io.txwatch.history;

/**
 * The header of a history file.
 *
 * @param version the format version
 * @param node its writer, for display: host and process
 * @param startMicros when its writer opened it, microseconds since 1970
 * @param containsValues true if it contains parameters and values of the application ({@link
 *     Event.ValuesRecorded})
 */
public record HistoryHeader(int version, String node, long startMicros, boolean containsValues) {

  HistoryHeader withValues() {
    return new HistoryHeader(version, node, startMicros, true);
  }
}
