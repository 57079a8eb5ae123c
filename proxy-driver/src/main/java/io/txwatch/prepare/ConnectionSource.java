package io.txwatch.prepare;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Opens another connection to the database that the application uses: the real driver's, not a
 * watched one, with the application's URL and properties.
 */
@FunctionalInterface
public interface ConnectionSource {

  /** Opens one. */
  Connection open() throws SQLException;
}
