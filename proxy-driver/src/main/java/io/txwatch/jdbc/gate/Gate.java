package io.txwatch.jdbc.gate;

/** Decides when an application's calls go on to the DBMS. */
@FunctionalInterface
public interface Gate {

  /**
   * An application is about to make a call on a watched connection. Called on its thread, which
   * goes on when this returns. An exception that is thrown here is the application's.
   */
  void before(GatedCall call);
}
