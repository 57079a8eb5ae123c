package io.txwatch.oracle.txcheck;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;

/**
 * Which reads around a statement show what it uses and changes.
 *
 * <p>Where a transaction reads its own view (PostgreSQL, H2), its own queries before and after a
 * statement show everything. A write of InnoDB uses the current versions, which a plain query of
 * the same transaction need not see, and a locking query would change what is locked: the observer,
 * which reads uncommitted versions without locks, shows what a write changes. At SERIALIZABLE a
 * plain query of InnoDB locks, so no query is sent in the transaction.
 *
 * @param writesUseCurrentVersions true if a write uses versions that a query need not see (InnoDB)
 * @param checksKeysInSnapshot true if a key of a row that the snapshot shows counts as used, even
 *     if the row has been deleted since (H2)
 * @param level the level of the case
 */
record ReadPolicy(
    boolean writesUseCurrentVersions, boolean checksKeysInSnapshot, IsolationLevel level) {

  static ReadPolicy of(Dbms dbms, IsolationLevel level) {
    return new ReadPolicy(dbms.writesUseCurrentVersions(), dbms.checksKeysInSnapshot(), level);
  }

  /**
   * True if the level satisfies the method's third assumption: a write replaces the version that
   * its transaction can read or lock (section 3.2, figure 7).
   */
  boolean isSupported() {
    return level != IsolationLevel.READ_UNCOMMITTED;
  }

  /** True if the observer reads before and after a write. */
  boolean observesWrites() {
    return writesUseCurrentVersions;
  }

  /** True if a write uses other versions than a plain query of its transaction sees. */
  boolean writesIgnoreSnapshot() {
    return writesUseCurrentVersions && keepsSnapshot() && level != IsolationLevel.SERIALIZABLE;
  }

  /**
   * True if a transaction's write of a key may hide the row that has that key in its snapshot, and
   * that another transaction has since given another key or deleted.
   */
  boolean writesMayHideRows() {
    return writesIgnoreSnapshot();
  }

  private boolean keepsSnapshot() {
    return level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
  }

  /**
   * True if the transaction reads before a statement.
   *
   * @param hasSnapshot true if the transaction has executed a plain query: another one then changes
   *     nothing
   */
  boolean readsInTransaction(ParsedStatement statement, boolean hasSnapshot) {
    if (!writesUseCurrentVersions) {
      return true;
    }
    if (level == IsolationLevel.SERIALIZABLE) {
      return false;
    }
    return statement.isPlainQuery() || (keepsSnapshot() && hasSnapshot);
  }

  /**
   * True if a statement uses what a plain query of its transaction sees of the tables that it does
   * not write.
   */
  boolean usesTransactionView(ParsedStatement statement) {
    return !writesUseCurrentVersions
        || statement.isPlainQuery()
        || (statement.isLockingQuery() && statement.hasSubquery());
  }

  /** True if a statement uses the current versions of the tables that it does not write. */
  boolean usesCurrentVersions(ParsedStatement statement) {
    return writesUseCurrentVersions
        && (!statement.isPlainQuery() || level == IsolationLevel.SERIALIZABLE);
  }
}
