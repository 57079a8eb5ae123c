package io.txwatch.stale;

import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.history.Database;
import java.util.List;

/**
 * A stale read. Each transaction has the one statement that takes part.
 *
 * @param earlier wrote the row on the primary, or read it there or on a standby, and committed
 * @param writer wrote the version that {@code earlier} read; {@code earlier} itself if that wrote
 *     the row
 * @param reader read an older version of the row on a standby, in a later transaction of the
 *     earlier one's trace
 * @param database the standby
 * @param primaryScope the database and the run of the primary, as {@link Database#scope}
 * @param table the row's table
 * @param row the row's id
 * @param columns the columns that differ and that were read; empty if they are all, or if the row
 *     is the item
 * @param isProven whether the earlier transaction is known to have ended before the reader began
 */
public record StaleRead(
    ObservedTransaction earlier,
    ObservedTransaction writer,
    ObservedTransaction reader,
    Database database,
    String primaryScope,
    String table,
    long row,
    List<String> columns,
    boolean isProven) {}
