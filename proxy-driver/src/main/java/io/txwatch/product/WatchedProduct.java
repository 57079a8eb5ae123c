package io.txwatch.product;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.sql.dialect.Dialect;

/** What is particular to one DBMS. Its package contains all of it. */
public interface WatchedProduct {

  /** The grammar of its SQL. */
  Dialect dialect();

  /** What it does to transactions, with its settings. */
  TransactionRules transactionRules(Database database);

  /** When a read beside a statement may be sent, and what it sees. */
  SnapshotRules snapshotRules(Database database);
}
