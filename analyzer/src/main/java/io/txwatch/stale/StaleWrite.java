package io.txwatch.stale;

import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.history.Database;
import java.util.List;

/**
 * A stale write. Each transaction has the one statement that takes part.
 *
 * @param reader read the row
 * @param other wrote the row after the version that was read
 * @param writer overwrote that write, in a later transaction of the reader's trace or session
 * @param database the DBMS
 * @param scope the database and the server's run, as {@link Database#scope}
 * @param table the row's table
 * @param row the row's id
 * @param columns the columns that all three used; empty if they are all, or if the row is the item
 */
public record StaleWrite(
    ObservedTransaction reader,
    ObservedTransaction other,
    ObservedTransaction writer,
    Database database,
    String scope,
    String table,
    long row,
    List<String> columns) {}
