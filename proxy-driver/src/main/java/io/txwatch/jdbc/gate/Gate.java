package io.txwatch.jdbc.gate;

/** Decides when an application's calls go on to the DBMS. */
@FunctionalInterface
public interface Gate {

  /**
   * An application is about to make a call on a watched connection. Called on its thread, which
   * goes on when this returns. An exception that is thrown here is the application's.
   */
  void before(GatedCall call);

  /**
   * A transaction has ended by a call of {@link java.sql.Connection} that has returned. Called on
   * the application's thread. Transactions that end otherwise are not reported.
   *
   * @param hasCommitted false if it was rolled back, or may have been
   */
  default void ended(GatedConnection connection, boolean hasCommitted) {}
}
