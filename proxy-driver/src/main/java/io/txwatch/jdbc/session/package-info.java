/**
 * A physical connection: its database, its transaction ({@link io.txwatch.capture.SessionTracker}),
 * its view of the tables ({@link io.txwatch.catalog.JdbcCatalog}), the plans for its texts, and
 * what its statements leave behind for the next ones.
 */
@NullMarked
package io.txwatch.jdbc.session;

import org.jspecify.annotations.NullMarked;
