package io.txwatch.dbms;

import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A schema, database or file of our own on the server under test: cases create their tables only
 * there. Closing drops it.
 */
public interface Workspace extends AutoCloseable {

  /**
   * Opens a session in it, in autocommit mode and with a lock timeout longer than any case takes.
   */
  Connection connect() throws SQLException;

  /** The same with another connector than the DBMS's own, for example one that watches. */
  Connection connect(Connector by) throws SQLException;

  /** The names of its tables as statements spell them, sorted. */
  List<String> tables() throws SQLException;

  /**
   * The statements that make its tables as good as new: empty, without any trace of deleted rows.
   * No session may be in a transaction.
   *
   * @param tables all of its tables, parents before children
   */
  List<String> resetStatements(List<String> tables);

  /** True if after {@link #resetStatements} a column that numbers rows starts from one again. */
  default boolean resetRestartsNumbers() {
    return false;
  }

  /**
   * The statements that delete all rows of tables.
   *
   * @param tables parents before children
   */
  static List<String> deleteAllStatements(List<String> tables) {
    List<String> deletes = new ArrayList<>();
    tables.forEach(table -> deletes.add("DELETE FROM " + table));
    Collections.reverse(deletes);
    return deletes;
  }

  /**
   * The number of row versions up to which deleted rows cannot affect a session: as long as the
   * tables together have fewer, deleting their rows makes them as good as new.
   */
  default int maxDeadVersions() {
    return 0;
  }

  /** Delays the purge of deleted rows, from before a case's tables are filled. */
  default void delayPurge() throws SQLException {}

  /** Ends the delay of the purge, when a case is over. */
  default void resumePurge() throws SQLException {}

  /** Disables background maintenance of newly defined tables. */
  default void disableMaintenance(List<String> tables) throws SQLException {}

  /** Drops all tables and views. No session may be in a transaction. */
  void clear() throws SQLException;

  /** Creates a monitor of its sessions. */
  WaitMonitor newMonitor() throws SQLException;

  /** Closes a workspace in which an abandoned statement may still run. */
  default void abandon() throws SQLException {
    close();
  }

  @Override
  void close() throws SQLException;
}
