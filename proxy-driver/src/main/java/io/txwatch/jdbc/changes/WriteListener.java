package io.txwatch.jdbc.changes;

import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.history.Database;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** A driver that shows the rows that a connection writes, beside what its statements state. */
public interface WriteListener {

  /** True if it is that DBMS's driver. */
  boolean serves(Database database);

  /** A line for people: where row versions come from. */
  String notice();

  /**
   * Listens to a connection. Nothing is executed on it. Never throws.
   *
   * @param real the driver's connection, or a pool's handle on it
   * @return null if its driver does not show them
   */
  @Nullable ChangeReading listen(Connection real, JdbcCatalog catalog);
}
