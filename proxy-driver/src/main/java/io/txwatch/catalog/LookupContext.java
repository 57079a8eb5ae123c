package io.txwatch.catalog;

import java.sql.Connection;

/**
 * The session that a lookup is for, as it is at this moment.
 *
 * @param connection its connection
 * @param view what is known of its transaction
 * @param hasOpenDdl true if its open transaction has changed the schema
 */
public record LookupContext(Connection connection, SessionView view, boolean hasOpenDdl) {}
