package io.txwatch.flink;

import java.util.HashMap;
import java.util.Map;

/**
 * How long streams are awaited that lag behind the watermark: until one has lagged for {@link
 * HistoryJob#MAX_SILENCE}, in processing time. That the watermark has passed them is not enough:
 * partitions are read one after the other, so after an outage the first one moves it ahead by
 * minutes within milliseconds.
 */
final class LaggingStreams {

  private static final long MAX_SILENCE_MILLIS = HistoryJob.MAX_SILENCE.toMillis();

  /** A running process writes a record every two seconds. */
  private static final long KILLED_AFTER_MILLIS = 600_000;

  /** By stream that lags, the processing time at which this was noticed. */
  private final Map<Long, Long> noticed = new HashMap<>();

  /**
   * True if a stream is awaited.
   *
   * @param through the event time through which it is complete
   * @param now the processing time
   */
  boolean isAwaited(long client, long through, long watermark, long now) {
    // After a restart there is no watermark at first: the least number.
    if (through >= watermark || watermark - through <= MAX_SILENCE_MILLIS) {
      noticed.remove(client);
      return true;
    }
    Long since = noticed.putIfAbsent(client, now);
    return since == null || now - since < MAX_SILENCE_MILLIS;
  }

  /** True if a stream that is not awaited lags so far behind that its process was killed. */
  static boolean isKilled(long through, long watermark) {
    return through < watermark - KILLED_AFTER_MILLIS;
  }

  /** A stream has ended, or its process was killed. */
  void forget(long client) {
    noticed.remove(client);
  }
}
