package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A schema, database or file of our own on the server under test: cases create their tables here
 * and nowhere else. Gone when closed.
 */
public interface Workspace extends AutoCloseable {

  /** A new session in it, autocommitting, that waits for locks longer than any case takes. */
  Connection connect() throws SQLException;

  /** The same, opened by another connector than the DBMS's own: one that watches, say. */
  Connection connect(Connector by) throws SQLException;

  /**
   * The statement that lets a session go over from another workspace of the same DBMS; empty if it
   * cannot.
   */
  default Optional<String> switchStatement() {
    return Optional.empty();
  }

  /** The names of its tables, as statements spell them, sorted. */
  List<String> tables() throws SQLException;

  /**
   * The statements that make its tables as good as new: empty, and without a trace of what they
   * held that a session could meet. No session may be in a transaction then.
   *
   * @param tables all of them, those that refer to others after those
   */
  List<String> resetStatements(List<String> tables);

  /**
   * The statements that delete all rows of tables.
   *
   * @param tables those that refer to others after those
   */
  static List<String> deleteAllStatements(List<String> tables) {
    List<String> deletes = new ArrayList<>();
    tables.forEach(table -> deletes.add("DELETE FROM " + table));
    Collections.reverse(deletes);
    return deletes;
  }

  /**
   * How many versions of rows its tables can hold, all of them together, before one that has been
   * deleted can be met by a session: as long as they hold fewer, to delete what they hold makes
   * them as good as new.
   */
  default int maxDeadVersions() {
    return 0;
  }

  /**
   * Keeps the DBMS, from before a case's tables are filled, from clearing away at a time of its own
   * what they are filled with and what the case's sessions leave: until they are purged, or filled
   * again.
   */
  default void delayPurge() throws SQLException {}

  /**
   * Empties the tables, in which no session works any more, for the DBMS to purge them beside other
   * work; empty if it is not a DBMS that would, and tells when it has.
   */
  default Optional<Purge> startPurge(List<String> tables) throws SQLException {
    return Optional.empty();
  }

  /**
   * The statements after which tables that were purged are as good as new: the DBMS may remember
   * how many rows they held, and plan by that.
   */
  default List<String> afterPurgeStatements(List<String> tables) {
    return List.of();
  }

  /** Keeps the DBMS from work of its own on tables that were just defined. */
  default void disableMaintenance(List<String> tables) throws SQLException {}

  /** Drops whatever is in it. No session may be in a transaction. */
  void clear() throws SQLException;

  /** Asks who of its sessions waits. */
  WaitMonitor newMonitor() throws SQLException;

  /** Closes it where a statement may still be at work in it that nobody waits for. */
  default void abandon() throws SQLException {
    close();
  }

  @Override
  void close() throws SQLException;
}
