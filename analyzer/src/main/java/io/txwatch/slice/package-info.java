/**
 * One anomaly by itself, to keep and to repeat: {@link io.txwatch.slice.HistorySlice} is a history
 * of its transactions alone, which {@code check} and {@code report} read, and {@link
 * io.txwatch.slice.CaseSlice} a case that {@code replay} runs on a DBMS.
 *
 * <p>Both are built from the anomaly's dependencies (Adya 1999, section 4.4: the order of a row's
 * versions and who read which), so they need nothing but the anomaly.
 */
@NullMarked
package io.txwatch.slice;

import org.jspecify.annotations.NullMarked;
