package io.txwatch.capture;

import java.util.List;

/**
 * How a DBMS lists the waits for locks.
 *
 * @param queries queries for it, each of which returns the number of a connection that waits and of
 *     one that it waits for in a row; the first that the server accepts is used. Empty if it is not
 *     known
 */
public record WaitSource(List<String> queries) {

  /** A DBMS of whose waits nothing is known. */
  public static final WaitSource NONE = new WaitSource(List.of());
}
