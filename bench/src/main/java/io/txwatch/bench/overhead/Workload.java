package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.SQLException;

/** The tables of an application and the transactions of its clients. */
public interface Workload {

  /** Creates and fills the tables in autocommit mode; the rows depend only on the seed. */
  void create(Connection connection, long seed) throws SQLException;

  /**
   * Creates a client.
   *
   * @param number from 0
   * @param seed the only source of its randomness
   */
  Client client(int number, long seed);

  /** Configures a client's connection. */
  void configure(Connection connection) throws SQLException;

  /** A client that runs one transaction after the other. */
  interface Client {
    /** The next transaction, with its inputs. */
    Transaction next();
  }

  /** A transaction; retried with the same inputs if the DBMS rolls it back. */
  interface Transaction {
    /** Runs it, including its commit. */
    void run(Connection connection) throws SQLException;
  }
}
