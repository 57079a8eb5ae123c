package io.txwatch.rules;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;

/**
 * What is particular to a DBMS in the analysis. What is not overridden is what holds for a DBMS
 * that is not known: no promise that could be broken, and nothing that is concluded from how it
 * reads or locks.
 */
public interface DbmsRules {

  /** Its name in histories. */
  String product();

  /**
   * Whether its sessions are watched with versions of rows; the history of another one may come
   * from elsewhere.
   */
  default boolean isWatched() {
    return false;
  }

  /** What it promises at a level, in that version and with those settings. */
  default Promise promise(IsolationLevel level, Database database) {
    return Promise.NONE;
  }

  /** What an application must handle from REPEATABLE READ on; empty if nothing. */
  default String retry() {
    return "";
  }

  /** How an application locks what it reads. */
  default String lockClause() {
    return "SELECT ... FOR UPDATE";
  }

  /** Whether its applications can choose the level SNAPSHOT by this name. */
  default boolean namesSnapshot() {
    return false;
  }

  /** Which versions plain SELECTs return at a level. */
  default PlainReads plainReads(IsolationLevel level) {
    return PlainReads.byName(level);
  }

  /**
   * Whether a transaction's write may hide another row from its own plain SELECTs: the one that has
   * the same primary key in its snapshot, and that another transaction has deleted since. That is
   * so where rows are stored by their keys; otherwise the SELECTs return both rows.
   */
  default boolean writesMayHideRows(IsolationLevel level) {
    return plainReads(level) != PlainReads.NEWEST;
  }

  /**
   * Whether a write locks its row until the transaction ends, so that no two transactions write it
   * at a time: false for clusters with several writing servers.
   */
  default boolean locksRows(Database database) {
    return false;
  }

  /**
   * Whether two transactions deadlock if one has locked a row and waits for a second one, which the
   * other one has locked while it waits for the first: each locks the rows that it writes one by
   * one, at every level, and waits for the locks of others.
   */
  default boolean deadlocksByRows(Database database) {
    return false;
  }

  /** Whether plain SELECTs may lock rows at a level. */
  default boolean plainReadsLock(IsolationLevel level) {
    return false;
  }

  /**
   * Whether a statement may lock something that is no row, perhaps beyond its transaction: a name,
   * a table.
   */
  default boolean mayLockByName(String sql) {
    return false;
  }

  /**
   * Whether its record of changes is written in this process, so that its numbers of sessions are
   * those that the driver has.
   */
  default boolean recordsInProcess() {
    return false;
  }
}
