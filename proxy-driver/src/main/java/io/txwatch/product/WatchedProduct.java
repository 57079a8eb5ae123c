package io.txwatch.product;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.CatalogProduct;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.history.Database;
import io.txwatch.prepare.PreparationDdl;
import java.sql.Connection;
import java.sql.SQLException;

/** What is particular to one DBMS. Its package contains all of it. */
public interface WatchedProduct extends CatalogProduct {

  /** What it does to transactions, with its settings. */
  TransactionRules transactionRules(Database database);

  /** When a read beside a statement may be sent, and what it sees. */
  SnapshotRules snapshotRules(Database database);

  /**
   * The statements by which its tables get and lose the auxiliary columns.
   *
   * @throws IllegalArgumentException if it has none
   */
  PreparationDdl preparation(SchemaReader reader, Database database);

  /**
   * True if the driver would ask the server whether a connection, as it has just opened it, is in
   * autocommit: by JDBC it is. A pool's connection has another class.
   */
  default boolean asksForAutocommit(Connection opened) {
    return false;
  }

  /**
   * True for the error by which a session that serves replication refuses its first statements. It
   * executes no transaction of an application, and is not watched.
   */
  default boolean isOfReplication(SQLException error) {
    return false;
  }
}
