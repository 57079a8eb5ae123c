package io.txwatch.analyzer;

import io.txwatch.history.GapReason;
import java.util.Map;

/**
 * How much of the history was seen: a first-class figure of every report.
 *
 * @param sessions sessions opened
 * @param transactions transactions that ended, by any outcome
 * @param committed those that committed
 * @param statements statements executed
 * @param instrumented statements whose rows were seen, or that touch none
 * @param rowsRead row versions read
 * @param rowsWritten row versions written, as far as seen
 * @param gaps what was not seen, by reason
 */
public record Coverage(
    long sessions,
    long transactions,
    long committed,
    long statements,
    long instrumented,
    long rowsRead,
    long rowsWritten,
    Map<GapReason, Long> gaps) {}
