/**
 * APTrans: searches an execution for anomaly patterns (Anomaly Pattern-guided Transaction Bug
 * Testing, Liu et al., SIGMOD 2026).
 *
 * <p>{@link io.txwatch.oracle.aptrans.RecordedCase} gives the tables row ids and versions (section
 * 3.2.1) and triggers that log writes (3.4.2), {@link io.txwatch.oracle.aptrans.Recording} turns an
 * execution into reads and writes of versions, and {@link io.txwatch.oracle.aptrans.ApTrans} checks
 * it in two phases (3.5). {@link io.txwatch.dbms.WriteRecording} is what differs by DBMS.
 */
@NullMarked
package io.txwatch.oracle.aptrans;

import org.jspecify.annotations.NullMarked;
