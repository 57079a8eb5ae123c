package io.txwatch.dialect;

/**
 * When a driver, or its DBMS, decides in which database or schema the names of a statement are
 * looked up.
 */
public enum NameBinding {
  /** Each time it is executed: where the session is by then. */
  EXECUTION,
  /** When it is made: where the connection was last set to by a method of JDBC. */
  CALL,
  /** When it is prepared. */
  PREPARATION,
  /** When it is compiled: when it is prepared, and again once a definition or a setting changed. */
  COMPILATION,
  /** When it is first executed. */
  FIRST_EXECUTION
}
