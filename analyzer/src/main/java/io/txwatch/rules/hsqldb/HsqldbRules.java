package io.txwatch.rules.hsqldb;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;
import io.txwatch.rules.VersionNumbers;

/**
 * HSQLDB 2, whose database has one of three transaction models: {@code LOCKS} and {@code MVLOCKS}
 * lock tables, {@code MVCC} locks the rows that are written. Each distinguishes two levels.
 */
public final class HsqldbRules implements DbmsRules {

  /** The setting of the transaction model. */
  private static final String MODEL = "hsqldb.tx";

  @Override
  public String product() {
    return "HSQLDB";
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  /** A model that is not known is taken for the one that promises the least. */
  @Override
  public Promise promise(IsolationLevel level, Database database) {
    String chapter = "HyperSQL User Guide, Sessions and Transactions: ";
    if (!isRedesigned(database)) {
      return Promise.NONE; // it has dirty reads
    }
    boolean locksTables = database.settings().getOrDefault(MODEL, "").endsWith("LOCKS");
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED, READ_COMMITTED ->
          Kind.COMMITTED.by(chapter + "Transactions and Concurrency Control");
      case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
          locksTables
              ? Kind.SERIALIZABLE.by(chapter + "Two Phase Locking")
              : Kind.SNAPSHOT.by(chapter + "MVCC");
    };
  }

  @Override
  public String retry() {
    return "retry on SQLSTATE 40001";
  }

  /** With MVCC neither SELECT FOR UPDATE nor LOCK TABLE locks anything. */
  @Override
  public String lockClause() {
    return "an UPDATE before it that sets a column to itself";
  }

  @Override
  public boolean locksRows(Database database) {
    return isRedesigned(database);
  }

  private static boolean isRedesigned(Database database) {
    return VersionNumbers.atLeast(database.product().version(), 2);
  }
}
