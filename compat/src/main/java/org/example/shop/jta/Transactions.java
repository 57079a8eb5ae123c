package org.example.shop.jta;

import java.sql.Connection;

/** Transactions over two databases. */
interface Transactions extends AutoCloseable {

  /** What is done with a connection to each. */
  interface Work {
    void with(Connection one, Connection two) throws Exception;
  }

  /** Does something in a transaction, which commits unless it fails. */
  void run(Work work) throws Exception;

  /** Ends the process between the two phases of a commit, if there are two. */
  default void crashInCommit(Work work) throws Exception {}

  /** Completes what was prepared by a process that ended. */
  default void recover() throws Exception {}

  @Override
  void close();
}
