package io.txwatch.flink;

import io.txwatch.link.TopicRecord;
import java.util.Comparator;

/**
 * A record of a topic with its event time.
 *
 * @param millis its event time; of one stream, never less than that of the record before
 * @param record the record
 */
public record TimedRecord(long millis, TopicRecord record) {

  /**
   * The order in which records are analyzed: by time, and each stream in its own order. It does not
   * depend on the order in which they arrive.
   */
  static final Comparator<TimedRecord> ORDER =
      Comparator.comparingLong(TimedRecord::millis)
          .thenComparingLong(timed -> timed.record.client())
          .thenComparingLong(timed -> timed.record.number())
          .thenComparing(timed -> timed.record.kind());
}
