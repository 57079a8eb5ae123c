package io.txwatch.jdbc.changes.listener;

import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.changes.sqlite.RowIdListener;
import io.txwatch.history.Database;
import io.txwatch.jdbc.changes.ChangeReading;
import io.txwatch.jdbc.changes.WriteListener;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** The rows that SQLite's driver shows of a connection's writes. */
public final class RowIdWrites implements WriteListener {

  @Override
  public boolean serves(Database database) {
    return database.product().is("SQLite");
  }

  @Override
  public String notice() {
    return "row versions come from the statements, and from the rows that SQLite's driver shows of"
        + " their writes";
  }

  @Override
  public @Nullable ChangeReading listen(Connection real, JdbcCatalog catalog) {
    try {
      RowIdListener listener = RowIdListener.to(real);
      return listener == null ? null : new ListenedWrites(listener, catalog);
    } catch (LinkageError e) {
      return null; // a driver in a class loader of its own
    }
  }
}
