package io.txwatch.jdbc.changes;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.history.Database;
import io.txwatch.settings.Settings;
import java.sql.Connection;

/**
 * A connection that is about to be watched, whose DBMS's record of changes is to be read.
 *
 * @param real the driver's connection, or a pool's handle on it
 * @param url the real URL
 * @param source opens connections that are not watched
 */
public record ChangesRequest(
    Connection real,
    String url,
    ConnectionSource source,
    Settings settings,
    Pipeline pipeline,
    JdbcCatalog catalog) {

  /** The DBMS at its other end. */
  public Database database() {
    return catalog.database();
  }
}
