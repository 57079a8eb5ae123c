package io.txwatch.flink;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.JsonReport;
import io.txwatch.slice.HistorySlice;

/**
 * What the job writes for an anomaly.
 *
 * @param id what {@link AnomalyId} gives it
 * @param json it as JSON, on one line
 * @param slice its {@linkplain HistorySlice slice}, from which a reader gets the anomaly itself
 */
public record WrittenAnomaly(String id, String json, byte[] slice) {

  static WrittenAnomaly of(Anomaly anomaly) {
    return new WrittenAnomaly(
        AnomalyId.of(anomaly), JsonReport.anomaly(anomaly), HistorySlice.bytes(anomaly));
  }
}
