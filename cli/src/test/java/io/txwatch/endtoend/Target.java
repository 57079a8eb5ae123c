package io.txwatch.endtoend;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A DBMS that scenarios run on. */
interface Target {

  /** Its name in the table of expectations. */
  String name();

  /** The levels that it is run at, weakest first, in their short names. */
  List<String> levels();

  /** A database of its own, empty. */
  Database create() throws SQLException;

  /** The dialect's own words in place of {@code {ENGINE}} and its like. */
  String spell(String sql);

  /** Sets the level of the transactions to come. */
  void setLevel(Connection connection, String level) throws SQLException;

  /** Watches the sessions of a database for blocking. */
  BlockMonitor monitor(Database database) throws SQLException;

  /**
   * True if an application that gets this error has to start the transaction again: the DBMS rolled
   * it back, or lets it do nothing else.
   */
  boolean endsTransaction(SQLException error);

  /** An empty database that is dropped when closed. */
  interface Database extends AutoCloseable {

    /** A JDBC URL of the vendor's driver that needs no user or password besides. */
    String url();

    /** A new connection of the vendor's own driver. */
    Connection connect() throws SQLException;

    @Override
    void close() throws SQLException;
  }
}
