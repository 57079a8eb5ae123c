package io.txwatch.catalog;

import java.sql.Connection;
import java.util.function.BooleanSupplier;

/**
 * The session that a look-up is for, as it is at this moment.
 *
 * @param connection its connection
 * @param view what is known of its transaction
 * @param executing true if the application is about to send a statement, which replaces what the
 *     server says of the one before (row counts, warnings)
 * @param takesSnapshot asked only for a look-up on this session: true if that statement takes its
 *     transaction's snapshot before it does anything else
 * @param hasOpenDdl true if its open transaction has changed the schema
 */
public record LookupContext(
    Connection connection,
    SessionView view,
    boolean executing,
    BooleanSupplier takesSnapshot,
    boolean hasOpenDdl) {}
