package io.txwatch.jdbc.session;

import io.txwatch.capture.WriterTexts;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Reads the id that PostgreSQL gave to a transaction, for one that has written rows without
 * returning them: a batch, for example. Other transactions that read these rows later then show
 * that they read from this one. A write that returns its rows returns the id with them, so most
 * transactions do not need this round trip.
 */
public final class TransactionIds {

  private static final String SQL =
      "SELECT pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.text";

  private TransactionIds() {}

  /** True if the driver may set savepoints of its own: {@code autosave} of PostgreSQL's driver. */
  public static boolean setsSavepoints(Connection real) {
    try {
      Method autosave = real.getClass().getMethod("getAutosave");
      return !"NEVER".equals(String.valueOf(autosave.invoke(real)));
    } catch (ReflectiveOperationException | RuntimeException e) {
      return true; // not known
    }
  }

  /**
   * The connection's transaction is about to be committed or prepared. Within a branch of a
   * distributed transaction, where drivers do not report the state of the server, it may have
   * failed, and then accepts no query.
   */
  public static void identify(ConnectionState connection) {
    WriterTexts texts = connection.writerTexts();
    if (!texts.areIds()
        || !connection.tracker().hasUnseenWrites()
        || !(connection.catalog().isInTransaction() || connection.tracker().inBranch())) {
      return;
    }
    try (Statement statement = connection.real().createStatement();
        ResultSet row = statement.executeQuery(SQL)) {
      String id = row.next() ? row.getString(1) : null;
      if (id != null) {
        connection.tracker().identified(texts.id(id));
      }
    } catch (SQLException | RuntimeException e) {
      if (!connection.tracker().inBranch()) {
        connection.fault(e);
      }
    }
  }
}
