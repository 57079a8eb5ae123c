package io.txwatch.dbms.mysql;

import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.Semantics.LockingReads;
import io.txwatch.dbms.Semantics.Snapshot;
import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.VersionNumbers;

/** The visibility rules of InnoDB. */
public final class InnodbSemantics {

  private InnodbSemantics() {}

  /**
   * MySQL manual, Transaction Isolation Levels. Of the queries in writes, in Consistent Nonlocking
   * Reads: "By default, InnoDB uses stronger locks for those statements and the SELECT part acts
   * like READ COMMITTED, where each consistent read, even within the same transaction, sets and
   * reads its own fresh snapshot. To perform a nonlocking read in such cases, set the isolation
   * level of the transaction to READ UNCOMMITTED or READ COMMITTED"; and in Locks Set by Different
   * SQL Statements: "INSERT INTO T SELECT … FROM S … If the transaction isolation level is READ
   * COMMITTED, InnoDB does the search on S as a consistent read (no locks). Otherwise, InnoDB sets
   * shared next-key locks on rows from S", and the same for "UPDATE t … WHERE col IN (SELECT … FROM
   * s …)". A DELETE locks what its subquery reads at every level ({@code ha_innobase::store_lock}).
   */
  public static Semantics of(Database database, IsolationLevel level) {
    boolean snapshotIsolation =
        database.settings().getOrDefault("innodb_snapshot_isolation", "OFF").equals("ON");
    return switch (level) {
      case UNKNOWN -> throw new IllegalArgumentException("no level is set");
      case READ_UNCOMMITTED ->
          new Semantics(
              Visibility.DIRTY,
              Visibility.COMMITTED,
              Visibility.DIRTY,
              Snapshot.FIRST_READ,
              false,
              LockingReads.NONE,
              true);
      case READ_COMMITTED ->
          new Semantics(
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              false,
              LockingReads.NONE,
              true);
      case REPEATABLE_READ, SNAPSHOT ->
          new Semantics(
              Visibility.SNAPSHOT,
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              snapshotIsolation,
              LockingReads.IN_WRITES,
              true);
      case SERIALIZABLE -> {
        boolean checks =
            snapshotIsolation && hasReadViewAtSerializable(database.product().version());
        yield new Semantics(
            Visibility.COMMITTED,
            Visibility.COMMITTED,
            Visibility.COMMITTED,
            checks ? Snapshot.FIRST_STATEMENT : Snapshot.FIRST_READ,
            checks,
            LockingReads.ALL,
            true);
      }
    };
  }

  /**
   * MariaDB documentation, InnoDB System Variables, innodb_snapshot_isolation: "an error
   * DB_RECORD_CHANGED (HA_ERR_RECORD_CHANGED, ER_CHECKREAD) is raised if an attempt is made to
   * acquire a lock on a record that does not exist in the current read view". At SERIALIZABLE there
   * is a read view, from the first statement on, since the correction of MDEV-36330.
   */
  private static boolean hasReadViewAtSerializable(String version) {
    return VersionNumbers.atLeastInSeries(
        version, "10.6.23", "10.11.14", "11.4.8", "11.8.3", "12.0.2");
  }
}
