package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.SQLException;

/** What an application does: its tables, and the transactions that its clients run. */
public interface Workload {

  /** Makes and fills the tables, in autocommit, the same each time for the same seed. */
  void create(Connection connection, long seed) throws SQLException;

  /**
   * A client.
   *
   * @param number from 0
   * @param seed what it does is a function of this alone
   */
  Client client(int number, long seed);

  /** Sets a client's connection up. */
  void connected(Connection connection) throws SQLException;

  /** Somebody who runs one transaction after the other. */
  interface Client {
    /** The next transaction, with its inputs. */
    Transaction next();
  }

  /** A transaction: run again with the same inputs if the DBMS rolled it back. */
  interface Transaction {
    /** Runs it, its commit included. */
    void run(Connection connection) throws SQLException;
  }
}
